"""The `xp` of compiled execution: jax.numpy, made to agree with `backends.numpy`.

Imported only when something is compiled, never by `import tapeflow`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax as lax
from jax.numpy import *  # noqa: F403
from jax.numpy import fft as fft

from tapeflow._src.backends import jax_circular, jax_complex, jax_single
from tapeflow._src.backends import jax_groups as groups  # noqa: F401
from tapeflow._src.backends import jax_linalg as linalg  # noqa: F401
from tapeflow._src.backends import jax_lists as lists  # noqa: F401
from tapeflow._src.backends import jax_replicas as replicas  # noqa: F401
from tapeflow._src.backends import jax_special as special  # noqa: F401
from tapeflow._src.backends.jax_complex import abs as abs
from tapeflow._src.backends.jax_complex import arccosh as arccosh
from tapeflow._src.backends.jax_complex import arcsinh as arcsinh
from tapeflow._src.backends.jax_complex import cosh as cosh
from tapeflow._src.backends.jax_complex import cumprod as cumprod
from tapeflow._src.backends.jax_complex import divide as divide
from tapeflow._src.backends.jax_complex import exp as exp
from tapeflow._src.backends.jax_complex import log as log
from tapeflow._src.backends.jax_complex import power as power
from tapeflow._src.backends.jax_complex import sign as sign
from tapeflow._src.backends.jax_complex import sinh as sinh
from tapeflow._src.backends.jax_complex import sqrt as sqrt
from tapeflow._src.backends.jax_complex import tanh as tanh
from tapeflow._src.backends.jax_conv import conv as conv
from tapeflow._src.backends.jax_conv import conv_filter_gradient as conv_filter_gradient
from tapeflow._src.backends.jax_conv import conv_input_gradient as conv_input_gradient
from tapeflow._src.backends.jax_flags import collect_failures as collect_failures
from tapeflow._src.backends.jax_flags import require as require
from tapeflow._src.backends.jax_norm import batch_norm as batch_norm
from tapeflow._src.backends.jax_norm import batch_norm_add_relu as batch_norm_add_relu
from tapeflow._src.backends.jax_norm import batch_norm_gradient as batch_norm_gradient
from tapeflow._src.backends.jax_norm import batch_norm_relu as batch_norm_relu
from tapeflow._src.backends.jax_norm import batch_norm_relu_gradient as batch_norm_relu_gradient
from tapeflow._src.backends.jax_pool import avg_pool as avg_pool
from tapeflow._src.backends.jax_pool import avg_pool_gradient as avg_pool_gradient
from tapeflow._src.backends.jax_pool import max_pool as max_pool
from tapeflow._src.backends.jax_pool import max_pool_gradient as max_pool_gradient
from tapeflow._src.backends.jax_pool import max_pool_pick as max_pool_pick
from tapeflow._src.backends.jax_scan import scan as scan
from tapeflow._src.backends.jax_sums import product as prod  # type: ignore[assignment]  # noqa: F401
from tapeflow._src.backends.jax_sums import total as sum  # type: ignore[assignment]  # noqa: F401
from tapeflow._src.core.types import Array

name = "jax"


def cast(array: Array, dtype: np.dtype[Any]) -> Any:
    """Convert like the NumPy backend: XLA's own casts saturate."""
    array = jax.numpy.asarray(array)
    if array.dtype.kind == "c" and dtype.kind != "c":
        array = array.real
    if jax.numpy.issubdtype(array.dtype, jax.numpy.floating) and dtype.kind in "iu":
        wide = np.dtype(_WIDE.get(dtype, dtype))
        edge = 2.0 ** (8 * wide.itemsize - 1)
        inside = (array >= -edge) & (array < edge)
        whole = jax.numpy.where(inside, array.astype(wide), np.iinfo(wide).min)
        if dtype == np.uint64:
            high = (array >= edge) & (array < 2 * edge)
            return jax.numpy.where(high, array.astype(dtype), whole.astype(dtype))
        return whole.astype(dtype)
    return array.astype(dtype)


_WIDE = {
    np.dtype(np.int8): np.int32,
    np.dtype(np.uint8): np.int32,
    np.dtype(np.int16): np.int32,
    np.dtype(np.uint16): np.int32,
    np.dtype(np.uint32): np.int64,
    np.dtype(np.uint64): np.int64,
}


def arcsin(x: Array) -> Any:  # type: ignore[no-redef]
    """Compute the inverse sine: XLA halves the argument, and so flushes the smallest normal
    numbers.
    """
    if jax_single.is_single(x):
        return jax_single.arcsin(x)
    result = jax_complex.arcsin(x)
    if result.dtype.kind == "c":
        return result
    small = jax.numpy.abs(x) < jax.numpy.sqrt(jax.numpy.finfo(result.dtype).eps)
    return jax.numpy.where(small, x, result)


