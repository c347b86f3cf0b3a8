"""`MelSpectrogram` and `STFTSpectrogram`: sounds as pictures of their frequencies."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import epsilon, standardize_data_format
from tapeflow._src.keras.initializers.fourier import STFT
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.ops.fourier import stft

_MODES = ("log", "magnitude", "psd", "real", "imag", "angle", "stft")


class MelSpectrogram(Layer):
    """Computes the spectrogram of sounds on the mel scale.

    Inputs of shape (..., samples) become (..., bands, frames).

    Args:
        fft_length: Length of the Fourier transforms.
        sequence_stride: Number of samples between frames.
        sequence_length: Length of the window; None for `fft_length`.
        window: `"hann"` or `"hamming"`, or a vector.
        sampling_rate: Sampling rate of the sound, in hertz.
        num_mel_bins: Number of bands.
        min_freq: Lowest frequency, in hertz.
        max_freq: Highest frequency; None for half of the sampling rate.
        power_to_db: Whether to return decibels.
        top_db: How far below the loudest value the quietest one may be.
        mag_exp: Exponent of the magnitudes: 2 for power.
        min_power: Smallest power for decibels.
        ref_power: Power that counts as 0 decibels.

    Raises:
        ValueError: `sequence_length` exceeds `fft_length`.

    Example:
        >>> layer = tf.keras.layers.MelSpectrogram(
        ...     fft_length=256, sequence_stride=128, num_mel_bins=8
        ... )
        >>> layer(tf.ones((2, 1024))).shape
        TensorShape([2, 8, 9])
    """

    _settings = (
        *("fft_length", "sequence_stride", "sequence_length", "window", "sampling_rate"),
        *("num_mel_bins", "min_freq", "max_freq", "power_to_db", "top_db", "mag_exp"),
        *("min_power", "ref_power"),
    )

    def __init__(
        self,
        fft_length: int = 2048,
        sequence_stride: int = 512,
        sequence_length: int | None = None,
        window: Any = "hann",
        sampling_rate: int = 16000,
        num_mel_bins: int = 128,
        min_freq: float = 20.0,
        max_freq: float | None = None,
        power_to_db: bool = True,
        top_db: float = 80.0,
        mag_exp: float = 2.0,
        min_power: float = 1e-10,
        ref_power: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.fft_length, self.sequence_stride = fft_length, sequence_stride
        self.sequence_length = sequence_length or fft_length
        if fft_length < self.sequence_length:
            raise ValueError(
                f"`fft_length` must not be below `sequence_length`. Received: "
                f"fft_length={fft_length}, sequence_length={sequence_length}"
            )
        self.window, self.sampling_rate = window, sampling_rate
        self.num_mel_bins, self.min_freq = num_mel_bins, min_freq
        self.max_freq = max_freq or int(sampling_rate / 2)
        self.power_to_db, self.top_db, self.mag_exp = power_to_db, top_db, mag_exp
        self.min_power, self.ref_power = min_power, ref_power

    def call(self, inputs: Any) -> Any:
        double = self.compute_dtype == "float64"
        inputs = tf.cast(inputs, "float64" if double else "float32")
        real, imag = stft(
            inputs,
            self.sequence_length,
            self.sequence_stride,
            self.fft_length,
            window=self.window,
            center=True,
        )
        power = tf.sqrt(tf.square(real) + tf.square(imag)) ** self.mag_exp
        matrix = self.linear_to_mel_weight_matrix(
            *(self.num_mel_bins, self.fft_length // 2 + 1, self.sampling_rate),
            *(self.min_freq, self.max_freq),
        )
        bands = tf.tensordot(power, tf.cast(matrix, power.dtype), axes=1)
        if self.power_to_db:
            bands = self._decibels(bands)
        rank = len(bands.shape)
        axes = [*range(rank - 2), rank - 1, rank - 2]
        return tf.cast(tf.transpose(bands, axes), self.compute_dtype)

    def _decibels(self, power: Any) -> Any:
        reference = max(abs(self.ref_power), self.min_power)
        level = tf.math.log(tf.maximum(power, self.min_power)) * (10.0 / math.log(10.0))
        level -= 10.0 * math.log10(reference)
        return tf.maximum(level, tf.reduce_max(level) - self.top_db)

    def linear_to_mel_weight_matrix(
        self,
        num_mel_bins: int = 20,
        num_spectrogram_bins: int = 129,
        sampling_rate: int = 8000,
        lower_edge_hertz: float = 125.0,
        upper_edge_hertz: float = 3800.0,
        dtype: DTypeLike = "float32",
    ) -> Any:
        """Return the matrix from linear frequencies to mel bands.

        Args:
            num_mel_bins: Number of bands.
            num_spectrogram_bins: Number of linear frequencies, from 0 to half of the sampling rate.
            sampling_rate: Sampling rate, in hertz.
            lower_edge_hertz: Lowest frequency of the bands.
            upper_edge_hertz: Highest frequency of the bands.
            dtype: Dtype of the matrix.

        Returns:
            A tensor of shape (num_spectrogram_bins, num_mel_bins).
        """
        return tf.signal.linear_to_mel_weight_matrix(
            num_mel_bins,
            num_spectrogram_bins,
            sampling_rate,
            lower_edge_hertz,
            upper_edge_hertz,
            tf.as_dtype(dtype),
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        *batch, samples = input_shape
        stride = self.sequence_stride
        frames = None if samples is None else (samples + stride + 1) // stride
        return (*batch, self.num_mel_bins, frames)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **{name: getattr(self, name) for name in self._settings}}


class STFTSpectrogram(Layer):
    """Computes spectrograms by convolutions, whose kernels can be trained.

    Inputs are `(batch, samples, channels)`, outputs `(batch, frames, frequencies * channels)`,
    or with `expand_dims` `(batch, frames, frequencies, channels)`.

    Args:
        mode: `"log"`, `"magnitude"`, `"psd"`, `"real"`, `"imag"`, `"angle"` or `"stft"`, which is
            the real part followed by the imaginary one.
        frame_length: Number of samples of a frame.
        frame_step: Number of samples between frames; None for half of a frame.
        fft_length: Length of the Fourier transforms; None for the next power of two.
        window: `"hann"`, `"hamming"`, a vector or None.
        periodic: Whether the window is a periodic one.
        scaling: `"density"`, `"spectrum"` or None.
        padding: `"valid"` or `"same"`.
        expand_dims: Whether channels have their own axis.
        data_format: `"channels_last"` or `"channels_first"`, for inputs and outputs.

    Raises:
        ValueError: An argument is invalid.
        TypeError: The inputs of a call are not floating-point numbers.

    Example:
        >>> layer = tf.keras.layers.STFTSpectrogram(frame_length=64)
        >>> layer(tf.ones((2, 256, 1))).shape
        TensorShape([2, 7, 33])
    """

    _settings = (
        *("mode", "frame_length", "frame_step", "fft_length", "window", "periodic", "scaling"),
        *("padding", "data_format", "expand_dims"),
    )
    real_kernel: Any
    imag_kernel: Any

    def __init__(
        self,
        mode: str = "log",
        frame_length: int = 256,
        frame_step: int | None = None,
        fft_length: int | None = None,
        window: Any = "hann",
        periodic: bool = False,
        scaling: str | None = "density",
        padding: str = "valid",
        expand_dims: bool = False,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        _check(mode, frame_length, frame_step, fft_length, padding)
        # Unknown windows and scalings are refused here.
        STFT("real", window, scaling, periodic)
        super().__init__(**kwargs)
        self.mode, self.frame_length = mode, frame_length
        self.frame_step, self.fft_length = frame_step, fft_length
        self._step = frame_step or frame_length // 2
        self._length = fft_length or 2 ** math.ceil(math.log2(frame_length))
        self.window, self.periodic, self.scaling = window, periodic, scaling
        self.padding, self.expand_dims = padding, expand_dims
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=3)

    def build(self, input_shape: Any) -> None:
        shape = (self.frame_length, 1, self._length // 2 + 1)
        for side, other in (("real", "imag"), ("imag", "real")):
            if self.mode != other:
                initializer = STFT(side, self.window, self.scaling, self.periodic)
                name = f"{side}_kernel"
                setattr(self, name, self.add_weight(shape, initializer, name=name))

    def call(self, inputs: Any) -> Any:
        if inputs.dtype not in (tf.float16, tf.float32, tf.float64):
            raise TypeError(
                f"Expected inputs of float16, float32 or float64. Received: {inputs.dtype.name}"
            )
        real = None if self.mode == "imag" else self._convolved(inputs, self.real_kernel)
        imag = None if self.mode == "real" else self._convolved(inputs, self.imag_kernel)
        return self._arranged(self._values(real, imag))

    def _values(self, real: Any, imag: Any) -> Any:
        """Return what the mode says about the two parts."""
        if self.mode in ("real", "imag"):
            return real if imag is None else imag
        if self.mode == "angle":
            return tf.atan2(imag, real)
        if self.mode == "stft":
            return tf.concat([real, imag], axis=-1)
        power = tf.square(real) + tf.square(imag)
        if self.mode == "psd":
            # All but the lowest and the highest frequency stand for a negative one, too.
            return power + tf.pad(power[..., 1:-1], [[0, 0], [0, 0], [0, 0], [1, 1]])
        magnitude = tf.sqrt(tf.maximum(power, epsilon()))
        return (
            magnitude if self.mode == "magnitude" else tf.math.log(tf.maximum(magnitude, epsilon()))
        )

    def _convolved(self, inputs: Any, kernel: TensorLike) -> Any:
        """Return `(batch, channels, frames, frequencies)`."""
        if self.data_format == "channels_last":
            inputs = tf.transpose(inputs, (0, 2, 1))
        shape = tf.shape(inputs)
        channels = inputs.shape[1]
        signals = tf.reshape(inputs, (-1, shape[2], 1))
        outputs = tf.nn.conv1d(
            signals, tf.cast(kernel, inputs.dtype), self._step, self.padding.upper()
        )
        frequencies = outputs.shape[-1]
        return tf.reshape(outputs, (-1, channels, tf.shape(outputs)[1], frequencies))

    def _arranged(self, values: Any) -> Any:
        """Return `(batch, channels, frames, frequencies)` in the layout of the outputs."""
        channels, frequencies = values.shape[1], values.shape[3]
        last = self.data_format == "channels_last"
        if self.expand_dims:
            return tf.transpose(values, (0, 2, 3, 1)) if last else values
        values = tf.transpose(values, (0, 2, 1, 3) if last else (0, 1, 3, 2))
        if last:
            return tf.reshape(values, (-1, tf.shape(values)[1], channels * frequencies))
        return tf.reshape(values, (-1, channels * frequencies, tf.shape(values)[3]))

    def compute_output_shape(self, input_shape: Any) -> Any:
        last = self.data_format == "channels_last"
        batch, samples, channels = (
            input_shape if last else (input_shape[0], input_shape[2], input_shape[1])
        )
        frequencies = (self._length // 2 + 1) * (2 if self.mode == "stft" else 1)
        if samples is not None and self.padding == "valid":
            samples = samples - self.frame_length + 1
        frames = None if samples is None else -(-samples // self._step)
        if self.expand_dims:
            return (
                (batch, frames, frequencies, channels)
                if last
                else (batch, channels, frames, frequencies)
            )
        both = frequencies * channels
        return (batch, frames, both) if last else (batch, both, frames)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **{name: getattr(self, name) for name in self._settings}}


def _check(
    mode: str, frame_length: int, frame_step: int | None, fft_length: int | None, padding: str
) -> None:
    """Raise ValueError for arguments that cannot be."""
    if frame_step is not None and not 1 <= frame_step <= frame_length:
        raise ValueError(
            f"`frame_step` must be between 1 and frame_length={frame_length}. Received: "
            f"frame_step={frame_step}"
        )
    if fft_length is not None:
        if fft_length < frame_length:
            raise ValueError(
                f"`fft_length` must not be below frame_length={frame_length}. Received: "
                f"fft_length={fft_length}"
            )
        if fft_length & (fft_length - 1):
            warn_user(f"A power of two is faster as `fft_length`. Received: {fft_length}")
    if mode not in _MODES:
        raise ValueError(f"`mode` must be one of {_MODES}. Received: mode={mode!r}")
    if padding not in ("valid", "same"):
        raise ValueError(f"`padding` must be 'valid' or 'same', not {padding!r}.")
