"""The `xp` of eager and interpreted execution: NumPy, adjusted where TF differs.

Everything defined below has a twin of the same name in `backends.jax`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tapeflow._src.backends import numpy_groups as groups  # noqa: F401
from tapeflow._src.backends import numpy_linalg
from tapeflow._src.backends import numpy_replicas as replicas  # noqa: F401
from tapeflow._src.backends.numpy_conv import conv as conv
from tapeflow._src.backends.numpy_conv import conv_filter_gradient as conv_filter_gradient
from tapeflow._src.backends.numpy_conv import conv_input_gradient as conv_input_gradient
from tapeflow._src.backends.numpy_norm import batch_norm as batch_norm
from tapeflow._src.backends.numpy_norm import batch_norm_add_relu as batch_norm_add_relu
from tapeflow._src.backends.numpy_norm import batch_norm_gradient as batch_norm_gradient
from tapeflow._src.backends.numpy_norm import batch_norm_relu as batch_norm_relu
from tapeflow._src.backends.numpy_norm import batch_norm_relu_gradient as batch_norm_relu_gradient
from tapeflow._src.backends.numpy_pool import avg_pool as avg_pool
from tapeflow._src.backends.numpy_pool import avg_pool_gradient as avg_pool_gradient
from tapeflow._src.backends.numpy_pool import max_pool as max_pool
from tapeflow._src.backends.numpy_pool import max_pool_gradient as max_pool_gradient
from tapeflow._src.backends.numpy_pool import max_pool_pick as max_pool_pick
from tapeflow._src.backends.numpy_scan import scan as scan
from tapeflow._src.backends.numpy_scan import vjp as vjp
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.types import Array

# All of NumPy but the submodules that it loads lazily (`import *` would load them: 100 ms).
globals().update({key: vars(np)[key] for key in np.__all__ if key in vars(np)})

name = "numpy"
linalg = numpy_linalg
fft = LazyModule("tapeflow._src.backends.numpy_fft", "Fourier transforms")
special = LazyModule("tapeflow._src.backends.numpy_special", "special functions such as erf")

try:
    # Entering `np.errstate` costs more than a small addition. It only sets this context variable.
    from numpy._core.umath import _extobj_contextvar, _make_extobj

    QUIET: Any = _make_extobj(all="ignore")
    set_errors: Callable[[Any], Any] = _extobj_contextvar.set
    unsilence: Callable[[Any], Any] = _extobj_contextvar.reset
except ImportError:
    QUIET = None

    def set_errors(handling: Any) -> Any:
        state = np.errstate(all="ignore")
        state.__enter__()
        return state

    def unsilence(token: Any) -> None:
        token.__exit__(None, None, None)


# Silences NumPy's floating-point warnings, and returns the argument of `unsilence`.
silence: Callable[[], Any] = partial(set_errors, QUIET)


def require(ok: Any, message: str | Callable[[], str]) -> None:
    """Raise InvalidArgumentError unless `ok`. Compiled code returns the failure as a flag."""
    if not ok:
        text = message if isinstance(message, str) else message()
        raise InvalidArgumentError(None, None, text)


def cast(array: Array, dtype: np.dtype[Any]) -> Any:
    """Compute `array.astype(dtype)`: complex to its real part, floats to integers by truncation.

    Floats out of an integer's range, and NaN, convert as on x86, as in TF: to the most negative
    int32 or int64, of which the narrower and the unsigned types then take the lowest bits.
    """
    kind = array.dtype.kind
    if kind == "V" and array.dtype.fields:
        return cast(array.view(array.dtype[0]), dtype)
    if dtype.fields:
        return cast(array, dtype[0]).view(dtype)
    if kind == "c" and dtype.kind != "c":
        array, kind = array.real, "f"
    if kind in "fV" and dtype in _NARROWED:
        # NumPy's own result differs between its scalar and its vector loops.
        if dtype == np.uint64:
            return np.where(array < 2.0**64, array.astype(dtype), np.uint64(2**63))
        array = array.astype(_NARROWED[dtype])
    return array.astype(dtype)


_NARROWED = {
    np.dtype(np.int8): np.int32,
    np.dtype(np.uint8): np.int32,
    np.dtype(np.int16): np.int32,
    np.dtype(np.uint16): np.int32,
    np.dtype(np.uint32): np.int64,
    np.dtype(np.uint64): np.int64,
}


def make_complex(real: Any, imag: Any) -> np.ndarray:
    """Return complex numbers of these parts, which may be infinite or NaN."""
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, 1j))
    result.real = real
    result.imag = imag
    return result


def where(condition: Any, *choices: Any) -> Any:
    """Compute `np.where`; many elements without a branch for each, by their bits."""
    if len(choices) == 2 and type(condition) is np.ndarray and condition.size >= _MANY:
        dtype = np.result_type(*choices)
        bits = _BITS.get(dtype.itemsize)
        if bits is not None and condition.dtype == bool and not dtype.hasobject:
            chosen, other = [np.asarray(choice, dtype).view(bits) for choice in choices]
            mask = condition.astype(bits)
            np.negative(mask, out=mask)
            difference = mask & (chosen ^ other)
            return (difference ^ other).view(dtype)
    return np.where(condition, *choices)


# Elements from which on the branches of `np.where` take longer than four operations.
_MANY = 1024
_BITS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def expm1(x: Array) -> Any:
    """Compute `exp(x) - 1`; real where `x` is."""
    result = np.expm1(x)
    if result.dtype.kind == "c":
        # NumPy multiplies an infinite exponential by the sine of zero.
        result.imag = np.where(x.imag == 0, x.imag, result.imag)
    return result


def log1p(x: Array) -> Any:
    """Compute the natural logarithm of `1 + x`: NumPy's own adds 1 to a complex number first."""
    if x.dtype.kind != "c":
        return np.log1p(x)
    real, imag = x.real, x.imag
    small = np.maximum(np.abs(real), np.abs(imag)) < _SMALL
    near = np.where(small, real * (real + 2) + imag * imag, 0)
    far = np.log(1 + x).real
    return make_complex(np.where(small, np.log1p(near) / 2, far), np.arctan2(imag, 1 + real))


