"""`STFT`: the weights of a convolution that is a short-time Fourier transform."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.initializers.initializer import Initializer

# Windows that are sums of cosines, by their coefficients.
_COSINES: dict[str, tuple[float, ...]] = {
    "blackman": (0.42, 0.5, 0.08),
    "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
    "boxcar": (1.0,),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
    "hamming": (0.54, 0.46),
    "hann": (0.5, 0.5),
    "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
}


def _from_middle(n: np.ndarray, count: int) -> np.ndarray:
    """The distance from the middle of a window, which is 1 at both ends."""
    return np.abs(2 * n / (count - 1) - 1)


def _bohman(n: np.ndarray, count: int) -> np.ndarray:
    d = _from_middle(n, count)
    return (1 - d) * np.cos(np.pi * d) + np.sin(np.pi * d) / np.pi


def _parzen(n: np.ndarray, count: int) -> np.ndarray:
    d = np.abs(n - (count - 1) / 2)
    share = 2 * d / count
    return np.where(d <= (count - 1) / 4, 1 - 6 * share**2 + 6 * share**3, 2 * (1 - share) ** 3)


def _triang(n: np.ndarray, count: int) -> np.ndarray:
    return 1 - np.abs(2 * n - count + 1) / (count + count % 2)


def _tukey(n: np.ndarray, count: int) -> np.ndarray:
    # Half of the window is flat, a quarter at each end is tapered.
    edge = 1 - _from_middle(n, count)
    return np.where(edge < 0.5, 0.5 * (1 - np.cos(2 * np.pi * edge)), 1.0)


def _barthann(n: np.ndarray, count: int) -> np.ndarray:
    d = _from_middle(n, count)
    return 0.62 - 0.24 * d + 0.38 * np.cos(np.pi * d)


def _taylor(n: np.ndarray, count: int) -> np.ndarray:
    """Taylor window with 4 constant side lobes, 30 dB below the main lobe."""
    lobes = np.arange(1, 4)
    ratio = np.arccosh(10 ** (30 / 20)) / np.pi
    width = 16 / (ratio**2 + 3.5**2)
    weights = []
    for lobe in lobes:
        others = lobes[lobes != lobe]
        zeros = np.prod(1 - lobe**2 / width / (ratio**2 + (lobes - 0.5) ** 2))
        weights.append((-1) ** (lobe + 1) * zeros / (2 * np.prod(1 - lobe**2 / others**2)))
    angles = 2 * np.pi * (n - count / 2 + 0.5) / count
    terms = [2 * weight * np.cos(lobe * angles) for weight, lobe in zip(weights, lobes)]
    return (1 + np.sum(terms, axis=0)) / (1 + 2 * np.sum(weights))


# Windows of other shapes, as functions of the sample and the number of samples.
_SHAPES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "barthann": _barthann,
    "bartlett": lambda n, count: 1 - _from_middle(n, count),
    "bohman": _bohman,
    "cosine": lambda n, count: np.sin(np.pi * (n + 0.5) / count),
    "exponential": lambda n, count: np.exp(-np.abs(n - (count - 1) / 2)),
    "lanczos": lambda n, count: np.sinc(_from_middle(n, count)),
    "parzen": _parzen,
    "taylor": _taylor,
    "triang": _triang,
    "tukey": _tukey,
}

# Other names of the windows, which SciPy has, too.
_ALIASES = {
    **dict.fromkeys(("box", "ones", "rect", "rectangular"), "boxcar"),
    **dict.fromkeys(("han", "hanning"), "hann"),
    **dict.fromkeys(("ham", "hamm"), "hamming"),
    **dict.fromkeys(("blk", "black"), "blackman"),
    **dict.fromkeys(("bart", "brt"), "bartlett"),
    **dict.fromkeys(("par", "parz"), "parzen"),
    **dict.fromkeys(("bman", "bmn"), "bohman"),
    **dict.fromkeys(("tri", "triangle"), "triang"),
    **dict.fromkeys(("flat", "flt"), "flattop"),
    **dict.fromkeys(("bkh", "blackharr"), "blackmanharris"),
    **dict.fromkeys(("nut", "nutl"), "nuttall"),
    **dict.fromkeys(("brthan", "bth"), "barthann"),
    **dict.fromkeys(("poisson",), "exponential"),
    **dict.fromkeys(("halfcosine",), "cosine"),
    **dict.fromkeys(("sinc",), "lanczos"),
    **dict.fromkeys(("tayl",), "taylor"),
    **dict.fromkeys(("tuk",), "tukey"),
}


class STFT(Initializer):
    """Cosines (`side="real"`) or sines of all frequencies, under a window.

    Kernels of a `Conv1D` of shape (frame length, 1, frequencies): one for the real and one for the
    imaginary parts compute a short-time Fourier transform.

    Args:
        side: "real" for cosines, "imag" for sines.
        window: Name of a window, such as "hann" or "hamming", an array with a value for each sample
            of a frame, or None.
        scaling: "density" divides by the root of the sum of squares of the window, "spectrum" by
            its sum; None does not scale.
        periodic: Whether the window is periodic, instead of symmetric.

    Raises:
        ValueError: An argument has another value.

    Example:
        >>> tf.keras.initializers.STFT("real", "hann", "density")((16, 1, 9)).shape
        TensorShape([16, 1, 9])
    """

    def __init__(
        self,
        side: str = "real",
        window: Any = "hann",
        scaling: str | None = "density",
        periodic: bool = False,
    ) -> None:
        if side not in ("real", "imag"):
            raise ValueError(f"`side` must be 'real' or 'imag'. Received: side={side!r}")
        known = [*_COSINES, *_SHAPES, *_ALIASES]
        if isinstance(window, str) and window not in known:
            raise ValueError(
                f"Unknown window {window!r}: expected one of {sorted(known)}, or an array."
            )
        if scaling not in (None, "density", "spectrum"):
            raise ValueError(
                f"`scaling` must be 'density', 'spectrum' or None. Received: scaling={scaling!r}"
            )
        self.side = side
        self.window = window
        self.scaling = scaling
        self.periodic = periodic

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        dtype = tf.as_dtype(standardize_dtype(dtype))
        length, _, bins = shape
        times = tf.reshape(tf.range(length, dtype=dtype), (length, 1, 1))
        frequencies = tf.reshape(tf.range(bins, dtype=dtype), (1, 1, bins)) / ((bins - 1) * 2)
        angles = -2 * times * frequencies * math.pi
        kernel = tf.cos(angles) if self.side == "real" else tf.sin(angles)
        if self.window is None:
            return kernel
        window = self._values(length, dtype)
        scale: Any = 1
        if self.scaling == "density":
            scale = tf.sqrt(tf.reduce_sum(tf.square(window)))
        elif self.scaling == "spectrum":
            scale = tf.reduce_sum(tf.abs(window))
        return kernel * window / scale

    def _values(self, length: int, dtype: DTypeLike) -> Any:
        if isinstance(self.window, str):
            window = tf.constant(_values_of(self.window, length, self.periodic), dtype)
        else:
            window = tf.convert_to_tensor(self.window, dtype)
        if window.shape.rank != 1 or window.shape[0] != length:
            raise ValueError(
                f"`window` must have one value for each of the {length} samples of a frame. "
                f"Received a window of shape {window.shape}"
            )
        return tf.reshape(window, (length, 1, 1))

    def get_config(self) -> dict[str, Any]:
        return {
            "side": self.side,
            "window": self.window,
            "periodic": self.periodic,
            "scaling": self.scaling,
        }


def _values_of(name: str, length: int, periodic: bool) -> np.ndarray:
    """A window by its name; a periodic one lacks its last value."""
    if length == 1:
        return np.ones(1)
    count = length + 1 if periodic else length
    name = _ALIASES.get(name, name)
    if name in _COSINES:
        angles = 2 * np.pi * np.arange(count) / (count - 1)
        terms = [(-1) ** k * a * np.cos(k * angles) for k, a in enumerate(_COSINES[name])]
        return np.sum(terms, axis=0)[:length]
    return _SHAPES[name](np.arange(count), count)[:length]
