"""`tf.signal`: discrete and modified discrete cosine transforms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.signal.frames import frame, overlap_and_add
from tapeflow._src.api.signal.transforms import irfft, rfft
from tapeflow._src.api.signal.windows import vorbis_window
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    expand_dims,
    pack,
    pad,
    range_,
    scalar_int,
    shape_of,
    split,
    static_ints,
    zeros_like,
)
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.array.transpose import reverse_v2
from tapeflow._src.ops.math.arithmetic import mul, neg, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.complex_parts import complex_, real
from tapeflow._src.ops.math.elementwise import rsqrt, scalar
from tapeflow._src.ops.math.trigonometry import cos, sin

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
_COMPLEX_OF = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}


@scoped("dct")
def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the discrete cosine transform (DCT) of type I, II, III or IV over the last axis.

    Args:
        input: Real signals, float32 or float64, along the last axis.
        type: The type of the transform, 1 to 4.
        n: The length to truncate or zero-pad signals to.
        axis: -1.
        norm: None or "ortho", which makes the transform orthonormal (not for type 1).
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `input`, with `n` elements in the last axis.

    Raises:
        ValueError: An argument is none of these.
        NotImplementedError: `axis` is not -1.

    Example:

        >>> tf.signal.dct([1.0, 1.0, 1.0, 1.0]).numpy().round(3).tolist()
        [8.0, -0.0, 0.0, 0.0]
    """
    data = dispatch.convert(input)
    _check(data, type, n, axis, norm)
    data = _fitted(data, n)
    size = last_size(data)
    if type == 1:
        mirrored = get_item(data, (..., slice(-2, 0, -1)))
        return _real(rfft(concat_v2([data, mirrored], _last(data))))
    if type == 2:
        return _second(data, size, norm)
    if type == 3:
        return _third(data, size, norm)
    odd = get_item(_of_twice_as_many(data, size), (..., slice(1, None, 2)))
    if norm is None:
        return odd
    return mul(odd, mul(rsqrt(cast(size, DstT=odd.dtype)), scalar(math.sqrt(0.5), odd)))


