"""Dtype promotion: the dtype of a result, from those of the operands.

Dtypes form a lattice, and a result has the least dtype above all operands. Python's numbers are
weak: `int` is above `bool` and below all integer dtypes, `float` above these and below all
floating-point dtypes.
"""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.config import floatx, standardize_dtype

_WEAK = {int: "int", float: "float"}
# The dtypes directly above each.
_ABOVE: dict[str, tuple[str, ...]] = {
    "bool": ("int",),
    "int": ("uint8", "int8", "complex64"),
    **{"uint8": ("int16", "uint16"), "uint16": ("int32", "uint32"), "uint32": ("int64", "uint64")},
    **{"int8": ("int16",), "int16": ("int32",), "int32": ("int64",)},
    **{"int64": ("float",), "uint64": ("float",)},
    "float": ("bfloat16", "float16"),
    **{"bfloat16": ("float32",), "float16": ("float32",), "float32": ("float64", "complex64")},
    **{"float64": ("complex128",), "complex64": ("complex128",), "complex128": ()},
}
# Promotion never results in these, not even of one dtype with itself.
_NARROWED = {"uint64": "uint32", "complex128": "complex64"}
_FLOAT8 = frozenset({"float8_e4m3fn", "float8_e5m2"})
_ACCUMULATORS = {
    **dict.fromkeys((tf.bool, tf.int8, tf.int16), tf.int32),
    **dict.fromkeys((tf.uint8, tf.uint16), tf.uint32),
}
_Tensor = tf.Tensor
_FAST = frozenset(
    tf.as_dtype(name) for name in _ABOVE if name not in _NARROWED and name not in ("int", "float")
)


def _all_above(name: str) -> frozenset[str]:
    return frozenset({name}).union(*(_all_above(above) for above in _ABOVE[name]))


_UPPER = {name: _all_above(name) for name in _ABOVE}


def _join(first: str, second: str) -> str:
    if first == second:
        return first
    for name in (first, second):
        if name not in _UPPER:
            raise ValueError(
                f"There is no dtype that both {first} and {second} convert to by themselves. "
                f"Cast one of them with `keras.ops.cast`."
            )
    common = _UPPER[first] & _UPPER[second]
    return next(name for name in common if common <= _UPPER[name])


@functools.lru_cache(1024)
def _promoted(names: tuple[str, ...], precision: str) -> str:
    name = functools.reduce(_join, names)
    if name in ("int", "float"):
        return name + precision
    return _NARROWED.get(name, name)


def _name_of(dtype: DTypeLike) -> str:
    if dtype is None:
        return floatx()
    if dtype is int or dtype is float:
        return _WEAK[dtype]
    name = standardize_dtype(dtype)
    if name in _FLOAT8:
        raise ValueError(
            f"Dtypes of 8-bit floating-point numbers convert to no other dtype by themselves. "
            f"Received: {name}. Cast the tensor with `keras.ops.cast`."
        )
    return name


def result_type(*dtypes: Any) -> str:
    """Returns the name of the dtype that operands of these dtypes are promoted to.

    `int` and `float` stand for Python numbers, which adapt to tensors; None is `floatx()`.

    Args:
        *dtypes: Dtypes or their names, `int`, `float` or None. Without any, the result is
            `floatx()`.

    Returns:
        The name of the least dtype that all of them convert to. It is never `uint64` or
        `complex128`: these become `uint32` and `complex64`.

    Raises:
        ValueError: A dtype is an 8-bit float, or there is no common one.

    Example:
        >>> tf.keras.backend.result_type("int32", "bfloat16")
        'bfloat16'
        >>> tf.keras.backend.result_type("int8", float)
        'float32'
    """
    if not dtypes:
        return floatx()
    return _promoted(tuple(map(_name_of, dtypes)), floatx()[-2:])


def dtype_of(x: TensorLike) -> Any:
    """The dtype of a tensor, `int` or `float` for a Python number."""
    return getattr(x, "dtype", None) or type(x)


