"""`STFT`: the weights of a convolution that is a short-time Fourier transform."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.keras.config import standardize_dtype
from tapeflow.keras.initializers.initializer import Initializer

# Windows that are sums of cosines, by their coefficients.
_WINDOWS: dict[str, tuple[float, ...]] = {
    "blackman": (0.42, 0.5, 0.08),
    "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
    "boxcar": (1.0,),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
    "hamming": (0.54, 0.46),
    "hann": (0.5, 0.5),
    "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
}


class STFT(Initializer):
    """Cosines (`side="real"`) or sines of all frequencies, under a window."""

    def __init__(
        self,
        side: str = "real",
        window: Any = "hann",
        scaling: str | None = "density",
        periodic: bool = False,
    ) -> None:
        if side not in ("real", "imag"):
            raise ValueError(f"`side` must be 'real' or 'imag'. Received: side={side!r}")
        if isinstance(window, str) and window not in _WINDOWS:
            raise ValueError(
                f"Unknown window {window!r}: expected one of {sorted(_WINDOWS)}, or an array."
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

    def _values(self, length: int, dtype: Any) -> Any:
        if isinstance(self.window, str):
            window = tf.constant(_sum_of_cosines(self.window, length, self.periodic), dtype)
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


def _sum_of_cosines(name: str, length: int, periodic: bool) -> np.ndarray:
    """Return a window by its coefficients; a periodic one lacks its last value."""
    if length == 1:
        return np.ones(1)
    places = 2 * np.pi * np.arange(length) / (length if periodic else length - 1)
    terms = [(-1) ** k * a * np.cos(k * places) for k, a in enumerate(_WINDOWS[name])]
    return np.sum(terms, axis=0)
