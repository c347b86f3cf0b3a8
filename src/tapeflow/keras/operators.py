"""Python's operators on KerasTensors: each is an operation of its own in a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.keras.operation import Operation


def _alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands in one dtype, as Keras promotes them: a number takes the tensor's."""
    if not isinstance(x, tf.Tensor):
        return tf.convert_to_tensor(x, _number_dtype(x, y)), y
    if not isinstance(y, tf.Tensor):
        return x, tf.convert_to_tensor(y, _number_dtype(y, x))
    if x.dtype is y.dtype:
        return x, y
    floats = [t.dtype for t in (x, y) if t.dtype.is_floating]
    if len(floats) == 1:
        common = floats[0]
    else:
        common = max((x.dtype, y.dtype), key=lambda dtype: dtype.size)
    return tf.cast(x, common), tf.cast(y, common)


def _number_dtype(number: Any, tensor: Any) -> Any:
    if isinstance(number, float) and not tensor.dtype.is_floating:
        return tf.float32
    return tensor.dtype


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def call(x: Any, y: Any) -> Any:
        first, second = _alike(x, y)
        if first.dtype is not second.dtype:
            first, second = _alike(first, second)
        return function(first, second)

    return call


def _divide(x: Any, y: Any) -> Any:
    return tf.truediv(x, y) if x.dtype.is_floating else tf.cast(tf.truediv(x, y), tf.float32)


def _get_item(x: Any, key: Any) -> Any:
    return x[tuple(key) if isinstance(key, list) else key]


# By the names that Keras has for them in its files.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Add": _binary(tf.add),
    "Subtract": _binary(tf.subtract),
    "Multiply": _binary(tf.multiply),
    "Matmul": _binary(tf.matmul),
    "TrueDivide": _binary(_divide),
    "FloorDivide": _binary(lambda x, y: x // y),
    "Mod": _binary(lambda x, y: x % y),
    "Power": _binary(tf.pow),
    "LogicalAnd": tf.logical_and,
    "LogicalOr": tf.logical_or,
    "LogicalXor": tf.math.logical_xor,
    "LogicalNot": tf.logical_not,
    "Less": _binary(tf.less),
    "LessEqual": _binary(tf.less_equal),
    "Greater": _binary(tf.greater),
    "GreaterEqual": _binary(tf.greater_equal),
    "Equal": _binary(tf.equal),
    "NotEqual": _binary(tf.not_equal),
    "Negative": tf.negative,
    "Absolute": tf.abs,
    "GetItem": _get_item,
    "Transpose": tf.transpose,
    "Reshape": tf.reshape,
    "Squeeze": tf.squeeze,
}


def _class_of(name: str, function: Callable[..., Any]) -> type[Operation]:
    def call(self: Operation, *args: Any) -> Any:
        return function(*args)

    return type(name, (Operation,), {"call": call, "__module__": __name__, "__doc__": f"{name}."})


CLASSES = {name: _class_of(name, function) for name, function in _FUNCTIONS.items()}
