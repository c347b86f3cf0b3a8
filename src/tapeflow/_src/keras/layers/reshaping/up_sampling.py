"""Upsampling layers."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.arguments import standardize_tuple
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer

_INTERPOLATIONS = ("bicubic", "bilinear", "lanczos3", "lanczos5", "nearest")


class _UpSampling(Layer):
    _tpf_keeps_dtype = True
    _axes: int

    def __init__(self, size: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.size: Any = standardize_tuple(size, self._axes, "size")
        self.input_spec = InputSpec(ndim=self._axes + 2)
        self._first = 2 if self.data_format == "channels_first" else 1

    def _factors(self) -> tuple[int, ...]:
        return self.size

    def call(self, inputs: Any) -> Any:
        for axis, times in enumerate(self._factors(), self._first):
            inputs = tf.repeat(inputs, times, axis=axis)
        return inputs

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        shape = list(input_shape)
        for axis, times in enumerate(self._factors(), self._first):
            shape[axis] = None if shape[axis] is None else shape[axis] * times
        return tuple(shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "size": self.size, "data_format": self.data_format}


class UpSampling1D(_UpSampling):
    """Upsamples sequences by repeating each step `size` times.

    Inputs of shape (batch, steps, channels) become (batch, size * steps, channels).

    Args:
        size: Number of repetitions.

    Raises:
        TypeError: `size` is no integer.

    Example:
        >>> x = tf.reshape(tf.range(2.0), (1, 2, 1))
        >>> tf.keras.layers.UpSampling1D(2)(x).numpy().ravel()
        array([0., 0., 1., 1.], dtype=float32)
    """

    _axes = 1

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise TypeError(
                f"`size` of UpSampling1D must be an integer. Received: size={size!r} of type "
                f"{type(size).__name__}"
            )
        super().__init__(int(size), "channels_last", **kwargs)
        self.size = int(size)

    def _factors(self) -> tuple[int, ...]:
        return (self.size,)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["data_format"]
        return config


class UpSampling2D(_UpSampling):
    """Upsamples images by repeating or interpolating rows and columns.

    Args:
        size: Factors along height and width; one integer for both.
        data_format: `"channels_last"` or `"channels_first"`.
        interpolation: `"nearest"` to repeat, or `"bilinear"`, `"bicubic"`, `"lanczos3"`, ....

    >>> tf.keras.layers.UpSampling2D(2)(tf.ones((1, 4, 4, 3))).shape
    TensorShape([1, 8, 8, 3])

    Raises:
        ValueError: `interpolation` is unknown.
    """

    _axes = 2

    def __init__(
        self,
        size: Any = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(size, data_format, **kwargs)
        self.interpolation = interpolation.lower()
        if self.interpolation not in _INTERPOLATIONS:
            raise ValueError(
                f"UpSampling2D: `interpolation` must be one of {list(_INTERPOLATIONS)}. Received: "
                f"{interpolation!r}"
            )

    def call(self, inputs: Any) -> Any:
        if self.interpolation == "nearest":
            return super().call(inputs)
        if self._first == 2:
            inputs = tf.transpose(inputs, (0, 2, 3, 1))
        sizes = tf.shape(inputs)[1:3] * tf.constant(self.size)
        outputs = tf.cast(tf.image.resize(inputs, sizes, self.interpolation), inputs.dtype)
        outputs = tf.ensure_shape(outputs, self._static(tuple(inputs.shape)))
        return tf.transpose(outputs, (0, 3, 1, 2)) if self._first == 2 else outputs

    def _static(self, dims: tuple[int | None, ...]) -> list[int | None]:
        grown = [None if n is None else n * times for n, times in zip(dims[1:3], self.size)]
        return [dims[0], *grown, dims[3]]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "interpolation": self.interpolation}


class UpSampling3D(_UpSampling):
    """Upsamples volumes by repeating values along each axis.

    Args:
        size: Factors along the three spatial axes; one integer for all.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.

    Example:
        >>> tf.keras.layers.UpSampling3D(2)(tf.ones((1, 2, 2, 2, 3))).shape
        TensorShape([1, 4, 4, 4, 3])
    """

    _axes = 3

    def __init__(
        self, size: Any = (2, 2, 2), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(size, data_format, **kwargs)
