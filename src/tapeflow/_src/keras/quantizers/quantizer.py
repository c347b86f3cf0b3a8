"""Quantizers: floating-point numbers as small integers times a scale."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import epsilon as default_epsilon


class Quantizer:
    """Base class of quantizers: a call returns quantized values of the dtype `output_dtype`.

    Args:
        output_dtype: Dtype of quantized values.
    """

    def __init__(self, output_dtype: str = "int8") -> None:
        self.output_dtype = output_dtype

    def __call__(self, x: Any) -> Any:
        """Quantize a tensor; subclasses define how."""
        return x

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Create a quantizer from what `get_config` has returned.

        Args:
            config: The dict.

        Returns:
            A new quantizer.
        """
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates the same quantizer from."""
        raise NotImplementedError(f"{type(self).__name__} must define `get_config()` to be saved.")


class AbsMaxQuantizer(Quantizer):
    """Scales values so that the largest absolute one becomes the end of `value_range`.

    Args:
        axis: The axes that share a scale, unless a call says otherwise.
        value_range: The smallest and the largest quantized value.
        epsilon: Added to the largest absolute value, so that zeros have a scale.
        output_dtype: The dtype of quantized values.

    Example:

    >>> values, scale = tf.keras.quantizers.AbsMaxQuantizer()(tf.constant([[0.5, -1.0]]))
    >>> values.numpy()
    array([[  63, -127]], dtype=int8)
    """

    def __init__(
        self,
        axis: Any = None,
        value_range: tuple[int, int] = (-127, 127),
        epsilon: float = default_epsilon(),
        output_dtype: str = "int8",
    ) -> None:
        super().__init__(output_dtype)
        self.axis = (axis,) if isinstance(axis, int) else None if axis is None else tuple(axis)
        self.value_range: Any = tuple(value_range)
        self.epsilon = epsilon
        if output_dtype == "int8" and not -128 <= value_range[0] <= value_range[1] <= 127:
            raise ValueError(
                f"AbsMaxQuantizer: int8 holds values from -128 to 127. Received: "
                f"value_range={value_range}"
            )

    def __call__(self, x: Any, axis: Any = None, to_numpy: bool = False) -> tuple[Any, Any]:
        """Return the quantized values and their scale; see `abs_max_quantize`."""
        axis = self.axis if axis is None else axis
        axis = -1 if axis is None else axis
        return abs_max_quantize(
            x, axis, self.value_range, self.output_dtype, self.epsilon, to_numpy
        )

    def get_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            "value_range": self.value_range,
            "epsilon": self.epsilon,
            "output_dtype": self.output_dtype,
        }
        if self.axis is not None:
            config["axis"] = self.axis
        return config


def abs_max_quantize(
    inputs: Any,
    axis: Any,
    value_range: tuple[int, int] = (-127, 127),
    dtype: str = "int8",
    epsilon: float = default_epsilon(),
    to_numpy: bool = False,
) -> tuple[Any, Any]:
    """Quantize with one scale for the values along `axis`.

    Args:
        inputs: A floating-point tensor.
        axis: One axis or several, along which the largest absolute value is looked for.
        value_range: The smallest and the largest quantized value.
        dtype: The dtype of the quantized values.
        epsilon: Added to the largest absolute value.
        to_numpy: Whether memory of the device must be saved; it makes no difference on CPUs.

    Returns:
        The quantized values, and the scale: `inputs` are about `values / scale`.
    """
    x = tf.convert_to_tensor(inputs)
    axes = list(axis) if isinstance(axis, (tuple, list)) else axis
    largest = tf.reduce_max(tf.abs(x), axis=axes, keepdims=True)
    # In float32 at least: 127 over a small half-precision number is beyond its range.
    wide = tf.float64 if x.dtype is tf.float64 else tf.float32
    scale = tf.cast(value_range[1], wide) / (tf.cast(largest, wide) + epsilon)
    scale = tf.cast(scale, x.dtype)
    values = tf.clip_by_value(
        tf.round(x * scale), tf.cast(value_range[0], x.dtype), tf.cast(value_range[1], x.dtype)
    )
    return tf.cast(values, dtype), scale
