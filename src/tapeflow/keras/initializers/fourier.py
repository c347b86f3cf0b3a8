"""`STFT`: the weights of a convolution that is a short-time Fourier transform."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow.keras.config import standardize_dtype
from tapeflow.keras.initializers.initializer import Initializer

_WINDOWS = ("hamming", "hann")


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
            raise ValueError(f"Unknown window {window!r}: give one of {_WINDOWS}, or an array.")
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
            make = getattr(tf.signal, f"{self.window}_window")
            window = make(length, periodic=self.periodic, dtype=dtype)
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
