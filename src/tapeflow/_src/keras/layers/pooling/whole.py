"""The largest value, or the mean, over all axes between the batch and the channels."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer


class _GlobalPooling(Layer):
    _tpf_has_no_weights = True
    _axes: int

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.keepdims = keepdims
        self.input_spec = InputSpec(ndim=self._axes + 2)
        first = 1 if self.data_format == "channels_last" else 2
        self._reduced = list(range(first, first + self._axes))

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        last = self.data_format == "channels_last"
        batch, channels = input_shape[0], input_shape[-1 if last else 1]
        ones = (1,) * self._axes if self.keepdims else ()
        return (batch, *ones, channels) if last else (batch, channels, *ones)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "data_format": self.data_format,
            "keepdims": self.keepdims,
        }


class _GlobalMaxPooling(_GlobalPooling):
    def call(self, inputs: Any) -> Any:
        return tf.reduce_max(inputs, axis=self._reduced, keepdims=self.keepdims)


class _GlobalAveragePooling(_GlobalPooling):
    def call(self, inputs: Any) -> Any:
        return tf.reduce_mean(inputs, axis=self._reduced, keepdims=self.keepdims)


class GlobalMaxPooling1D(_GlobalMaxPooling):
    """Maximum over the steps of each sequence: (batch, steps, channels) to (batch, channels).

    Args:
        data_format: `"channels_last"` or `"channels_first"`.
        keepdims: Whether the reduced axis stays, with size 1.

    Example:
        >>> tf.keras.layers.GlobalMaxPooling1D()(tf.ones((2, 5, 3))).shape
        TensorShape([2, 3])
    """

    _axes = 1


class GlobalMaxPooling2D(_GlobalMaxPooling):
    """Maximum over height and width: (batch, height, width, channels) to (batch, channels).

    Args:
        data_format: `"channels_last"` or `"channels_first"`.
        keepdims: Whether the reduced axes stay, with size 1.

    Example:
        >>> tf.keras.layers.GlobalMaxPooling2D(keepdims=True)(tf.ones((2, 7, 7, 64))).shape
        TensorShape([2, 1, 1, 64])
    """

    _axes = 2


class GlobalMaxPooling3D(_GlobalMaxPooling):
    """Maximum over the three spatial axes of volumes.

    Args:
        data_format: `"channels_last"` or `"channels_first"`.
        keepdims: Whether the reduced axes stay, with size 1.

    Example:
        >>> tf.keras.layers.GlobalMaxPooling3D()(tf.ones((2, 4, 4, 4, 3))).shape
        TensorShape([2, 3])
    """

    _axes = 3


class GlobalAveragePooling1D(_GlobalPooling):
    """Mean over the steps of each sequence: (batch, steps, channels) to (batch, channels).

    Args:
        data_format: `"channels_last"` or `"channels_first"`.
        keepdims: Whether the reduced axis stays, with size 1.

    Masked steps do not count.

    >>> tf.keras.layers.GlobalAveragePooling1D()(tf.ones((2, 5, 3))).shape
    TensorShape([2, 3])
    """

    _axes = 1

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(data_format, keepdims, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None:
            return tf.reduce_mean(inputs, axis=self._reduced, keepdims=self.keepdims)
        steps = self._reduced[0]
        mask = tf.expand_dims(tf.cast(mask, inputs.dtype), 3 - steps)
        total = tf.reduce_sum(inputs * mask, axis=steps, keepdims=self.keepdims)
        return total / tf.reduce_sum(mask, axis=steps, keepdims=self.keepdims)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None


class GlobalAveragePooling2D(_GlobalAveragePooling):
    """Mean over height and width: (batch, height, width, channels) to (batch, channels).

    Args:
        data_format: `"channels_last"` or `"channels_first"`.
        keepdims: Whether the reduced axes stay, with size 1.

    >>> tf.keras.layers.GlobalAveragePooling2D()(tf.ones((2, 7, 7, 64))).shape
    TensorShape([2, 64])
    """

    _axes = 2


class GlobalAveragePooling3D(_GlobalAveragePooling):
    """Mean over the three spatial axes of volumes.

    Args:
        data_format: `"channels_last"` or `"channels_first"`.
        keepdims: Whether the reduced axes stay, with size 1.

    Example:
        >>> tf.keras.layers.GlobalAveragePooling3D()(tf.ones((2, 4, 4, 4, 3))).shape
        TensorShape([2, 3])
    """

    _axes = 3
