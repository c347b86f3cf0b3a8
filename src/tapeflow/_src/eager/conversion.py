"""Conversion of Python and NumPy values to eager tensors, by TF's rules.

The first leaf of a Python value decides its dtype: `1` is int32 (int64 if it needs to be), `1.0`
float32, `np.float64(1)` float64, `1j` complex128, text and bytes are strings. NumPy arrays keep
theirs. Tensors are not cast, unless they are in a sequence that is converted to another dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import copysign
from typing import Any

import numpy as np

from tapeflow._src.backends.memory import aligned_empty
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import Dispatchable, UnsupportedValue, not_a_tensor
from tapeflow._src.core.converters import converted
from tapeflow._src.core.dimension import Dimension
from tapeflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.eager.packed_tensor import PackedTensor
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.kernels.strings.encoding import encode_texts
from tapeflow._src.ops.array.common import pack
from tapeflow._src.ops.math.cast import cast

_RAGGED = (
    "Cannot convert a non-rectangular Python sequence to a Tensor: its rows differ in length. Use "
    "tf.ragged.constant for rows of different lengths, or pad them to one length."
)
_FLOAT32_MAX = float(np.finfo(np.float32).max)
_scalars: dict[Any, np.ndarray] = {}
_CACHED_SCALARS = 4096
# Sequences of so many integers are cached like scalars.
_SHORT = 4
_INT = {int}


def convert(
    value: Any, dtype: DTypeLike | None = None, hint: Any = None, name: str | None = None
) -> Any:
    """Convert `value` to a tensor: of `dtype` or an error; of `hint` if possible."""
    kind = type(value)
    if kind is EagerTensor:
        if dtype is not None and as_dtype(dtype) is not value.dtype:
            raise _other_dtype(value, as_dtype(dtype))
        return value
    # 0.0 and -0.0 are equal, and so are 1 and True: neither may be cached for the other.
    if kind is int or (kind is float and (value != 0 or copysign(1.0, value) > 0)):
        key: Any = (kind, value, dtype, hint)
    elif (kind is list or kind is tuple) and len(value) <= _SHORT and {*map(type, value)} == _INT:
        # Shapes, axes and seeds: small ops are called with few different ones.
        key = (tuple(value), dtype, hint)
    elif kind is PackedTensor and (dtype is None or as_dtype(dtype) is dtypes.string):
        return value
    else:
        key = None
    if key is not None:
        # The array is cached, not the tensor: each tensor has its own identity for tapes.
        array = _scalars.get(key)
        if array is None:
            array = _convert(value, dtype, hint, name)._array
            if len(_scalars) < _CACHED_SCALARS:
                _scalars[key] = array
        return EagerTensor(array)
    return _convert(value, dtype, hint, name)


def _convert(value: Any, dtype: Any, hint: Any, name: str | None) -> Any:
    if dtype is not None:
        return _convert_as(value, as_dtype(dtype), name)
    if hint is not None:
        try:
            return _convert_as(value, as_dtype(hint), name, preferred=True)
        except (TypeError, ValueError):
            return _convert_as(value, None, name)
    return _convert_as(value, None, name)


def _convert_as(value: Any, dtype: DType | None, name: str | None, preferred: bool = False) -> Any:
    protocol = getattr(value, "__tf_tensor__", None)
    if protocol is not None:
        if isinstance(value, type):  # a class of tensors, not one of them
            raise _unsupported(value)
        tensor = protocol(None if preferred else dtype)
        if dtype is not None and not preferred and tensor.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for {type(value).__name__} "
                f"with dtype {tensor.dtype.name}."
            )
        return tensor
    if isinstance(value, Tensor):
        # A tensor of another mode converts itself, if it can.
        here = value if isinstance(value, EagerTensor) else value._portable()
        if dtype is None or preferred or here.dtype is dtype:
            return here
        raise _other_dtype(here, dtype)
    tensor = converted(value, dtype, name)
    if tensor is not NotImplemented:
        return tensor
    if isinstance(value, (np.ndarray, np.generic)):
        return EagerTensor(_from_numpy(np.asarray(value), dtype))
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return EagerTensor(_from_python(value, [value], dtype, preferred))
    if isinstance(value, (list, tuple, range)) or _is_sequence(value):
        return _from_sequence(value, dtype, preferred)
    if isinstance(value, TensorShape):
        return EagerTensor(_from_shape(value, dtype))
    if isinstance(value, Dimension):
        return EagerTensor(_from_python(value.value, [value.value], dtype))
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return EagerTensor(_from_numpy(np.asarray(value), dtype))
    if _is_indexed(value):
        return _from_sequence([value[index] for index in range(len(value))], dtype)
    raise _unsupported(value)


def _other_dtype(tensor: Any, dtype: DType) -> ValueError:
    return ValueError(
        f"Expected a {dtype.name} tensor, received one of dtype {tensor.dtype.name}; tensors are "
        f"never converted silently: use tf.cast. The tensor: {tensor!r}"
    )


def _unsupported(value: Any) -> ValueError:
    if isinstance(value, Dispatchable):
        return not_a_tensor(value)
    return UnsupportedValue(
        f"Cannot convert {value!r} of type {type(value).__name__} to a Tensor: expected numbers, "
        f"bools, strings, or lists or arrays of them."
    )


def _is_sequence(value: Any) -> bool:
    return _is_kind_of_sequence(type(value))


def _is_kind_of_sequence(kind: type) -> bool:
    return issubclass(kind, Sequence) and not issubclass(kind, (str, bytes, TensorShape))


def _is_indexed(value: Any) -> bool:
    """Whether it can be indexed, though it does not declare itself a sequence."""
    kind = type(value)
    indexed = hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
    return indexed and not isinstance(value, (str, bytes, Mapping, Dispatchable))


# -- NumPy -----------------------------------------------------------------------------------


def _from_numpy(array: np.ndarray, dtype: DType | None) -> np.ndarray:
    """Copy `array`, cast as NumPy casts."""
    if array.dtype.kind in "US" and (dtype is None or dtype is dtypes.string):
        return encode_strings(array.astype(object))
    if array.dtype == object:
        return encode_strings(array)
    if array.dtype.kind in "US":
        return array.astype(dtype.np)  # type: ignore[union-attr]
    native = array.dtype.newbyteorder("=")
    if native not in FROM_NUMPY:
        raise ValueError(
            f"Failed to convert a NumPy array to a Tensor (Unsupported numpy type: {array.dtype})."
        )
    if dtype is dtypes.string:
        raise ValueError(
            f"Failed to convert a NumPy array to a Tensor "
            f"(elements of type {array.dtype} are not strings)."
        )
    # The dtype object that all arrays share: eager mode compares identities first.
    target = (FROM_NUMPY[native] if dtype is None else dtype).np
    with np.errstate(all="ignore"):
        if array.size < _ALIGNED_SIZE:
            return np.array(array, dtype=target, order="C")
        copy = aligned_empty(array.shape, target)
        np.copyto(copy, array, casting="unsafe")
        return copy


# From this many elements on, tensors are aligned so that compiled code takes them without a copy.
_ALIGNED_SIZE = 4096


def encode_strings(array: np.ndarray) -> np.ndarray:
    """Return an object array of bytes from one of text and bytes."""
    items = array.reshape(-1).tolist()
    for kind in set(map(type, items)):
        if not issubclass(kind, (str, bytes)):
            raise ValueError(
                f"Failed to convert a NumPy array to a Tensor "
                f"(Unsupported object type {kind.__name__})."
            )
    return _encoded_list(items).reshape(array.shape)


def _encoded_list(items: Any) -> np.ndarray:
    kinds = set(map(type, items))
    if kinds == {str}:
        array = encode_texts(items)
        if array is not None:
            return array
        return np.fromiter(map(str.encode, items), object, len(items))
    if kinds != {bytes}:
        items = [item.encode() if isinstance(item, str) else bytes(item) for item in items]
    return np.fromiter(items, object, len(items))


# -- Python ----------------------------------------------------------------------------------


def _from_shape(shape: TensorShape, dtype: DType | None) -> np.ndarray:
    if not shape.is_fully_defined():
        raise ValueError(
            f"The shape {shape} has unknown sizes and cannot become a Tensor: use tf.shape(x) for "
            "the sizes at run time."
        )
    sizes = shape.as_list()
    fits = all(size is None or size < 2**31 for size in sizes)
    if dtype is dtypes.int32 and not fits:
        raise ValueError(
            f"The sizes of {shape} do not fit into int32: convert it with dtype tf.int64."
        )
    return np.array(sizes, (dtype or (dtypes.int32 if fits else dtypes.int64)).np)


def _from_flat(value: Any, dtype: DType | None) -> np.ndarray | None:
    """Convert a flat list of floats, ints or strings on the fast path, or return None."""
    kinds = set(map(type, value))
    if kinds and kinds <= _STRINGS and (dtype is None or dtype is dtypes.string):
        return _encoded_list(value)
    if kinds == _FLOATS and (dtype is None or dtype is dtypes.float32):
        array = np.array(value, np.float64)
        return array.astype(np.float32) if (np.abs(array) <= _FLOAT32_MAX).all() else None
    if kinds == _INTS:
        target = dtypes.int32 if dtype is None else dtype
        bounds = _INTEGER_LIMITS.get(target)
        if bounds is not None and min(value) >= bounds[0] and max(value) <= bounds[1]:
            return np.array(value, target.np)
    return None


_FLOATS, _INTS, _STRINGS = {float}, {int}, {str, bytes}
_INTEGER_LIMITS = {dtype: (dtype.min, dtype.max) for dtype in (dtypes.int32, dtypes.int64)}


def _from_sequence(value: Any, dtype: DType | None, preferred: bool = False) -> Any:
    if type(value) is list or type(value) is tuple:
        array = _from_flat(value, dtype)
        if array is not None:
            return EagerTensor(array)
    leaves = _leaves(value)
    if any(map(counts_as_tensor, leaves)):
        return _pack(value, leaves, dtype)
    return EagerTensor(_from_python(value, leaves, dtype, preferred))


def _leaves(value: Any) -> list[Any]:
    """Yield the leaves of a nested sequence, in order."""
    level = list(value)
    while any(map(_is_kind_of_sequence, set(map(type, level)))):
        level = list(
            chain.from_iterable(
                item if isinstance(item, (list, tuple, range)) or _is_sequence(item) else (item,)
                for item in level
            )
        )
    return level


def _pack(value: Any, leaves: list[Any], dtype: DType | None) -> Any:
    """Stack a sequence that contains tensors; other items take the tensors' dtype."""
    own = next(leaf.dtype for leaf in leaves if counts_as_tensor(leaf))
    return _packed(value, dtype or own, casts=dtype is not None and dtype is not own)