def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the inverse DCT; up to a factor of `2 n`, unless `norm` is "ortho".

    Args:
        input: Real signals, float32 or float64, along the last axis.
        type: The type of the transform, 1 to 4.
        n: The length to truncate or zero-pad signals to.
        axis: -1.
        norm: None or "ortho", which makes the transform orthonormal (not for type 1).
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `input`.

    Raises:
        ValueError: An argument is none of these.
        NotImplementedError: `axis` is not -1.

    Example:

        >>> spectrum = tf.signal.dct([1.0, 2.0, 3.0], norm="ortho")
        >>> tf.signal.idct(spectrum, norm="ortho").numpy().round(3).tolist()
        [1.0, 2.0, 3.0]
    """
    _check(dispatch.convert(input), type, n, axis, norm)
    return dct(input, _INVERSE[type], n, axis, norm, name)


def _real(tensor: Any) -> Any:
    return real(tensor, Tout=tensor.dtype.real_dtype)


def _check(data: Any, type: int, n: int | None, axis: int, norm: str | None) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and not hasattr(n, "dtype") and n < 1:
        raise ValueError(f"n must be None or at least 1, received {n}.")
    if type not in _INVERSE:
        raise ValueError(f"type must be 1, 2, 3 or 4, received {type!r}.")
    if norm not in (None, "ortho"):
        raise ValueError(f"norm must be None or 'ortho', received {norm!r}.")
    if type == 1:
        if norm == "ortho":
            raise ValueError(
                "type=1 has no orthonormal form: pass norm=None, received norm='ortho'."
            )
        if data.shape[-1] is not None and data.shape[-1] < 2:
            raise ValueError(f"type=1 needs a last axis of at least 2, received {data.shape[-1]}.")


def _last(data: Any) -> Any:
    return scalar_int(len(data.shape) - 1)


def last_size(data: Any) -> Any:
    """Return the size of the last axis as a tensor."""
    static_size = data.shape[-1]
    return get_item(shape_of(data), -1) if static_size is None else scalar_int(static_size)


def _fitted(data: Any, n: int | None) -> Any:
    """Truncate or zero-pad `data` to `n` samples."""
    if n is None:
        return data
    data = get_item(data, (..., slice(None, n)))
    size = data.shape[-1]
    if size == n:
        return data
    before = [[0, 0]] * (len(data.shape) - 1)
    if size is not None:
        return pad(data, [*before, [0, n - size]])
    missing = sub(dispatch.convert(n, dtypes.int32), last_size(data))
    last = expand_dims(pack([scalar_int(0), missing]), scalar_int(0))
    rest = dispatch.convert(np.reshape(before, (-1, 2)).astype(np.int32))
    return pad(data, concat_v2([rest, last], scalar_int(0)))


def _twiddle_factors(size: Any, dtype: Any, sign: int) -> Any:
    """Compute twice the twiddle factors of half a sample for each frequency."""
    numbers = cast(range_(scalar_int(0), size, scalar_int(1)), DstT=dtype)
    angle = real_div(mul(numbers, scalar(sign * math.pi / 2, numbers)), cast(size, DstT=dtype))
    two = scalar(2, angle)
    return complex_(mul(two, cos(angle)), mul(two, sin(angle)), Tout=_COMPLEX_OF[dtype])


def _doubled_length(size: Any) -> Any:
    return expand_dims(mul(size, scalar(2, size)), scalar_int(0))


def _second(data: Any, size: Any, norm: str | None) -> Any:
    """Compute the DCT-II of `data`, zero-padded to `size`."""
    half = get_item(rfft(data, _doubled_length(size)), (..., slice(None, size)))
    result = _real(mul(half, _twiddle_factors(size, data.dtype, -1)))
    if norm is None:
        return result
    return mul(result, _orthonormal(size, data.dtype, 0.25, 0.5))


@scoped("dct")
def _of_twice_as_many(data: TensorLike, size: Any) -> Any:
    """Compute the DCT-II of `data`, zero-padded to twice its size."""
    return _second(data, mul(size, scalar(2, size)), None)


def _third(data: Any, size: Any, norm: str | None) -> Any:
    """Compute the DCT-III."""
    count = cast(size, DstT=data.dtype)
    if norm is None:
        data = mul(data, count)
    else:
        data = mul(data, mul(_orthonormal(size, data.dtype, 1.0, 0.5), count))
    turned = mul(
        _twiddle_factors(size, data.dtype, 1),
        complex_(data, zeros_like(data), Tout=_COMPLEX_OF[data.dtype]),
    )
    return get_item(irfft(turned, _doubled_length(size)), (..., slice(None, size)))


def _orthonormal(size: Any, dtype: DTypeLike, first: float, others: float) -> Any:
    """Compute the orthonormal scale of each frequency, the first one apart."""
    number = range_(scalar_int(0), size, scalar_int(1))
    share = select_v2(
        equal(number, scalar(0, number)),
        dispatch.convert(math.sqrt(first), dtype),
        dispatch.convert(math.sqrt(others), dtype),
    )
    return mul(share, rsqrt(cast(size, DstT=dtype)))


# -- of frames ---------------------------------------------------------------------------------


@scoped("mdct")
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the MDCT (modified discrete cosine transform) of frames that overlap by half.

    Args:
        signals: Real signals along the last axis.
        frame_length: The length of a frame, a multiple of 4.
        window_fn: A window function; None for a rectangular window.
        pad_end: Whether to zero-pad the end to a full frame.
        norm: None or "ortho".
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[..., frames, frame_length // 2]`.

    Raises:
        ValueError: `frame_length` is not a multiple of 4.

    Example:

        >>> tf.signal.mdct(tf.ones((32,)), frame_length=8).shape
        TensorShape([7, 4])
    """
    signals = dispatch.convert(signals)
    signals.shape.with_rank_at_least(1)
    length = dispatch.convert(frame_length, dtypes.int32).static_value
    if length is None:
        raise ValueError("frame_length must be known when a function is traced.")
    length = int(length)
    if length % 4:
        raise ValueError(f"frame_length must be divisible by 4, received {length}.")
    frames = frame(signals, length, length // 2, pad_end)
    frames = mul(frames, _window(window_fn, length, frames))
    a, b, c, d = split(_last(frames), frames, num_split=4)
    folded = concat_v2([sub(neg(_reversed(c)), d), sub(a, _reversed(b))], _last(frames))
    return dct(folded, 4, norm=norm)


@scoped("inverse_mdct")
def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the inverse MDCT; the first and last half frame are not reconstructed.

    Args:
        mdcts: `[..., frames, frame_length // 2]`.
        window_fn: The window function of `mdct`; None for a rectangular window.
        norm: The `norm` of `mdct`.
        name: Name of the op in a graph.

    Returns:
        Real signals `[..., samples]`.

    Example:

        >>> x = tf.range(16.0)
        >>> restored = tf.signal.inverse_mdct(tf.signal.mdct(x, 8))
        >>> restored[4:-4].numpy().round(2).tolist()
        [4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]
    """
    mdcts = dispatch.convert(mdcts)
    mdcts.shape.with_rank_at_least(2)
    half = last_size(mdcts)
    folded = dct(mdcts, 4, norm=norm)
    if norm is None:
        folded = mul(folded, real_div(scalar(0.5, folded), cast(half, DstT=folded.dtype)))
    first, second = split(_last(folded), folded, num_split=2)
    parts = [second, neg(_reversed(second)), neg(_reversed(first)), neg(first)]
    frames = concat_v2(parts, _last(folded))
    frames = mul(frames, _window(window_fn, mul(half, scalar(2, half)), frames))
    return overlap_and_add(frames, half)


def _window(window_fn: Callable[..., Any] | None, length: Any, frames: Any) -> Any:
    """Return the window weights: half of the power for each of the two frames of a sample."""
    if window_fn is None:
        return scalar(math.sqrt(0.5), frames)
    return window_fn(length, dtype=frames.dtype)


def _reversed(data: TensorLike) -> Any:
    return reverse_v2(data, static_ints((-1,)))
