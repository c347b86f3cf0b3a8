"""Fourier transforms; complex numbers are pairs of real and imaginary parts."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_math = functools.partial(declare, family="math")
_pair = functools.partial(declare, family="math", nested=True)
_WINDOWS = {"hann": tf.signal.hann_window, "hamming": tf.signal.hamming_window}


def _complex(x: Any, axes: int = 1) -> Any:
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError(f"Complex numbers are a pair of tensors, (real, imaginary). Received: {x}")
    real, imaginary = map(to_tensor, x)
    shapes = f"Received shapes {real.shape} and {imaginary.shape}"
    if real.shape.as_list() != imaginary.shape.as_list():
        raise ValueError(f"Real and imaginary parts must have the same shape. {shapes}")
    if not (real.dtype.is_floating and imaginary.dtype.is_floating):
        raise ValueError(
            f"Real and imaginary parts must be floats. Received: {real.dtype.name} and "
            f"{imaginary.dtype.name}"
        )
    if real.shape.rank < axes:
        raise ValueError(f"This transform needs at least {axes} axes. {shapes}")
    return tf.complex(real, imaginary)


def _parts(x: TensorLike) -> tuple[Any, Any]:
    return tf.math.real(x), tf.math.imag(x)


def _require_sizes(x: Any, axes: int) -> None:
    if None in x.shape.as_list()[-axes:]:
        raise ValueError(
            f"The size of the last {axes} axes must be known while a model is defined. Received "
            f"shape {x.shape}"
        )


@_pair("FFT")
def fft(x: TensorLike) -> Any:
    """Computes the Fourier transform along the last axis.

    Args:
        x: A pair of floating-point tensors of one shape: real and imaginary parts.

    Returns:
        A pair of tensors: real and imaginary parts.

    Raises:
        ValueError: `x` is not such a pair, or is a pair of scalars.

    Example:
        >>> real, imaginary = tf.keras.ops.fft((tf.ones(2), tf.zeros(2)))
        >>> real.numpy()
        array([2., 0.], dtype=float32)
    """
    x = _complex(x)
    _require_sizes(x, 1)
    return _parts(tf.signal.fft(x))


@_pair("FFT2")
def fft2(x: TensorLike) -> Any:
    """Computes the two-dimensional Fourier transform of the last axes.

    Args:
        x: A pair of floating-point tensors of one shape: real and imaginary parts.

    Returns:
        A pair of tensors: real and imaginary parts.

    Raises:
        ValueError: `x` is not such a pair, or has fewer than two axes.

    Example:
        >>> real, imaginary = tf.keras.ops.fft2((tf.ones((2, 2)), tf.zeros((2, 2))))
        >>> real.numpy()
        array([[4., 0.],
               [0., 0.]], dtype=float32)
    """
    x = _complex(x, 2)
    _require_sizes(x, 2)
    return _parts(tf.signal.fft2d(x))


@_pair("IFFT2")
def ifft2(x: TensorLike) -> Any:
    """Computes the inverse of `fft2`.

    Args:
        x: A pair of floating-point tensors of one shape: real and imaginary parts.

    Returns:
        A pair of tensors: real and imaginary parts.

    Raises:
        ValueError: `x` is not such a pair, or has fewer than two axes.

    Example:
        >>> real, imaginary = tf.keras.ops.ifft2(tf.keras.ops.fft2((tf.eye(2), tf.zeros((2, 2)))))
        >>> real.numpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    x = _complex(x, 2)
    _require_sizes(x, 2)
    return _parts(tf.signal.ifft2d(x))


def _require_axis(x: Any) -> None:
    if x.shape.rank == 0:
        raise ValueError("A Fourier transform needs at least one axis. Received a scalar.")


@_math("RFFT")
def rfft(x: TensorLike, fft_length: int | None = None) -> Any:
    """Computes the Fourier transform of real numbers: the terms from 0 to half the length.

    Args:
        x: Real tensor of shape (..., n).
        fft_length: Length that the last axis is cut off or filled up with zeros to; None is its
            own.

    Returns:
        A pair of tensors of shape (..., fft_length // 2 + 1): real and imaginary parts.

    Raises:
        ValueError: `x` is a scalar.

    Example:
        >>> real, imaginary = tf.keras.ops.rfft([1.0, 0.0, -1.0, 0.0])
        >>> real.numpy()
        array([0., 2., 0.], dtype=float32)
    """
    x = to_tensor(x)
    _require_axis(x)
    return _parts(tf.signal.rfft(x, None if fft_length is None else [fft_length]))


@_pair("IRFFT")
def irfft(x: TensorLike, fft_length: int | None = None) -> Any:
    """Computes the inverse of `rfft`.

    Args:
        x: A pair of floating-point tensors of shape (..., m): real and imaginary parts.
        fft_length: Length of the result; None is `2 * (m - 1)`, so pass it to restore an odd
            length.

    Returns:
        A real tensor of shape (..., fft_length).

    Raises:
        ValueError: `x` is not such a pair.

    Example:
        >>> tf.keras.ops.irfft(tf.keras.ops.rfft([1.0, 2.0, 3.0, 4.0])).numpy().round(4)
        array([1., 2., 3., 4.], dtype=float32)
    """
    return tf.signal.irfft(_complex(x), None if fft_length is None else [fft_length])