def _packed(value: Any, dtype: DType, casts: bool) -> Any:
    items = []
    tensors_alone = all(map(counts_as_tensor, value))
    for item in value:
        if counts_as_tensor(item):
            tensor = dispatch.convert(item)
            if not (casts or tensors_alone or tensor.dtype is dtype):
                raise TypeError(
                    f"A list for a {dtype.name} tensor contains one of dtype {tensor.dtype.name}: "
                    f"use tf.cast on it. The tensor: {tensor!r}"
                )
            items.append(cast(tensor, DstT=dtype) if casts else tensor)
        elif _is_sequence(item) and (casts or any(map(counts_as_tensor, _leaves(item)))):
            items.append(_packed(item, dtype, casts))
        else:
            items.append(dispatch.convert(item, dtype))
    return pack(items, axis=0, name="packed")


def counts_as_tensor(value: Any) -> bool:
    """Whether it is a tensor, or converts itself to one."""
    return isinstance(value, Tensor) or hasattr(value, "__tf_tensor__")


def _from_python(
    value: Any, leaves: list[Any], dtype: DType | None, preferred: bool = False
) -> np.ndarray:
    """Return an array of `dtype`; if that is only preferred, raise for integers it cannot hold."""
    kinds = set(map(type, leaves))
    if Dimension in kinds:
        value = _written_out(value)
        leaves = [leaf.value if isinstance(leaf, Dimension) else leaf for leaf in leaves]
    if any(issubclass(kind, np.ndarray) for kind in kinds):
        if len({leaf.dtype if isinstance(leaf, np.ndarray) else None for leaf in leaves}) == 1:
            return _from_arrays(value, dtype)
        # Their values are treated like nested lists.
        leaves = list(chain.from_iterable(map(_items, leaves)))
        value = _written_out(value)
    source = _source_dtype(leaves, dtype)
    if source is dtypes.uint64 and not (dtype is source or (dtype and dtype.is_floating)):
        raise _out_of_range()
    if dtype is None and source is dtypes.float32:
        _check_fits_float32(leaves)
    if dtype is not None:
        _check_castable(value, source, dtype)
    target = dtype or source
    if preferred and target.is_integer and source.is_integer and not _fits(leaves, target):
        raise _out_of_range()
    try:
        if target is dtypes.string:
            return _string_array(value)
        if target.is_integer and source.is_integer:
            wide = np.uint64 if source is dtypes.uint64 else np.int64
            return np.array(value, wide).astype(target.np)
        with np.errstate(all="ignore"):
            return np.array(value, target.np)
    except OverflowError as error:
        raise _out_of_range() from error
    except (ValueError, TypeError) as error:
        if isinstance(value, (list, tuple)):
            raise ValueError(_RAGGED) from error
        raise


