"""Constant initializers."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.initializers.initializer import Initializer
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import VALUE
from tapeflow.keras.saving import serialize_keras_object


class Constant(Initializer):
    """Initializes with `value`, a scalar or an array that broadcasts to the shape.

    Args:
        value: A number, or an array that broadcasts to the shape.

    Example:
        >>> tf.keras.initializers.Constant(2.5)((3,)).numpy()
        array([2.5, 2.5, 2.5], dtype=float32)
    """

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        value = tf.cast(tf.convert_to_tensor(self.value), standardize_dtype(dtype))
        return tf.broadcast_to(value, shape)

    def get_config(self) -> dict[str, Any]:
        return {"value": serialize_keras_object(self.value)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Constant:
        return cls(read_object(config.get("value", 0.0), VALUE, required=False))


class Zeros(Initializer):
    """Initializes with zeros.

    Example:
        >>> tf.keras.initializers.Zeros()((2,)).numpy()
        array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return tf.zeros(shape, standardize_dtype(dtype))


class Ones(Initializer):
    """Initializes with ones.

    Example:
        >>> tf.keras.initializers.Ones()((2,), dtype="int32").numpy()
        array([1, 1], dtype=int32)
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return tf.ones(shape, standardize_dtype(dtype))


class Identity(Initializer):
    """Initializes a matrix with `gain` on its diagonal and zeros elsewhere.

    Args:
        gain: Value of the diagonal.

    Example:
        >>> tf.keras.initializers.Identity(2.0)((2, 3)).numpy()
        array([[2., 0., 0.],
               [0., 2., 0.]], dtype=float32)
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        if len(shape) != 2:
            raise ValueError(
                f"The Identity initializer creates matrices: the shape must have 2 dimensions. "
                f"Received: shape={shape}"
            )
        rows, columns = shape
        return self.gain * tf.eye(rows, columns, dtype=standardize_dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain}
