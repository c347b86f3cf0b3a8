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
    """Average pooling of sequences to a fixed number of steps, whatever their length.

    Inputs of shape (batch, steps, channels) become (batch, output_size, channels). Windows cover
    the whole sequence and may overlap.

    Args:
        output_size: Number of steps of the output.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.

    Raises:
        TypeError: `output_size` is no integer.

    Example:
        >>> x = tf.reshape(tf.range(4.0), (1, 4, 1))
        >>> tf.keras.layers.AdaptiveAveragePooling1D(2)(x).numpy()
        array([[[0.5],
                [2.5]]], dtype=float32)
    """

    _axes = 1


class AdaptiveAveragePooling2D(_AdaptiveAverage):
    """Average pooling of images to a fixed output size (height, width).

    Args:
        output_size: Height and width of the output; one integer for both.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.

    Raises:
        TypeError: `output_size` is not one integer or two.

    Example:
        >>> tf.keras.layers.AdaptiveAveragePooling2D((2, 3))(tf.ones((1, 7, 9, 4))).shape
        TensorShape([1, 2, 3, 4])
    """

    _axes = 2


class AdaptiveAveragePooling3D(_AdaptiveAverage):
    """Average pooling of volumes to a fixed output size.

    Args:
        output_size: Sizes of the three spatial axes of the output; one integer for all.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.

    Raises:
        TypeError: `output_size` is not one integer or three.

    Example:
        >>> tf.keras.layers.AdaptiveAveragePooling3D(2)(tf.ones((1, 4, 4, 5, 3))).shape
        TensorShape([1, 2, 2, 2, 3])
    """

    _axes = 3


class AdaptiveMaxPooling1D(_AdaptiveMax):
    """Max pooling of sequences to a fixed number of steps.

    Args:
        output_size: Number of steps of the output.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.

    Raises:
        TypeError: `output_size` is no integer.

    Example:
        >>> x = tf.reshape(tf.range(4.0), (1, 4, 1))
        >>> tf.keras.layers.AdaptiveMaxPooling1D(2)(x).numpy().ravel()
        array([1., 3.], dtype=float32)
    """

    _axes = 1


class AdaptiveMaxPooling2D(_AdaptiveMax):
    """Max pooling of images to a fixed output size (height, width).

    Args:
        output_size: Height and width of the output; one integer for both.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.

    Raises:
        TypeError: `output_size` is not one integer or two.

    Example:
        >>> tf.keras.layers.AdaptiveMaxPooling2D((2, 3))(tf.ones((1, 7, 9, 4))).shape
        TensorShape([1, 2, 3, 4])
    """

    _axes = 2


class AdaptiveMaxPooling3D(_AdaptiveMax):
    """Max pooling of volumes to a fixed output size.

    Args:
        output_size: Sizes of the three spatial axes of the output; one integer for all.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.

    Raises:
        TypeError: `output_size` is not one integer or three.

    Example:
        >>> tf.keras.layers.AdaptiveMaxPooling3D(2)(tf.ones((1, 4, 4, 5, 3))).shape
        TensorShape([1, 2, 2, 2, 3])
    """

    _axes = 3