def _fits(leaves: list[Any], dtype: DType) -> bool:
    return not leaves or (dtype.min <= min(leaves) and max(leaves) <= dtype.max)


def _items(leaf: Any) -> Iterable[Any]:
    return leaf.ravel() if isinstance(leaf, np.ndarray) else (leaf,)


def _written_out(value: Any) -> Any:
    """Return a nested sequence with lists in place of NumPy arrays, and ints in place of sizes."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Dimension):
        return value.value
    if isinstance(value, (list, tuple, range)) or _is_sequence(value):
        return [_written_out(item) for item in value]
    return value


def _from_arrays(value: Any, dtype: DType | None) -> np.ndarray:
    """Convert a list of NumPy arrays, whose values are treated like nested lists."""
    try:
        array = np.array(value)
    except ValueError as error:
        raise ValueError(_RAGGED) from error
    if dtype is None and not array.size:
        dtype = dtypes.float32
    elif dtype is None and array.dtype.kind in "iu" and array.dtype != np.uint64:
        fits = array.min() >= -(2**31) and array.max() < 2**31
        dtype = dtypes.int32 if fits else dtypes.int64
    return _from_numpy(array, dtype)


def _string_array(value: Any) -> np.ndarray:
    if isinstance(value, (str, bytes)):
        return encode_strings(np.array(value, object))
    array = np.array(value, object)
    for item in array.reshape(-1):
        if isinstance(item, (list, tuple)):
            raise ValueError(_RAGGED)
    return encode_strings(array)


def _out_of_range() -> ValueError:
    return ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")


def _source_dtype(leaves: list[Any], requested: DType | None) -> DType:
    """Return the default dtype of Python values."""
    if not leaves:
        return dtypes.float32
    first = leaves[0]
    if requested is dtypes.complex128 and isinstance(first, _REAL):
        return _infer_complex(first, leaves)
    for kinds, infer in _FAMILIES:
        if isinstance(first, kinds):
            return infer(first, leaves)
    if isinstance(first, Tensor):
        raise TypeError("A tensor inside this value cannot be converted here.")
    raise _unsupported(first)


def _mixed(leaves: list[Any], allowed: Any) -> None:
    for leaf in leaves:
        if not isinstance(leaf, allowed):
            if isinstance(leaf, _ALL_KINDS):
                raise UnsupportedValue("Can't convert Python sequence with mixed types to Tensor.")
            raise _unsupported(leaf)


def _infer_bool(first: Any, leaves: list[Any]) -> DType:
    _mixed(leaves, (bool, np.bool_))
    return dtypes.bool


def _infer_int(first: Any, leaves: list[Any]) -> DType:
    if any(isinstance(leaf, (float, np.floating)) for leaf in leaves):
        return _infer_float(1.0, leaves)
    _mixed(leaves, (int, bool, np.integer, np.bool_))
    low, high = min(leaves), max(leaves)
    if low < -(2**63) or high >= 2**63:
        return dtypes.uint64  # the caller must have requested it, or floats
    return dtypes.int32 if low >= -(2**31) and high < 2**31 else dtypes.int64


def _infer_float(first: Any, leaves: list[Any]) -> DType:
    _mixed(leaves, (float, int, bool, np.floating, np.integer, np.bool_))
    if isinstance(first, np.float64):
        return dtypes.float64
    if isinstance(first, np.generic):
        return FROM_NUMPY[first.dtype]
    return dtypes.float32


def _check_fits_float32(leaves: list[Any]) -> None:
    if any(_FLOAT32_MAX < abs(leaf) < float("inf") for leaf in leaves):
        raise ValueError(
            "Can't convert Python sequence with a value out of range for a float32: "
            "ask for dtype=tf.float64."
        )


def _infer_complex(first: Any, leaves: list[Any]) -> DType:
    _mixed(leaves, (complex, float, int, np.number))
    return dtypes.complex128


def _infer_string(first: Any, leaves: list[Any]) -> DType:
    _mixed(leaves, (str, bytes))
    return dtypes.string


_Infer = Callable[[Any, list[Any]], DType]
_FAMILIES: tuple[tuple[Any, _Infer], ...] = (
    ((bool, np.bool_), _infer_bool),
    ((int, np.integer), _infer_int),
    ((float, np.floating), _infer_float),
    ((complex, np.complexfloating), _infer_complex),
    ((str, bytes), _infer_string),
)
_REAL = (int, float, np.integer, np.floating)
_ALL_KINDS = (bool, int, float, complex, str, bytes, np.generic)


def _check_castable(value: Any, source: DType, target: DType) -> None:
    """Check that Python values are only promoted: bool and int to float, float to complex."""
    ok = (
        source is target
        or (source.is_integer and target not in (dtypes.bool, dtypes.string))
        or (source is dtypes.bool and target is not dtypes.string)
        or (source.is_floating and (target.is_floating or target.is_complex))
        or (source.is_complex and target.is_complex)
    )
    if not ok and isinstance(value, (list, tuple)) and not _leaves(value):
        ok = True
    if not ok:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {target.name}")
