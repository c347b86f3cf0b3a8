"""`tf.signal`: mel spectra."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.creation import linspace
from tapeflow._src.api.signal.cosines import dct, last_size
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.array.common import expand_dims, pad, scalar_int
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2, mul, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import log, rsqrt, scalar
from tapeflow._src.ops.math.extremes import maximum, minimum

_BREAK_HERTZ = 700.0
_HIGH = 1127.0


def _mel(hertz: Any) -> Any:
    ratio = real_div(hertz, scalar(_BREAK_HERTZ, hertz))
    return mul(log(add_v2(ratio, scalar(1, ratio))), scalar(_HIGH, ratio))


@scoped("linear_to_mel_weight_matrix", names_result=True)
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Compute the matrix of triangular filters from linear frequencies to mel bins.

    Multiply spectrograms by it: `tf.matmul(spectrograms, matrix)`.

    Args:
        num_mel_bins: The number of mel bins.
        num_spectrogram_bins: The number of linear frequency bins.
        sample_rate: The sample rate of the signals, in Hz.
        lower_edge_hertz: The lower edge of the lowest bin.
        upper_edge_hertz: The upper edge of the highest bin, at most half the sample rate.
        dtype: The dtype of the matrix.
        name: Name of the op in a graph.

    Returns:
        A matrix of `num_spectrogram_bins` rows and `num_mel_bins` columns.

    Raises:
        ValueError: An argument is out of range.

    Example:

        >>> tf.signal.linear_to_mel_weight_matrix(num_mel_bins=10, num_spectrogram_bins=65).shape
        TensorShape([65, 10])
    """
    kind = as_dtype(dtype)
    rate = sample_rate
    if hasattr(sample_rate, "dtype"):
        static_rate = dispatch.convert(sample_rate).static_value
        rate = None if static_rate is None else float(static_rate)
    _check(num_mel_bins, rate, lower_edge_hertz, upper_edge_hertz, kind)
    rate = cast(dispatch.convert(sample_rate, None, kind), DstT=kind)
    nyquist = real_div(rate, scalar(2, rate))
    zero = scalar(0, rate)
    # The mean of a signal belongs to no pitch.
    frequencies = get_item(linspace(zero, nyquist, num_spectrogram_bins), slice(1, None))
    pitches = expand_dims(_mel(frequencies), scalar_int(1))
    low, high = (
        _mel(cast(dispatch.convert(edge, None, kind), DstT=kind))
        for edge in (lower_edge_hertz, upper_edge_hertz)
    )
    edges = linspace(low, high, num_mel_bins + 2)
    left, middle, right = (
        expand_dims(get_item(edges, slice(i, num_mel_bins + i)), scalar_int(0)) for i in range(3)
    )
    rising = real_div(sub(pitches, left), sub(middle, left))
    falling = real_div(sub(right, pitches), sub(right, middle))
    weights = maximum(zero, minimum(rising, falling))
    return pad(weights, [[1, 0], [0, 0]], name=name)


def _check(bins: Any, rate: Any, low: Any, high: Any, dtype: Any) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if low < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {low}")
    if low >= high:
        raise ValueError(f"lower_edge_hertz {low} >= upper_edge_hertz {high}")
    if rate is not None:
        if rate <= 0.0:
            raise ValueError(f"sample_rate must be positive. Got: {rate}")
        if high > rate / 2:
            raise ValueError(
                f"upper_edge_hertz must be at most half the sample_rate ({rate / 2}), received "
                f"{high}."
            )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be floating, received {dtype!r}.")


@scoped("mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Compute mel-frequency cepstral coefficients from log-mel spectrograms.

    Args:
        log_mel_spectrograms: `[..., bins]`, float32 or float64.
        name: Name of the op in a graph.

    Returns:
        A tensor of the same shape; usually the first 13 coefficients are used.

    Raises:
        ValueError: There are no bins.

    Example:

        >>> tf.signal.mfccs_from_log_mel_spectrograms([[1.0, 1.0]]).numpy().round(3).tolist()
        [[2.0, 0.0]]
    """
    spectra = dispatch.convert(log_mel_spectrograms)
    if spectra.shape[-1] == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {spectra}")
    count = cast(last_size(spectra), DstT=spectra.dtype)
    return mul(dct(spectra, 2), rsqrt(mul(count, scalar(2, count))))