def arctan2(y: Array, x: Array) -> Any:  # type: ignore[no-redef]
    """Compute the angle of `(x, y)`: XLA returns NaN for subnormal numbers, which it partly
    flushes.
    """
    y, x = _flushed(y), _flushed(x)
    return (jax_single if jax_single.is_single(y, x) else jax.numpy).arctan2(y, x)


def arccos(x: Array) -> Any:  # type: ignore[no-redef]
    """Compute the inverse cosine."""
    return (jax_single if jax_single.is_single(x) else jax_complex).arccos(x)


def arctan(x: Array) -> Any:  # type: ignore[no-redef]
    """Compute the inverse tangent."""
    return (jax_single if jax_single.is_single(x) else jax_complex).arctan(x)


def arctanh(x: Array) -> Any:  # type: ignore[no-redef]
    """Compute the inverse of the hyperbolic tangent."""
    return (jax_single if jax_single.is_single(x) else jax_complex).arctanh(x)


def sin(x: Array) -> Any:  # type: ignore[no-redef]
    """Compute the sine."""
    return (jax_circular if jax_single.is_single(x) else jax_complex).sin(x)


def cos(x: Array) -> Any:  # type: ignore[no-redef]
    """Compute the cosine."""
    return (jax_circular if jax_single.is_single(x) else jax_complex).cos(x)


def tan(x: Array) -> Any:  # type: ignore[no-redef]
    """Compute the tangent."""
    return (jax_circular if jax_single.is_single(x) else jax_complex).tan(x)


def log1p(x: Array) -> Any:  # type: ignore[no-redef]
    """Compute the natural logarithm of `1 + x`."""
    return (jax_single if jax_single.is_single(x) else jax_complex).log1p(x)


def expm1(x: Array) -> Any:  # type: ignore[no-redef]
    """Compute `exp(x) - 1`."""
    return (jax_single if jax_single.is_single(x) else jax.numpy).expm1(x)


def _flushed(array: Array) -> Any:
    array = jax.numpy.asarray(array)
    tiny = jax.numpy.finfo(array.dtype).tiny
    return jax.numpy.where(jax.numpy.abs(array) < tiny, jax.numpy.copysign(0, array), array)


def make_complex(real: Any, imag: Any) -> Any:
    """Return complex numbers of these parts, which may be infinite or NaN."""
    return lax.complex(*jax.numpy.broadcast_arrays(real, imag))


def bitcast(array: Array, dtype: np.dtype[Any]) -> Any:
    """Reinterpret the bits of `array` as `dtype`; the last axis absorbs a change of size."""
    if array.dtype.kind != "c" or dtype.kind == "c":
        return lax.bitcast_convert_type(array, dtype)
    # XLA cannot bitcast complex numbers: their real and imaginary parts are bitcast.
    parts = jax.numpy.stack([jax.numpy.real(array), jax.numpy.imag(array)], axis=-1)
    bits = lax.bitcast_convert_type(parts, dtype)
    return bits.reshape((*array.shape, -1)) if bits.ndim > array.ndim + 1 else bits


def index_set(array: Array, key: Any, values: Array) -> Any:
    """Return a copy of `array` with `array[key] = values`."""
    return jax.numpy.asarray(array).at[key].set(values)


def index_add(array: Array, key: Any, values: Array) -> Any:
    """Return a copy of `array` with `values` added at `key`, accumulating repeated indices."""
    return jax.numpy.asarray(array).at[key].add(values)


def index_max(array: Array, key: Any, values: Array) -> Any:
    """Return a copy of `array` with the maximum of it and `values` at `key`."""
    return jax.numpy.asarray(array).at[key].max(values)


def index_min(array: Array, key: Any, values: Array) -> Any:
    """Return a copy of `array` with the minimum of it and `values` at `key`."""
    return jax.numpy.asarray(array).at[key].min(values)


def vjp(
    body: Callable[..., Any],
    primals: Sequence[Any],
    cotangents: Sequence[Any],
    constants: Mapping[int, Any],
    **attrs: Any,
) -> Any:
    """Return the vector-Jacobian product of `body(xp, *inputs, **attrs)` w.r.t. `primals`.

    They are the inputs except `constants`, a mapping from input index to value.
    """

    def call(*primals: Any) -> Any:
        inputs = list(primals)
        for index in sorted(constants):
            inputs.insert(index, constants[index])
        return body(sys.modules[__name__], *inputs, **attrs)

    _, pull_back = jax.vjp(call, *primals)
    return pull_back(tuple(cotangents))
