"""Extension types in SavedModels: known to files by the `__name__` of their class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.api import structure_protos as structures


class Masked(tf.experimental.ExtensionType):
    __name__ = "tests.extension_types.Masked"

    values: tf.Tensor
    mask: tf.Tensor
    label: str = "x"


class Unnamed(tf.experimental.ExtensionType):
    values: tf.Tensor


SPEC = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool), "x")


class Growing(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable(100.0)

    @tf.function
    def grow(self, m: Any) -> Any:
        return Masked(m.values * self.factor, m.mask)


def test_functions_of_types_are_saved_and_loaded(tmp_path: Path) -> None:
    module = Growing()
    module.grow.get_concrete_function(SPEC)
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    result = loaded.grow(Masked([1.0, 2.0], [True, False]))
    assert isinstance(result, Masked) and result.label == "x"
    assert result.values.numpy().tolist() == [100.0, 200.0]


def test_specs_are_messages() -> None:
    message = structures.encode(SPEC)
    assert message.type_spec_value.type_spec_class == 13  # EXTENSION_TYPE_SPEC
    assert message.type_spec_value.type_spec_class_name == "tests.extension_types.Masked.Spec"
    assert message.type_spec_value.num_flat_components == 2
    assert structures.decode(message) == SPEC
    message.type_spec_value.type_spec_class_name = "somewhere.Else.Spec"
    with pytest.raises(NotImplementedError, match=r"somewhere\.Else\.Spec .* before loading"):
        structures.decode(message)


def test_names_are_those_of_one_class() -> None:
    assert Masked.__name__ == "Masked"
    with pytest.raises(ValueError, match="has already been registered for class"):
        type(Masked)(
            "Masked",
            (tf.experimental.ExtensionType,),
            {"__name__": "tests.extension_types.Masked", "__module__": __name__},
        )


def test_types_without_names_have_no_message() -> None:
    assert not structures.can_encode(Unnamed(1)._type_spec)
