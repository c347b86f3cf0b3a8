"""Normalizations of each example on its own: layer, group, RMS and unit normalization."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.normalization.base import Normalization, known_size, precise


def _axes_of(axis: Axis) -> list[int]:
    if isinstance(axis, (list, tuple)):
        return list(axis)
    if isinstance(axis, int):
        return [axis]
    raise TypeError(f"`axis` must be an integer, or several in a list. Received: axis={axis!r}")


class LayerNormalization(Normalization):
    """Layer normalization (Ba et al., 2016): mean 0 and variance 1 over each example's features.

    Args:
        axis: Axis or axes to normalize over; the last by default.
        epsilon: Added to the variance for numerical stability.
        center: Whether to add the trainable offset `beta`.
        scale: Whether to multiply by the trainable factor `gamma`.
        beta_initializer: Initializer of `beta`.
        gamma_initializer: Initializer of `gamma`.
        beta_regularizer: Penalty on `beta`.
        gamma_regularizer: Penalty on `gamma`.
        beta_constraint: Projection of `beta` after each optimizer step.
        gamma_constraint: Projection of `gamma` after each optimizer step.

    >>> tf.keras.layers.LayerNormalization()(tf.constant([[1.0, 3.0]])).numpy().round(2)
    array([[-1.,  1.]], dtype=float32)

    Raises:
        TypeError: `axis` is neither an integer nor a list.
        ValueError: An axis is out of range, or its size is not static.
    """

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        self.rms_scaling = kwargs.pop("rms_scaling", False)
        super().__init__(
            epsilon,
            center,
            scale,
            beta_initializer,
            gamma_initializer,
            beta_regularizer,
            gamma_regularizer,
            beta_constraint,
            gamma_constraint,
            **kwargs,
        )
        self.axis = _axes_of(axis)
        # Values beyond the range of half precision are normalized before they are cast.
        self.autocast = False

    def build(self, input_shape: Any) -> None:
        shape = tuple(known_size(self, input_shape, axis) for axis in self.axis)
        rms = self.rms_scaling
        self._add_scale_and_offset(
            shape, autocast=False, scale=self.scale or rms, center=self.center and not rms
        )
        rank = len(input_shape)
        axes = [axis % rank for axis in self.axis]
        self._places = axes
        ones = [1] * rank
        for index in axes:
            ones[index] = input_shape[index]
        # Weights of the last axes meet inputs as they are.
        self._broadcast_shape = None if axes == list(range(rank - len(axes), rank)) else ones

    def call(self, inputs: Any) -> Any:
        x = precise(inputs)
        mean, variance = tf.nn.moments(x, self._places, keepdims=True)
        gamma, beta = self._broadcast(self.gamma, x), self._broadcast(self.beta, x)
        if self.rms_scaling:
            scaled = x * tf.math.rsqrt(variance + self.epsilon)
            scaled = scaled if gamma is None else scaled * gamma
            return tf.cast(scaled, self.compute_dtype)
        outputs = tf.nn.batch_normalization(x, mean, variance, beta, gamma, self.epsilon)
        return tf.cast(outputs, self.compute_dtype)

    def _broadcast(self, weight: Any, like: Any) -> Any:
        if weight is None:
            return None
        value = tf.cast(weight.value(), like.dtype)
        return value if self._broadcast_shape is None else tf.reshape(value, self._broadcast_shape)

    def compute_output_shape(self, input_shape: Any) -> Any:
        for axis in self.axis:
            if not -len(input_shape) <= axis < len(input_shape):
                raise ValueError(
                    f"LayerNormalization '{self.name}': axis={self.axis} is out of range for the "
                    f"input shape {input_shape} of rank {len(input_shape)}."
                )
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis, "rms_scaling": self.rms_scaling}


class RMSNormalization(Layer):
    """Root mean square normalization (Zhang & Sennrich, 2019): `scale * x / sqrt(mean(x ** 2))`.

    Args:
        axis: Axis or axes to normalize over; the last by default.
        epsilon: Added to the mean square for numerical stability.

    Raises:
        TypeError: `axis` is neither an integer nor a list.

    Example:
        >>> tf.keras.layers.RMSNormalization()(tf.constant([[3.0, 4.0]])).numpy().round(3)
        array([[0.849, 1.131]], dtype=float32)
    """

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = _axes_of(axis)
        self.epsilon = epsilon

    def build(self, input_shape: Any) -> None:
        shape = tuple(known_size(self, input_shape, axis) for axis in self.axis)
        self.scale = self.add_weight(name="scale", shape=shape, initializer="ones", autocast=False)

    def call(self, x: Any) -> Any:
        """Normalize the inputs by their root mean square.

        Args:
            x: Tensor with the sizes along `axis` that the layer was built for.

        Returns:
            The normalized tensor.
        """
        exact = precise(x)
        mean_square = tf.reduce_mean(tf.square(exact), self.axis, keepdims=True)
        normalized = exact * tf.math.rsqrt(mean_square + self.epsilon)
        scale = tf.cast(self.scale.value(), exact.dtype)
        if self.axis != [-1]:
            ones = [1] * x.shape.rank
            for axis in self.axis:
                ones[axis] = x.shape[axis]
            scale = tf.reshape(scale, ones)
        return tf.cast(normalized * scale, self.compute_dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis, "epsilon": self.epsilon}


class GroupNormalization(Normalization):
    """Group normalization (Wu & He, 2018): normalizes groups of channels of each example.

    Args:
        groups: Number of groups, which must divide the number of channels; -1 for one channel per
            group (instance normalization), 1 for one group of all.
        axis: Axis of the channels.
        epsilon: Added to the variance for numerical stability.
        center: Whether to add the trainable offset `beta`.
        scale: Whether to multiply by the trainable factor `gamma`.
        beta_initializer: Initializer of `beta`.
        gamma_initializer: Initializer of `gamma`.
        beta_regularizer: Penalty on `beta`.
        gamma_regularizer: Penalty on `gamma`.
        beta_constraint: Projection of `beta` after each optimizer step.
        gamma_constraint: Projection of `gamma` after each optimizer step.

    Raises:
        ValueError: `groups` is invalid or does not divide the number of channels.

    Example:
        >>> tf.keras.layers.GroupNormalization(groups=2)(tf.ones((1, 4, 4, 8))).shape
        TensorShape([1, 4, 4, 8])
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            epsilon,
            center,
            scale,
            beta_initializer,
            gamma_initializer,
            beta_regularizer,
            gamma_regularizer,
            beta_constraint,
            gamma_constraint,
            **kwargs,
        )
        if not isinstance(groups, int) or groups == 0 or groups < -1:
            raise ValueError(
                f"GroupNormalization: argument `groups` must be a positive integer, or -1 for one "
                f"group a channel. Received: groups={groups!r}"
            )
        self.groups = groups
        self.axis = axis
        # Values beyond the range of half precision are normalized before they are cast.
        self.autocast = False

    def build(self, input_shape: Any) -> None:
        size = known_size(self, input_shape, self.axis)
        if self.groups == -1:
            self.groups = size
        if self.groups <= 0 or size < self.groups or size % self.groups:
            raise ValueError(
                f"GroupNormalization '{self.name}': `groups` must be -1 or a positive divisor of "
                f"the number of channels, {size}. Received: groups={self.groups}"
            )
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: size})
        self._add_scale_and_offset((size,))

    def call(self, inputs: Any) -> Any:
        x = precise(inputs)
        dims, now = tuple(x.shape), tf.shape(x)
        rank = len(dims)
        axis = self.axis % rank
        sizes = [now[i] if n is None else n for i, n in enumerate(dims)]
        split = [*sizes[:axis], self.groups, dims[axis] // self.groups, *sizes[axis + 1 :]]
        grouped = tf.reshape(x, split)
        over = [index for index in range(1, rank + 1) if index != axis]
        mean, variance = tf.nn.moments(grouped, over, keepdims=True)
        ones = [1] * (rank + 1)
        ones[axis], ones[axis + 1] = split[axis], split[axis + 1]
        gamma, beta = (
            None if weight is None else tf.reshape(tf.cast(weight.value(), x.dtype), ones)
            for weight in (self.gamma, self.beta)
        )
        normalized = tf.nn.batch_normalization(grouped, mean, variance, beta, gamma, self.epsilon)
        return tf.cast(tf.reshape(normalized, sizes), self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "groups": self.groups, "axis": self.axis}


class UnitNormalization(Layer):
    """Scales each example to L2 norm 1.

    Args:
        axis: Axis or axes of the norm; the last by default.

    >>> tf.keras.layers.UnitNormalization()(tf.constant([[3.0, 4.0]])).numpy()
    array([[0.6, 0.8]], dtype=float32)

    Raises:
        TypeError: `axis` is neither an integer nor a list.
    """

    _tpf_has_no_weights = True

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(
                f"`axis` must be an integer, or several in a list. Received: axis={axis!r}"
            )
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        x = inputs if inputs.dtype.is_floating else tf.cast(inputs, self.compute_dtype)
        square_sum = tf.reduce_sum(tf.square(x), axis=self.axis, keepdims=True)
        return x * tf.math.rsqrt(tf.maximum(square_sum, 1e-12))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}