def to_tensor(x: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Converts `x` to a tensor, cast to `dtype` if that is not None.

    Unlike `tf.convert_to_tensor`, it casts tensors and arrays of another dtype.
    """
    if isinstance(x, _Tensor):
        return x if dtype is None or x.dtype == dtype else tf.cast(x, dtype)
    if dtype is None:
        return x if tf.is_tensor(x) and not isinstance(x, tf.Variable) else tf.convert_to_tensor(x)
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        kind = tf.as_dtype(dtype)
        if kind.is_floating or (kind.is_integer and isinstance(x, int)):
            return tf.convert_to_tensor(x, kind)
    elif tf.is_tensor(x) and not isinstance(x, tf.Variable):
        return tf.cast(x, dtype)
    return tf.cast(tf.convert_to_tensor(x), dtype)


def operand(x: Any) -> Any:
    """`x` as a tensor, unless it is a Python number, whose dtype is weak."""
    if isinstance(x, _Tensor) or type(x) is int or type(x) is float:
        return x
    return to_tensor(x)


def promoted(x1: TensorLike, x2: TensorLike) -> tuple[Any, Any]:
    """Both operands as tensors of the dtype that they are promoted to."""
    if isinstance(x1, _Tensor) and isinstance(x2, _Tensor):
        dtype = x1.dtype
        if dtype is x2.dtype and dtype in _FAST:
            return x1, x2
    x1, x2 = operand(x1), operand(x2)
    common = result_type(dtype_of(x1), dtype_of(x2))
    return to_tensor(x1, common), to_tensor(x2, common)


def floating(x: Any, int64: str | None = None) -> Any:
    """`x` as a tensor of floating-point or complex numbers.

    64-bit integers become `int64`, by default `floatx()`.
    """
    x = to_tensor(x)
    dtype = x.dtype
    if dtype.is_floating or dtype.is_complex:
        return x
    if dtype.name == "int64":
        return tf.cast(x, int64 or floatx())
    return tf.cast(x, result_type(dtype, float))


def accumulated(x: Any) -> Any:
    """`x` as a tensor whose integers have at least 32 bits, for sums and products."""
    x = to_tensor(x)
    return x if x.dtype not in _ACCUMULATORS else tf.cast(x, _ACCUMULATORS[x.dtype])


def promoted_list(tensors: Any) -> list[Any]:
    """Several operands as tensors of the dtype that they are promoted to."""
    operands = [operand(x) for x in tensors]
    if len({dtype_of(x) for x in operands}) == 1 and isinstance(operands[0], _Tensor):
        return operands
    common = result_type(*(dtype_of(x) for x in operands))
    return [to_tensor(x, common) for x in operands]


def promoted_to_float(x1: TensorLike, x2: TensorLike) -> tuple[Any, Any]:
    """Both operands as tensors of the floating-point dtype that they are promoted to."""
    if isinstance(x1, _Tensor) and isinstance(x2, _Tensor):
        dtype = x1.dtype
        if dtype is x2.dtype and dtype.is_floating:
            return x1, x2
    x1, x2 = operand(x1), operand(x2)
    common = result_type(dtype_of(x1), dtype_of(x2), float)
    return to_tensor(x1, common), to_tensor(x2, common)


def strongly_promoted(x1: Any, x2: Any, *, boolean: str = "bool") -> tuple[Any, Any]:
    """Both operands in a common dtype, Python numbers with dtypes of their own.

    `boolean` is the dtype of two boolean operands.
    """
    x1, x2 = to_tensor(x1), to_tensor(x2)
    if x1.dtype is x2.dtype and x1.dtype in _FAST and x1.dtype is not tf.bool:
        return x1, x2
    common = result_type(x1.dtype, x2.dtype)
    if common == "bool":
        common = boolean
    return tf.cast(x1, common), tf.cast(x2, common)
