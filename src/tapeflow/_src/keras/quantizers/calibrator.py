"""Base class of calibrated quantization: statistics of a layer's inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.keras.quantizers.configs import CalibratedConfig


class Calibrator:
    """Collects statistics of the inputs of one layer, and quantizes its kernel by them.

    Args:
        layer: A `Dense` or `EinsumDense` layer that was quantized with `config`, but has not
            been calibrated.
        config: The options of the method.
    """

    def __init__(self, layer: Any, config: CalibratedConfig) -> None:
        if not hasattr(layer, "_matrix_shape"):
            raise TypeError(
                f"Unsupported layer type {type(layer).__name__}: '{config.mode}' quantizes the "
                f"kernels of Dense and EinsumDense."
            )
        self.original_layer = layer
        self.config = config
        self.kernel_shape = tuple(layer.kernel.shape)
        self.rows, self.columns = layer._matrix_shape(self.kernel_shape)
        self.num_samples = 0

    def observe(self, inputs: Any) -> None:
        """Add a batch of inputs of the layer to the statistics."""
        raise NotImplementedError(f"{type(self).__name__} does not define `observe`.")

    def quantize(self) -> None:
        """Replace the kernel of the layer by its quantized one."""
        raise NotImplementedError(f"{type(self).__name__} does not define `quantize`.")

    def _weights(self) -> np.ndarray:
        """Return the kernel as a float32 matrix of shape (columns, rows)."""
        kernel = np.asarray(self.original_layer.kernel, np.float32)
        return kernel.reshape(self.rows, self.columns).T

    def _examples(self, inputs: Any, min_rank: int) -> np.ndarray:
        """Return a batch of inputs as a float32 matrix with a row for each example."""
        if inputs is None:
            raise ValueError(f"{type(self).__name__}: the inputs of a layer cannot be None.")
        x = np.asarray(inputs, np.float32)
        if x.ndim < min_rank:
            raise ValueError(
                f"{type(self).__name__}: the inputs of a layer must have rank >= {min_rank}. "
                f"Received: shape={x.shape}"
            )
        if x.size == 0:
            raise ValueError(
                f"{type(self).__name__}: the inputs of a layer cannot be empty. Received: "
                f"shape={x.shape}"
            )
        return x.reshape(-1, x.shape[-1]) if x.ndim > 2 else x
