"""Max and average pooling over windows."""

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
        outputs = pool(x, self.pool_size, self.strides, self.padding.upper())
        return channels_first(outputs) if first else outputs

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        spatial = spatial_of(input_shape, self.data_format)
        sizes = [
            window_output(size, window, stride, self.padding)
            for size, window, stride in zip(spatial, self.pool_size, self.strides)
        ]
        if any(size is not None and size <= 0 for size in sizes):
            raise ValueError(
                f"{type(self).__name__} '{self.name}': the output size would be negative, as the "
                f"window is larger than the input. Received the input shape {tuple(input_shape)} "
                f"with pool_size={self.pool_size}, strides={self.strides}"
            )
        axis = -1 if self.data_format == "channels_last" else 1
        return with_spatial(input_shape, sizes, input_shape[axis], self.data_format)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "pool_size": self.pool_size,
            "padding": self.padding,
            "strides": self.strides,
            "data_format": self.data_format,
        }


class MaxPooling1D(_Pooling):
    """Max pooling over sequences.

    Args:
        pool_size: Length of the window.
        strides: Step between windows; `pool_size` if None.
        padding: `"valid"` for none, `"same"` to cover the whole sequence.
        data_format: `"channels_last"` or `"channels_first"`.

    >>> x = tf.reshape(tf.range(4.0), (1, 4, 1))
    >>> tf.keras.layers.MaxPooling1D(2)(x).numpy().ravel()
    array([1., 3.], dtype=float32)
    """

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
    """Max pooling over images, (batch, height, width, channels).

    Args:
        pool_size: Height and width of the window; one integer for both.
        strides: Steps between windows; `pool_size` if None.
        padding: `"valid"` for none, `"same"` to cover the whole image.
        data_format: `"channels_last"` or `"channels_first"`.

    >>> tf.keras.layers.MaxPooling2D(2)(tf.ones((1, 28, 28, 8))).shape
    TensorShape([1, 14, 14, 8])
    """

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
    """Max pooling over volumes.

    Args:
        pool_size: Sizes of the window; one integer for all three.
        strides: Steps between windows; `pool_size` if None.
        padding: `"valid"` or `"same"`.
        data_format: `"channels_last"` or `"channels_first"`.

    Example:
        >>> tf.keras.layers.MaxPooling3D(2)(tf.ones((1, 8, 8, 8, 3))).shape
        TensorShape([1, 4, 4, 4, 3])
    """

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
    """Average pooling over sequences.

    Args:
        pool_size: Length of the window.
        strides: Step between windows; `pool_size` if None.
        padding: `"valid"` or `"same"`; padded steps do not count in the mean.
        data_format: `"channels_last"` or `"channels_first"`.

    >>> x = tf.reshape(tf.range(4.0), (1, 4, 1))
    >>> tf.keras.layers.AveragePooling1D(2)(x).numpy().ravel()
    array([0.5, 2.5], dtype=float32)
    """

    _axes = 1
    _functions = _MEAN


class AveragePooling2D(_Pooling):
    """Average pooling over images.

    Args:
        pool_size: Height and width of the window; one integer for both.
        strides: Steps between windows; `pool_size` if None.
        padding: `"valid"` or `"same"`; padded pixels do not count in the mean.
        data_format: `"channels_last"` or `"channels_first"`.

    >>> tf.keras.layers.AveragePooling2D(2)(tf.ones((1, 28, 28, 8))).shape
    TensorShape([1, 14, 14, 8])
    """

    _axes = 2
    _functions = _MEAN


class AveragePooling3D(_Pooling):
    """Average pooling over volumes.

    Args:
        pool_size: Sizes of the window; one integer for all three.
        strides: Steps between windows; `pool_size` if None.
        padding: `"valid"` or `"same"`; padding does not count in the mean.
        data_format: `"channels_last"` or `"channels_first"`.

    Example:
        >>> tf.keras.layers.AveragePooling3D(2)(tf.ones((1, 8, 8, 8, 3))).shape
        TensorShape([1, 4, 4, 4, 3])
    """

    _axes = 3
    _functions = _MEAN
