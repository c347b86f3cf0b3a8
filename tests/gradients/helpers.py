"""What tests of gradients say more than once."""

from __future__ import annotations

from typing import Any

import tapeflow as tf

ZERO = tf.UnconnectedGradients.ZERO


def numbers(structure: Any) -> Any:
    """The structure with tensors as Python values."""
    return tf.nest.map_structure(lambda t: None if t is None else t.numpy().tolist(), structure)


class Wrapped(tf.__internal__.types.Tensor):
    """A variable in a class of another library, as Keras 3 has one."""

    _should_act_as_resource_variable = True

    def __init__(self, value: Any) -> None:
        self.inner = tf.Variable(value)

    @property
    def handle(self) -> Any:
        return self.inner.handle

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return tf.convert_to_tensor(self.inner, dtype)
