"""Fourier transforms over the last one, two or three axes, or over given axes.

A real transform has the first `n // 2 + 1` frequencies along its last axis: the others are their
conjugates. Lengths smaller than the input's cut it off.
"""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import on_first, on_values
from tapeflow._src.core.dtypes import COMPLEX, as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import Shape, allowed_dtype, require_rank, require_rank_at_least
from tapeflow._src.core.registry import UNREGISTERED, InferError, Op, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import (
    concat_v2,
    pack,
    pad,
    range_,
    scalar_int,
    shape_of,
    zeros_like,
)
from tapeflow._src.ops.array.shape import static_ints
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.math.arithmetic import mul, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.complex_parts import real
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.logical import logical_or
from tapeflow._src.ops.math.product import prod

_REAL = frozenset({dtypes.float32, dtypes.float64})
# NumPy would try transforms of any length, for hours if need be.
_MOST_ELEMENTS = 2**28
_COMPLEX_OF = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}


# -- of complex numbers ------------------------------------------------------------------------


def _infer_same(rank: int) -> Any:
    def rule(op: Op, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        require_rank_at_least(specs[0], rank, "input")
        return Spec(specs[0].shape, specs[0].dtype)

    return rule


def _transform_axes(transform: Any, x: Any, axes: Any, sizes: Any) -> Any:
    """Transform along several axes, one after the other."""
    for size, axis in zip(sizes, axes):
        x = transform(x, size, int(axis))
    return x


def _elements(tensor: Any, rank: int) -> Any:
    """Return the number of elements in the last axes of a complex tensor, in its dtype."""
    sizes = shape_of(tensor)
    last = strided_slice(
        sizes, static_ints((-rank,)), static_ints((0,)), static_ints((1,)), end_mask=1
    )
    return cast(prod(last, static_ints((0,))), DstT=tensor.dtype)


def _declare_complex(suffix: str, rank: int) -> tuple[Op, Op]:
    """Declare the transform over the last `rank` axes, and its inverse."""
    last = tuple(range(-rank, 0))

    @op(f"FFT{suffix}", infer=_infer_same(rank), dtypes=COMPLEX, checked=True, batch=on_values)
    def forward(xp, input):
        return xp.fft.fftn(input, axes=last) if input.size else input

    @op(f"IFFT{suffix}", infer=_infer_same(rank), dtypes=COMPLEX, checked=True, batch=on_values)
    def inverse(xp, input):
        return xp.fft.ifftn(input, axes=last) if input.size else input

    @forward.gradient
    def _(dz):
        return mul(inverse(dz), _elements(dz, rank))

    @inverse.gradient
    def _(dz):
        return real_div(forward(dz), _elements(dz, rank))

    return forward, inverse


fft, ifft = _declare_complex("", 1)
fft2d, ifft2d = _declare_complex("2D", 2)
fft3d, ifft3d = _declare_complex("3D", 3)

_FORWARD = {1: fft, 2: fft2d, 3: fft3d}
_INVERSE = {1: ifft, 2: ifft2d, 3: ifft3d}


# -- of real numbers ---------------------------------------------------------------------------


def _half(n: int) -> int:
    return n // 2 + 1 if n else 0


def _lengths(fft_length: Spec, rank: int) -> list[int | None]:
    """Return the requested lengths if they are static."""
    require_rank(fft_length, 1, "fft_length")
    if fft_length.shape is not None and fft_length.shape[0] not in (None, rank):
        raise InferError(f"fft_length must have shape [{rank}], got {fmt_shape(fft_length.shape)}")
    if fft_length.value is None:
        return [None] * rank
    lengths = [int(n) for n in fft_length.value]
    if any(n < 0 for n in lengths):
        raise InferError(f"fft_length must be >= 0, got {lengths}")
    return list(lengths)


def _replace_last(shape: Shape, sizes: list[int | None], needed: list[int | None]) -> Shape:
    """Return `shape` with other last sizes; the original ones must be large enough."""
    if shape is None:
        return None
    rank = len(sizes)
    for axis, (size, least) in enumerate(zip(shape[-rank:], needed, strict=True)):
        if size is not None and least is not None and size < least and size:
            raise InferError(
                f"Input dimension {len(shape) - rank + axis} must have length of at least {least} "
                f"but got: {size}"
            )
    return (*shape[:-rank], *sizes)


def _declare_real(suffix: str, rank: int) -> tuple[Op, Op]:
    """Declare the transform of real numbers over the last `rank` axes, and its inverse."""

    @op(f"RFFT{suffix}", dtypes=_REAL, checked=True, batch=on_first)
    def forward(xp, input, fft_length: Static, *, Tcomplex=dtypes.complex64):
        sizes = fft_length.tolist()
        if 0 in sizes or not input.size:
            shape = (*input.shape[:-rank], *sizes[:-1], _half(sizes[-1]))
            return xp.zeros(shape, as_dtype(Tcomplex).np)
        half = xp.fft.rfft(input, sizes[-1], -1)
        whole = _transform_axes(xp.fft.fft, half, range(-rank, -1), sizes)
        return whole.astype(as_dtype(Tcomplex).np)

    @forward.infer
    def _(input, fft_length, *, Tcomplex):
        require_rank_at_least(input, rank, "input")
        sizes = _lengths(fft_length, rank)
        halved = [*sizes[:-1], None if sizes[-1] is None else _half(sizes[-1])]
        dtype = allowed_dtype("Tcomplex", Tcomplex, COMPLEX)
        return Spec(_replace_last(input.shape, halved, sizes), dtype)

    @op(f"IRFFT{suffix}", dtypes=COMPLEX, checked=True, batch=on_first)
    def inverse(xp, input, fft_length: Static, *, Treal=dtypes.float32):
        sizes = fft_length.tolist()
        if 0 in sizes or not input.size:
            return xp.zeros((*input.shape[:-rank], *sizes), as_dtype(Treal).np)
        whole = _transform_axes(xp.fft.ifft, input, range(-rank, -1), sizes)
        return xp.fft.irfft(whole, sizes[-1], -1).astype(as_dtype(Treal).np)

    @inverse.infer
    def _(input, fft_length, *, Treal):
        require_rank_at_least(input, rank, "input")
        sizes = _lengths(fft_length, rank)
        needed = [*sizes[:-1], None if sizes[-1] is None else _half(sizes[-1])]
        dtype = allowed_dtype("Treal", Treal, _REAL)
        return Spec(_replace_last(input.shape, sizes, needed), dtype)

    _declare_real_gradients(forward, inverse, rank)
    return forward, inverse


def _declare_real_gradients(forward: Op, inverse: Op, rank: int) -> None:
    @forward.gradient
    def _(dz, *, shape_of_input, fft_length, dtype_of_input):
        # Half of the frequencies came out, and the real part went in.
        whole = _padded(dz, _with_last(shape_of(dz), fft_length))
        back = mul(_INVERSE[rank](whole), _elements(whole, rank))
        return _padded(real(back, Tout=dtype_of_input), shape_of_input)

    @inverse.gradient
    def _(dz, *, shape_of_input, fft_length, dtype_of_input):
        frequencies = forward(dz, fft_length, Tcomplex=dtype_of_input)
        count = cast(prod(fft_length, static_ints((0,))), DstT=dtype_of_input)
        weighted = real_div(mul(frequencies, _weights(frequencies, fft_length)), count)
        return _padded(weighted, shape_of_input)


def _with_last(sizes: Any, fft_length: Any) -> Any:
    """Return `sizes` with the last of the lengths as its last element."""
    first, last, step = static_ints((0,)), static_ints((-1,)), static_ints((1,))
    length = strided_slice(cast(fft_length, DstT=sizes.dtype), last, first, step, end_mask=1)
    return concat_v2([strided_slice(sizes, first, last, step), length], scalar_int(0))


def _padded(tensor: Any, sizes: Any) -> Any:
    """Zero-pad `tensor` to those sizes."""
    shape = shape_of(tensor)
    after = sub(cast(sizes, DstT=shape.dtype), shape)
    return pad(tensor, pack([zeros_like(after), after], axis=1))


def _last_of(vector: Any) -> Any:
    """Return the last element of a vector."""
    at, end, step = static_ints((-1,)), static_ints((0,)), static_ints((1,))
    return strided_slice(vector, at, end, step, end_mask=1, shrink_axis_mask=1)


def _weights(frequencies: Any, fft_length: Any) -> Any:
    """Return the multiplicity of each frequency: 2, or 1 for those that are their own conjugate."""
    numbers = range_(scalar_int(0), _last_of(shape_of(frequencies)), scalar_int(1))
    last = _last_of(fft_length)
    twice = mul(numbers, scalar(2, numbers))
    alone = logical_or(
        equal(numbers, scalar(0, numbers)), equal(twice, cast(last, DstT=numbers.dtype))
    )
    return cast(sub(scalar(2, numbers), cast(alone, DstT=numbers.dtype)), DstT=frequencies.dtype)


rfft, irfft = _declare_real("", 1)
rfft2d, irfft2d = _declare_real("2D", 2)
rfft3d, irfft3d = _declare_real("3D", 3)


# -- over any axes -----------------------------------------------------------------------------


def _infer_nd(kind: str) -> Any:
    def rule(op: Op, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        data, fft_length, axes = specs
        dtype = data.dtype
        if kind == "real":
            dtype = allowed_dtype("Tcomplex", attrs["Tcomplex"], COMPLEX)
        elif kind == "to real":
            dtype = allowed_dtype("Treal", attrs["Treal"], _REAL)
        require_rank(fft_length, 1, "fft_length")
        require_rank(axes, 1, "axes")
        if data.shape is None or fft_length.value is None or axes.value is None:
            return Spec(data.shape and (None,) * len(data.shape), dtype)
        rank = len(data.shape)
        if math.prod(int(n) for n in fft_length.value) > _MOST_ELEMENTS:
            raise InferError(f"fft_length {fft_length.value.tolist()} does not fit in memory")
        if len(axes.value) != len(fft_length.value):
            raise InferError(
                f"axes must have the same length as fft_length, got {len(axes.value)} and "
                f"{len(fft_length.value)}"
            )
        dims = list(data.shape)
        for axis, size in zip(axes.value.tolist(), fft_length.value.tolist(), strict=True):
            if not -rank <= axis < rank:
                raise InferError(f"axes must be in [{-rank}, {rank}), got {axis}")
            dims[axis] = size
        if kind == "real" and len(axes.value):
            dims[int(axes.value[-1])] = _half(int(fft_length.value[-1]))
        return Spec(tuple(dims), dtype)

    return rule


@op("FFTND", infer=_infer_nd("complex"), dtypes=COMPLEX, grad=UNREGISTERED, checked=True)
def fftnd(xp, input, fft_length: Static, axes: Static):
    """Compute the discrete Fourier transform over some axes."""
    return _transform_axes(xp.fft.fft, input, axes, fft_length.tolist())


@op("IFFTND", infer=_infer_nd("complex"), dtypes=COMPLEX, grad=UNREGISTERED, checked=True)
def ifftnd(xp, input, fft_length: Static, axes: Static):
    """Compute the inverse discrete Fourier transform over some axes."""
    return _transform_axes(xp.fft.ifft, input, axes, fft_length.tolist())


@op("RFFTND", infer=_infer_nd("real"), dtypes=_REAL, grad=UNREGISTERED, checked=True)
def rfftnd(xp, input, fft_length: Static, axes: Static, *, Tcomplex=dtypes.complex64):
    """Compute the transform of real numbers over some axes, of which the last is halved."""
    sizes = fft_length.tolist()
    half = xp.fft.rfft(input, sizes[-1], int(axes[-1]))
    return _transform_axes(xp.fft.fft, half, axes[:-1], sizes).astype(as_dtype(Tcomplex).np)


@op("IRFFTND", infer=_infer_nd("to real"), dtypes=COMPLEX, grad=UNREGISTERED, checked=True)
def irfftnd(xp, input, fft_length: Static, axes: Static, *, Treal=dtypes.float32):
    """Compute the inverse of the transform of real numbers over some axes."""
    sizes = fft_length.tolist()
    whole = _transform_axes(xp.fft.ifft, input, axes[:-1], sizes)
    return xp.fft.irfft(whole, sizes[-1], int(axes[-1])).astype(as_dtype(Treal).np)
