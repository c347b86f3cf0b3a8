"""Specs of extension types, made or written by the user; and values taken apart by `tf.nest`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pytest

import tapeflow as tf

ExtensionType = tf.experimental.ExtensionType


class Masked(ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Player(ExtensionType):
    name: tf.Tensor
    attributes: Mapping[str, tf.Tensor]
    level: int = 1


class Shaped(ExtensionType):
    values: tf.Tensor

    class Spec:
        def __init__(self, shape: Any, dtype: Any = tf.float32) -> None:
            self.values = tf.TensorSpec(shape, dtype)

        def __repr__(self) -> str:
            return f"Shaped.Spec(shape={self.shape})"

        shape = property(lambda self: self.values.shape)


INT, BOOL = tf.TensorSpec([2], tf.int32), tf.TensorSpec([2], tf.bool)


def test_the_spec_of_a_value() -> None:
    spec = tf.type_spec_from_value(Masked([1, 2], [True, False]))
    assert spec == Masked.Spec(INT, BOOL) == Masked.Spec(values=INT, mask=BOOL)
    assert hash(spec) == hash(Masked.Spec(INT, BOOL))
    assert repr(spec) == f"Masked.Spec(values={INT!r}, mask={BOOL!r})"
    assert spec.value_type is Masked and spec.values == INT
    assert isinstance(spec, tf.experimental.ExtensionTypeSpec)
    assert Masked.Spec.from_value(Masked([1, 2], [True, False])) == spec
    assert list(inspect.signature(Masked.Spec).parameters) == ["values", "mask"]


def test_what_is_no_tensor_is_part_of_the_spec() -> None:
    anne = Player("Anne", {"height": 8.3, "speed": 28.1}, 3)
    spec = tf.type_spec_from_value(anne)
    scalar = tf.TensorSpec([], tf.float32)
    assert spec.name == tf.TensorSpec([], tf.string) and spec.level == 3
    assert dict(spec.attributes) == {"height": scalar, "speed": scalar}
    assert spec.is_compatible_with(Player("Bart", {"height": 1.0, "speed": 2.0}, 3))
    assert not spec.is_compatible_with(Player("Bart", {"height": 1.0, "speed": 2.0}, 4))
    assert not spec.is_compatible_with(Player("Bart", {"height": 1.0}, 3))
    assert not spec.is_compatible_with(tf.constant(1.0))


def test_specs_are_ordered() -> None:
    two, three = (tf.type_spec_from_value(Masked([1] * n, [True] * n)) for n in (2, 3))
    common = two.most_specific_common_supertype([three])
    assert common == Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
    assert two.is_subtype_of(common) and not common.is_subtype_of(two)
    assert two.most_specific_compatible_type(three) == common
    other = tf.type_spec_from_value(Masked([1.0], [True]))
    assert two.most_specific_common_supertype([other]) is None


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ((1, 2), "values: expected a TensorSpec, got 'int'"),
        ((INT,), "missing a required argument: 'mask'"),
        ((INT, tf.RaggedTensorSpec([None, None])), "mask: expected a TensorSpec"),
    ],
    ids=str,
)
def test_fields_of_specs_are_checked(fields: tuple[Any, ...], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        Masked.Spec(*fields)


def test_composites_in_specs() -> None:
    class Outer(ExtensionType):
        rows: tf.RaggedTensor
        inner: Masked

    rows, inner = tf.RaggedTensorSpec([None, None]), Masked.Spec(INT, BOOL)
    assert Outer.Spec(rows, inner).inner == inner
    with pytest.raises(TypeError, match="inner: expected a TypeSpec for 'Masked'"):
        Outer.Spec(rows, rows)


def test_a_spec_written_by_the_user() -> None:
    spec = Shaped.Spec([None, 3])
    assert repr(spec) == "Shaped.Spec(shape=(None, 3))"
    assert spec.is_compatible_with(Shaped([[1.0, 2.0, 3.0]]))
    assert tf.type_spec_from_value(Shaped([1.0])) == Shaped.Spec([1])
    assert tf.type_spec_from_value(Shaped([1.0])).shape == [1]
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values`"):
        spec.values = 1


def test_components() -> None:
    anne = Player("Anne", {"speed": 28.0, "height": 8.0})
    spec = tf.type_spec_from_value(anne)
    parts = spec._to_components(anne)
    assert [part.numpy() for part in parts] == [b"Anne", 8.0, 28.0]  # keys are sorted
    assert [part.dtype for part in spec._component_specs] == [part.dtype for part in parts]
    assert bool(spec._from_components(parts) == anne)
    with pytest.raises(ValueError, match="expected 3 components"):
        spec._from_components([*parts, 1])


# -- tf.nest ----------------------------------------------------------------------------------


def test_nest_looks_inside_where_it_is_asked_to() -> None:
    made = Masked([1, 2], [True, False])
    assert tf.nest.flatten(made) == [made]
    assert tf.nest.flatten(made, expand_composites=True) == [made.values, made.mask]
    doubled = tf.nest.map_structure(lambda x: x * 2, Masked(1, 2), expand_composites=True)
    assert isinstance(doubled, Masked)
    assert (doubled.values.numpy(), doubled.mask.numpy()) == (2, 4)


def test_structures_are_the_same_whatever_the_shapes() -> None:
    def same(a: Any, b: Any) -> None:
        tf.nest.assert_same_structure(a, b, expand_composites=True)

    same(Masked([1], [True]), Masked([1, 2], [True, True]))
    same(Player("a", {"x": 1}), Player("b", {"x": 2}))
    for other in (Masked([1.0], [True]), Player("a", {}), tf.constant(1)):
        with pytest.raises((ValueError, TypeError), match="The structures differ"):
            same(Masked([1], [True]), other)
