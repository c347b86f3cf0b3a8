"""Pooling to a fixed number of windows, whatever the size of the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.convolutional.sizes import with_spatial
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.ops.pooling import adaptive_average_pool, adaptive_max_pool


class _AdaptivePooling(Layer):
    _axes: int
    _function: Callable[..., Any]

    def __init__(self, output_size: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(output_size, (int, tuple, list)):
            raise TypeError(
                f"{type(self).__name__}: `output_size` must be an integer, or {self._axes} of them "
                f"in a tuple. Received: {output_size!r} of type {type(output_size).__name__}"
            )
        sizes = (output_size,) * self._axes if isinstance(output_size, int) else output_size
        if len(sizes) != self._axes:
            # As Keras: a wrong number of sizes is another error where there are several.
            raise (ValueError if self._axes == 1 else TypeError)(
                f"{type(self).__name__}: `output_size` must have {self._axes} items, one for each "
                f"spatial axis. Received: output_size={output_size!r}"
            )
        self.output_size = tuple(sizes)
        self.data_format = standardize_data_format(data_format)

    def call(self, inputs: Any) -> Any:
        return self._function(inputs, self.output_size, self.data_format)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        axis = -1 if self.data_format == "channels_last" else 1
        return with_spatial(input_shape, self.output_size, input_shape[axis], self.data_format)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "output_size": self.output_size,
            "data_format": self.data_format,
        }


class _AdaptiveAverage(_AdaptivePooling):
    _function = staticmethod(adaptive_average_pool)


class _AdaptiveMax(_AdaptivePooling):
    _function = staticmethod(adaptive_max_pool)


class AdaptiveAveragePooling1D(_AdaptiveAverage):
    """The means of `output_size` windows that cover a sequence.

    >>> tf.keras.layers.AdaptiveAveragePooling1D(2)(tf.reshape(tf.range(4.0), (1, 4, 1))).numpy()
    array([[[0.5],
            [2.5]]], dtype=float32)
    """

    _axes = 1


class AdaptiveAveragePooling2D(_AdaptiveAverage):
    """Average pooling of images to a fixed output size (height, width)."""

    _axes = 2


class AdaptiveAveragePooling3D(_AdaptiveAverage):
    """Average pooling of volumes to a fixed output size."""

    _axes = 3


class AdaptiveMaxPooling1D(_AdaptiveMax):
    """Max pooling of sequences to a fixed number of steps."""

    _axes = 1


class AdaptiveMaxPooling2D(_AdaptiveMax):
    """Max pooling of images to a fixed output size (height, width)."""

    _axes = 2


class AdaptiveMaxPooling3D(_AdaptiveMax):
    """Max pooling of volumes to a fixed output size."""

    _axes = 3
