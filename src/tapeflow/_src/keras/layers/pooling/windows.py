"""The largest value, or the mean, of each window."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.arguments import standardize_padding, standardize_tuple
from tapeflow._src.keras.layers.convolutional.base import channels_first, channels_last
from tapeflow._src.keras.layers.convolutional.sizes import spatial_of, window_output, with_spatial
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer

_LARGEST = {1: tf.nn.max_pool1d, 2: tf.nn.max_pool2d, 3: tf.nn.max_pool3d}
_MEAN = {1: tf.nn.avg_pool1d, 2: tf.nn.avg_pool2d, 3: tf.nn.avg_pool3d}


class _Pooling(Layer):
    _tpf_has_no_weights = True
    _axes: int
    _functions: dict[int, Any]

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = standardize_tuple(pool_size, self._axes, "pool_size")
        strides = pool_size if strides is None else strides
        self.strides = standardize_tuple(strides, self._axes, "strides")
        self.padding = standardize_padding(padding)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._axes + 2)

    def call(self, inputs: Any) -> Any:
        first = self.data_format == "channels_first"
        x = channels_last(inputs) if first else inputs
        pool = self._functions[self._axes]
        found = pool(x, self.pool_size, self.strides, self.padding.upper())
        return channels_first(found) if first else found

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        spatial = spatial_of(input_shape, self.data_format)
        found = [
            window_output(size, window, stride, self.padding)
            for size, window, stride in zip(spatial, self.pool_size, self.strides)
        ]
        if any(size is not None and size <= 0 for size in found):
            raise ValueError(
                f"{type(self).__name__} '{self.name}': the output size would be negative, as the "
                f"window is larger than the input. Received the input shape {tuple(input_shape)} "
                f"with pool_size={self.pool_size}, strides={self.strides}"
            )
        axis = -1 if self.data_format == "channels_last" else 1
        return with_spatial(input_shape, found, input_shape[axis], self.data_format)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "pool_size": self.pool_size,
            "padding": self.padding,
            "strides": self.strides,
            "data_format": self.data_format,
        }


class MaxPooling1D(_Pooling):
    """The largest value of each window of sequences."""

    _axes = 1
    _functions = _LARGEST

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


class MaxPooling2D(_Pooling):
    """The largest value of each window of images."""

    _axes = 2
    _functions = _LARGEST

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


class MaxPooling3D(_Pooling):
    """The largest value of each window of volumes."""

    _axes = 3
    _functions = _LARGEST

    def __init__(
        self,
        pool_size: Any = (2, 2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


class AveragePooling1D(_Pooling):
    """The mean of each window of sequences."""

    _axes = 1
    _functions = _MEAN


class AveragePooling2D(_Pooling):
    """The mean of each window of images."""

    _axes = 2
    _functions = _MEAN


class AveragePooling3D(_Pooling):
    """The mean of each window of volumes."""

    _axes = 3
    _functions = _MEAN
