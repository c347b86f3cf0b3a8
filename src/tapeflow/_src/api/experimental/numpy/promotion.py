"""Result dtypes: NumPy's rules for tensors, arrays, dtypes and Python numbers.

Python numbers are weak: they adopt the kind of the other operands. The choices of the process
(`prefer_float32`, promotion by every operation) are in `policy`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.experimental.numpy import weak
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike


class _Policy:
    """The settings of `experimental_enable_numpy_behavior`."""

    prefer_float32 = False


policy = _Policy()


def is_tensor(value: Any) -> bool:
    """Whether `value` has a tensor's dtype: a tensor, or a variable."""
    return isinstance(value, Tensor) or isinstance(getattr(value, "dtype", None), DType)


def as_numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the NumPy dtype for a dtype of either library, a Python type or a name."""
    try:
        return dtype.np if isinstance(dtype, DType) else np.dtype(dtype)
    except TypeError:
        raise ValueError(f"Could not convert {dtype!r} to a NumPy dtype.") from None


def as_tensor_dtype(dtype: DTypeLike) -> DType:
    """Return the tensor dtype for a NumPy dtype: `int` is int64, `float` is float64."""
    return as_dtype(as_numpy_dtype(dtype))


# Text that names a dtype; any other is a value.
_NAMES = frozenset(dtype.name for dtype in (*dtypes.NUMERIC, dtypes.bool))


def _leaf(value: Any) -> Any:
    """Convert an operand to an argument of `np.result_type`."""
    if is_tensor(value):
        return value.dtype.np
    if isinstance(value, DType):
        return value.np
    if policy.prefer_float32 and isinstance(value, float):
        return np.float32(value) if type(value) is np.float64 else 0.0
    if isinstance(value, (str, bytes)):
        return value if value in _NAMES else np.dtype(object)
    return value


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Return the promoted dtype of arrays, tensors, dtypes and Python values.

    Args:
        *arrays_and_dtypes: Arrays, tensors, dtypes and Python numbers, which adopt the kind of
            others.

    Returns:
        A `tf.DType`.

    Example:
        >>> tf.experimental.numpy.result_type(tf.int32, tf.float32)
        tf.float64
    """
    if weak.enabled():
        return weak.result_type(*arrays_and_dtypes)
    return numpy_result_type(*arrays_and_dtypes)


def numpy_result_type(*arrays_and_dtypes: Any) -> DType:
    """Return the promoted dtype by NumPy's rules, whatever the policy of the process."""
    leaves = nest.flatten(arrays_and_dtypes)
    if not leaves:
        return dtypes.float64
    result = as_dtype(np.result_type(*map(_leaf, leaves)))
    if policy.prefer_float32 and all(_is_python_number(leaf) for leaf in leaves):
        return _NARROW.get(result, result)
    return result


_NARROW = {dtypes.float64: dtypes.float32, dtypes.complex128: dtypes.complex64}


def _is_python_number(value: TensorLike) -> bool:
    return isinstance(value, (bool, int, float, complex))


def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """Return the smallest dtype to which both can be cast, as a NumPy dtype.

    Args:
        type1: A dtype of NumPy or TensorFlow, a Python type or a name.
        type2: The other one.

    Returns:
        A NumPy dtype.

    Raises:
        ValueError: If one is no dtype.

    Example:
        >>> tf.experimental.numpy.promote_types(np.int32, np.float32)
        dtype('float64')
    """
    return np.promote_types(as_numpy_dtype(type1), as_numpy_dtype(type2))


