"""`tf.signal`: short-time Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.signal.frames import frame, overlap_and_add
from tapeflow._src.api.signal.transforms import irfft, rfft
from tapeflow._src.api.signal.windows import hann_window
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.common import (
    expand_dims,
    pack,
    pad,
    reshape,
    scalar_int,
    static_ints,
    sum_,
)
from tapeflow._src.ops.array.padding import tile
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import floor_div, mul, neg, sub
from tapeflow._src.ops.math.division import div_no_nan
from tapeflow._src.ops.math.elementwise import square


@scoped("stft")
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: TensorLike | None = None,
    window_fn: Callable[..., Any] | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the short-time Fourier transform: spectra of overlapping frames.

    Args:
        signals: Real signals along the last axis.
        frame_length: The length of a frame in samples.
        frame_step: The distance between the starts of frames.
        fft_length: The length of the transform; by default the next power of 2.
        window_fn: A window function; None for a rectangular window.
        pad_end: Whether to zero-pad the end to a full frame.
        name: Name of the op in a graph.

    Returns:
        A complex tensor of shape `[..., frames, fft_length // 2 + 1]`.

    Raises:
        ValueError: `frame_length` is unknown and no `fft_length` is passed.

    Example:

        >>> tf.signal.stft(tf.ones((1, 100)), frame_length=16, frame_step=8).shape
        TensorShape([1, 11, 9])
    """
    signals = dispatch.convert(signals)
    signals.shape.with_rank_at_least(1)
    frames = frame(signals, frame_length, frame_step, pad_end)
    if window_fn is not None:
        frames = mul(frames, window_fn(frame_length, dtype=frames.dtype))
    return rfft(frames, _lengths(frame_length, fft_length))


def _lengths(frame_length: Any, fft_length: Any) -> Any:
    """Return the frame length and the transform length, by default the next power of 2."""
    if fft_length is None:
        static_length = _static_int(
            frame_length, "fft_length must be given where frame_length is not known."
        )
        fft_length = 1 << max(static_length - 1, 0).bit_length()
    return expand_dims(dispatch.convert(fft_length, dtypes.int32), scalar_int(0))


def _static_int(length: Any, otherwise: str) -> int:
    value = dispatch.convert(length, dtypes.int32).static_value
    if value is None:
        raise ValueError(otherwise)
    return int(value)


@scoped("inverse_stft")
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: TensorLike | None = None,
    window_fn: Callable[..., Any] | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Compute the inverse short-time Fourier transform.

    Args:
        stfts: `[..., frames, fft_length // 2 + 1]`, complex.
        frame_length: The length of a frame in samples.
        frame_step: The distance between the starts of frames.
        fft_length: The length of the transform; by default the next power of 2.
        window_fn: A window function: `inverse_stft_window_fn(frame_step)` yields perfect
            reconstruction. None for a rectangular window.
        name: Name of the op in a graph.

    Returns:
        Real signals `[..., samples]`.

    Raises:
        ValueError: A length is unknown.

    Example:

        >>> x = tf.range(32.0)
        >>> spectra = tf.signal.stft(x, 8, 4)
        >>> window = tf.signal.inverse_stft_window_fn(4)
        >>> tf.signal.inverse_stft(spectra, 8, 4, window_fn=window)[8:12].numpy().round(2).tolist()
        [8.0, 9.0, 10.0, 11.0]
    """
    stfts = dispatch.convert(stfts)
    stfts.shape.with_rank_at_least(2)
    lengths = _lengths(frame_length, fft_length)
    frames = irfft(stfts, lengths)
    length = dispatch.convert(frame_length, dtypes.int32)
    size, expected = lengths.static_value, length.static_value
    if size is None or expected is None:
        raise ValueError("frame_length and fft_length must be known when a function is traced.")
    missing = int(expected) - int(size[0])
    frames = get_item(frames, (..., slice(None, int(expected))))
    if missing > 0:
        rank = len(frames.shape)
        frames = pad(frames, [[0, 0]] * (rank - 1) + [[0, missing]])
    if window_fn is not None:
        frames = mul(frames, window_fn(frame_length, dtype=frames.dtype))
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: Any,
    forward_window_fn: Callable[..., Any] = hann_window,
    name: str | None = None,
) -> Callable[..., Any]:
    """Return the window function for which `inverse_stft` inverts `stft`.

    Args:
        frame_step: The distance between frames.
        forward_window_fn: The window function of `stft`.
        name: Name of the op in a graph.

    Returns:
        A function of `frame_length` and `dtype`.

    Example:

        >>> window = tf.signal.inverse_stft_window_fn(frame_step=2)
        >>> window(4, dtype=tf.float32).numpy().round(3).tolist()
        [0.0, 1.0, 1.0, 1.0]
    """

    @scoped(name or "inverse_stft_window_fn")
    def inverse_window(frame_length: Any, dtype: DTypeLike) -> Any:
        forward = forward_window_fn(frame_length, dtype=dtype)
        length = dispatch.convert(frame_length, dtypes.int32)
        step = dispatch.convert(frame_step, dtypes.int32)
        # How much of all windows each sample of a step gets.
        overlaps = neg(floor_div(neg(length), step))
        missing = sub(mul(overlaps, step), length)
        full = pad(square(forward), expand_dims(pack([scalar_int(0), missing]), scalar_int(0)))
        rows = reshape(full, pack([overlaps, step]))
        sums = tile(sum_(rows, static_ints((0,))), expand_dims(overlaps, scalar_int(0)))
        # A sample that no window shows is lost: it comes back as 0.
        return div_no_nan(forward, get_item(sums, slice(None, frame_length)))

    return inverse_window