@_math("ExtractSequences")
def extract_sequences(x: TensorLike, sequence_length: int, sequence_stride: int) -> Any:
    """Cuts the last axis into overlapping sequences: (…, steps) to (…, sequences, length).

    Args:
        x: Tensor of shape (..., steps).
        sequence_length: Length of a sequence.
        sequence_stride: Distance of their starts. A rest that is too short is dropped.

    Returns:
        A tensor of shape (..., sequences, sequence_length).

    Raises:
        ValueError: `x` is a scalar.

    Example:
        >>> tf.keras.ops.extract_sequences([1, 2, 3, 4, 5], 3, 1).numpy()
        array([[1, 2, 3],
               [2, 3, 4],
               [3, 4, 5]], dtype=int32)
    """
    x = to_tensor(x)
    _require_axis(x)
    return tf.signal.frame(x, sequence_length, sequence_stride)


def _window(window: Any, length: int, fft_length: int, dtype: DTypeLike) -> Any:
    """The window, with zeros on both sides up to the length of the transform."""
    if isinstance(window, str):
        if window not in _WINDOWS:
            raise ValueError(
                f"`window` must be 'hann', 'hamming', a vector or None. Received: {window!r}"
            )
        values = _WINDOWS[window](length, periodic=True, dtype=dtype)
    else:
        values = to_tensor(window, dtype)
    if values.shape.as_list() != [length]:
        raise ValueError(
            f"`window` must be a vector with `sequence_length`={length} numbers. Received shape "
            f"{values.shape}"
        )
    before = (fft_length - length) // 2
    return tf.pad(values, [[before, fft_length - length - before]])


def _require_lengths(sequence_length: int, sequence_stride: Any, fft_length: int) -> None:
    if not isinstance(sequence_stride, int) or sequence_stride <= 0:
        raise ValueError(f"`sequence_stride` must be a positive int. Received: {sequence_stride}")
    if fft_length < sequence_length:
        raise ValueError(
            f"`fft_length` must not be below `sequence_length`. Received: "
            f"fft_length={fft_length}, sequence_length={sequence_length}"
        )


@_math("STFT")
def stft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    window: Any = "hann",
    center: bool = True,
) -> Any:
    """Computes the short-time Fourier transform of real signals (…, samples).

    Args:
        x: Tensor of dtype `float32` or `float64`.
        sequence_length: Number of samples in a window.
        sequence_stride: How many samples the window moves.
        fft_length: Length of the transform; at least `sequence_length`.
        window: "hann", "hamming", a vector of `sequence_length` numbers, or None.
        center: Whether windows are centred on their sample, by mirroring both ends.

    Returns:
        A pair of tensors of shape (..., windows, fft_length // 2 + 1): real and imaginary parts.

    Raises:
        TypeError: `x` has another dtype.
        ValueError: A length or the window does not fit.

    Example:
        >>> real, imaginary = tf.keras.ops.stft(tf.random.normal((2, 100)), 16, 8, 16)
        >>> real.shape
        TensorShape([2, 13, 9])
    """
    x = to_tensor(x)
    if x.dtype not in (tf.float32, tf.float64):
        raise TypeError(f"`stft` takes float32 or float64. Received: {x.dtype.name}")
    _require_lengths(sequence_length, sequence_stride, fft_length)
    if center:
        ends = [fft_length // 2, fft_length // 2]
        x = tf.pad(x, [*([0, 0] for _ in range(x.shape.rank - 1)), ends], mode="REFLECT")
    weights = None if window is None else _window(window, sequence_length, fft_length, x.dtype)
    spectrum = tf.signal.stft(
        x,
        frame_length=fft_length,
        frame_step=sequence_stride,
        fft_length=fft_length,
        window_fn=None if weights is None else lambda length, dtype: weights,
    )
    return _parts(spectrum)


@_pair("ISTFT")
def istft(
    x: TensorLike,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: int | None = None,
    window: Any = "hann",
    center: bool = True,
) -> Any:
    """Computes the inverse of `stft`, with the same arguments.

    Args:
        x: A pair of tensors of shape (..., windows, fft_length // 2 + 1): real and imaginary parts.
        sequence_length: Number of samples in a window.
        sequence_stride: How many samples the window moves.
        fft_length: Length of the transform; at least `sequence_length`.
        length: Number of samples to return; None is all that windows cover.
        window: "hann", "hamming", a vector of `sequence_length` numbers, or None.
        center: Whether windows were centred; their padding is removed.

    Returns:
        A real tensor of shape (..., samples).

    Raises:
        ValueError: `x` is not such a pair, or a length or the window does not fit.

    Example:
        >>> signal = tf.random.normal((96,))
        >>> spectrum = tf.keras.ops.stft(signal, 16, 8, 16)
        >>> restored = tf.keras.ops.istft(spectrum, 16, 8, 16, length=96)
        >>> tf.keras.ops.allclose(restored, signal, atol=1e-4).numpy()
        np.True_
    """
    _require_lengths(sequence_length, sequence_stride, fft_length)
    spectrum = _complex(x, 2)
    inverse = None
    if window is not None:
        dtype = tf.math.real(spectrum).dtype
        weights = _window(window, sequence_length, fft_length, dtype)
        inverse = tf.signal.inverse_stft_window_fn(sequence_stride, lambda length, dtype: weights)
    signal = tf.signal.inverse_stft(
        spectrum,
        frame_length=fft_length,
        frame_step=sequence_stride,
        fft_length=fft_length,
        window_fn=inverse,
    )
    start = fft_length // 2 if center else 0
    if length is not None:
        return signal[..., start : start + length]
    return signal[..., start : -start or None]