# Below this argument, the squared modulus of `1 + x` is computed minus 1.
_SMALL = 0.5


def bitcast(array: Array, dtype: np.dtype[Any]) -> np.ndarray:
    """Reinterpret the bits of `array` as `dtype`; the last axis absorbs a change of size."""
    itemsize, target_itemsize = array.dtype.itemsize, dtype.itemsize
    array = np.ascontiguousarray(array).reshape(array.shape)
    if itemsize > target_itemsize:
        return array.reshape(*array.shape, 1).view(dtype)
    return (
        array.view(dtype)
        if itemsize == target_itemsize
        else array.view(dtype).reshape(array.shape[:-1])
    )


def index_set(array: Array, key: Any, values: Array) -> np.ndarray:
    """Return a copy of `array` with `array[key] = values`."""
    result = array.copy()
    result[key] = values
    return result


def _ufunc_at(ufunc: np.ufunc, array: Array, key: Any, values: Array) -> np.ndarray:
    result = array.copy()
    if array.ndim > 1 and isinstance(key, np.ndarray) and key.ndim == 1 and key.dtype.kind in "iu":
        if key.size and np.bincount(key).max() == 1:
            # No row is repeated, so that they can all be written at once.
            result[key] = ufunc(result[key], values)
            return result
        # On flat arrays `ufunc.at` has fast loops, on rows it has none: 5 to 9 times slower.
        width = math.prod(array.shape[1:])
        flat_indices = (key.astype(np.intp)[:, None] * width + np.arange(width)).reshape(-1)
        rows = np.broadcast_to(values, (len(key), *array.shape[1:]))
        ufunc.at(result.reshape(-1), flat_indices, rows.reshape(-1))
    else:
        ufunc.at(result, key, values)
    return result


def index_add(array: Array, key: Any, values: Array) -> np.ndarray:
    """Return a copy of `array` with `values` added at `key`, accumulating repeated indices."""
    return _ufunc_at(np.add, array, key, values)


def index_max(array: Array, key: Any, values: Array) -> np.ndarray:
    """Return a copy of `array` with the maximum of it and `values` at `key`."""
    return _ufunc_at(np.maximum, array, key, values)


def index_min(array: Array, key: Any, values: Array) -> np.ndarray:
    """Return a copy of `array` with the minimum of it and `values` at `key`."""
    return _ufunc_at(np.minimum, array, key, values)