def asarray(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Convert `a` to a tensor, cast to `dtype` if there is one.

    Args:
        a: Tensors, arrays, numbers, or nested lists of them.
        dtype: The dtype; by default, the promoted one of the values.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.asarray([1, 2.5]).numpy()
        array([1. , 2.5])
    """
    target = None if dtype is None else as_tensor_dtype(dtype)
    if target is None and type(a) is weak.WeakTensor:
        return a
    if is_tensor(a):
        tensor = dispatch.convert(a)
        return tensor if target is None or tensor.dtype is target else cast(tensor, target)
    if weak.enabled() and target is None:
        return dispatch.constant(a, None, None)
    leaves = nest.flatten(a) if isinstance(a, (list, tuple)) else ()
    if any(map(is_tensor, leaves)):
        return _packed(a, target or result_type(a))
    if isinstance(a, (str, bytes, np.ndarray)) and target is None:
        return dispatch.convert(a)
    return _from_values(a, target)


def _from_values(value: TensorLike, target: DType | None) -> Any:
    """Convert Python or NumPy values to a tensor; `dispatch.convert` raises for others."""
    if isinstance(value, range):
        value = list(value)
    if isinstance(value, (bool, int, float, complex, np.generic)):
        array: Any = np.asarray(value)
    else:
        try:
            array = np.asarray(value)
        except ValueError:
            return dispatch.convert(value)
    if array.dtype == object or array.dtype.kind in "SU":
        return dispatch.convert(value, target)
    if target is None:
        target = result_type(value) if array.size else dtypes.float64
    with np.errstate(all="ignore"):
        return dispatch.convert(array.astype(target.np))


def _packed(value: TensorLike, target: DType) -> Any:
    """Convert a nested list that contains tensors, everything cast to `target`."""
    cast_leaves = nest.map_structure(lambda leaf: asarray(leaf, target), value)
    return dispatch.convert(cast_leaves)


def promote(*values: Any) -> tuple[Any, ...]:
    """Convert the values to tensors of their promoted dtype."""
    return _cast_all(values, result_type)


def promote_as_numpy(*values: Any) -> tuple[Any, ...]:
    """Promote by NumPy's rules, whatever the policy of the process."""
    return _cast_all(values, numpy_result_type)


# (dtype of a tensor, class of a Python number beside it) -> whether the number takes the dtype.
_takes_dtype: dict[tuple[DType, type], bool] = {}


def promote_operands(x: Any, y: Any) -> tuple[Any, ...]:
    """Promote as `promote_as_numpy` for an operator of the tensor `x`."""
    kind = type(y)
    if kind is int or kind is float:
        result = _takes_dtype.get((x.dtype, kind))
        if result is None:
            result = _takes_dtype[x.dtype, kind] = numpy_result_type(x, y) is x.dtype
        if result:
            return x, y
    elif isinstance(y, Tensor) and y.dtype is x.dtype:
        return x, y
    return promote_as_numpy(x, y)


def _cast_all(values: tuple[Any, ...], rule: Callable[..., DType]) -> tuple[Any, ...]:
    first = values[0]
    if isinstance(first, Tensor) and all(
        isinstance(v, Tensor) and v.dtype is first.dtype for v in values
    ):
        return values
    target = rule(*values)
    return tuple(asarray(value, target) for value in values)


def default_float() -> DType:
    """Return the dtype that integers become where floats are needed."""
    return dtypes.float32 if weak.enabled() else dtypes.float64


def default_int(dtype: DType) -> DType:
    """Return the accumulator dtype of sums of an integer or boolean dtype."""
    if weak.enabled():
        wide, unsigned = dtypes.int32, dtypes.uint32
    else:
        wide, unsigned = dtypes.int64, dtypes.uint64
    if dtype.size >= wide.size:
        return dtype
    return unsigned if dtype.is_unsigned else wide


def to_float(value: TensorLike) -> Any:
    """Convert `value` to a tensor of floats or complex numbers."""
    tensor = asarray(value)
    if tensor.dtype.is_floating or tensor.dtype.is_complex:
        return tensor
    return recast(tensor, default_float())


def recast(tensor: TensorLike, dtype: DType) -> Any:
    """Cast `tensor` to another dtype; a weak tensor stays weak."""
    result = cast(tensor, dtype)
    return weak.weaken(result) if weak.is_weak(tensor) else result
