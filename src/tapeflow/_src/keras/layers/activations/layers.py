"""Activation layers."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    serialized,
    set_weight_arguments,
    weight_config,
)
from tapeflow.keras import activations


class _Elementwise(Layer):
    """A layer whose outputs have the shape of its inputs."""

    _tpf_has_no_weights = True

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


class Activation(_Elementwise):
    """Applies an activation function to every element.

    Inputs and outputs have the same shape.

    Args:
        activation: Function of a tensor, or its name, such as `"relu"`.

    Example:
        >>> tf.keras.layers.Activation("relu")(tf.constant([-1.0, 2.0])).numpy()
        array([0., 2.], dtype=float32)
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **serialized(self, "activation")}


def _not_negative(layer: Layer, name: str, value: Any) -> Any:
    if value is None or value < 0:
        raise ValueError(
            f"{type(layer).__name__}: `{name}` must be a number >= 0. Received: {name}={value!r}"
        )
    return value


class ReLU(_Elementwise):
    """Rectified linear unit: `max(x, 0)`, with an optional limit, slope and threshold.

    Args:
        max_value: Upper limit of the outputs; None for none.
        negative_slope: Slope below the threshold: `negative_slope * (x - threshold)`.
        threshold: Inputs below it are rectified.

    Raises:
        ValueError: An argument is negative.

    Example:
        >>> layer = tf.keras.layers.ReLU(max_value=6.0, negative_slope=0.5)
        >>> layer(tf.constant([-2.0, 3.0, 8.0])).numpy()
        array([-1.,  3.,  6.], dtype=float32)
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.max_value = None if max_value is None else _not_negative(self, "max_value", max_value)
        self.negative_slope = _not_negative(self, "negative_slope", negative_slope)
        self.threshold = _not_negative(self, "threshold", threshold)

    def call(self, inputs: Any) -> Any:
        return activations.relu(
            inputs,
            negative_slope=self.negative_slope,
            max_value=self.max_value,
            threshold=self.threshold,
        )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "max_value": self.max_value,
            "negative_slope": self.negative_slope,
            "threshold": self.threshold,
        }


class LeakyReLU(_Elementwise):
    """Leaky ReLU: `x` if positive, else `negative_slope * x`.

    Args:
        negative_slope: Slope for negative inputs; Keras 2 calls it `alpha`, which is accepted, too.

    Raises:
        ValueError: The slope is negative.

    Example:
        >>> tf.keras.layers.LeakyReLU(0.5)(tf.constant([-2.0, 2.0])).numpy()
        array([-1.,  2.], dtype=float32)
    """

    def __init__(self, negative_slope: float = 0.3, **kwargs: Any) -> None:
        if "alpha" in kwargs:
            negative_slope = kwargs.pop("alpha")
        super().__init__(**kwargs)
        self.negative_slope = _not_negative(self, "negative_slope", negative_slope)

    def call(self, inputs: Any) -> Any:
        return tf.nn.leaky_relu(inputs, alpha=self.negative_slope)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "negative_slope": self.negative_slope}


class ELU(_Elementwise):
    """Exponential linear unit: `x` if positive, else `alpha * (exp(x) - 1)`.

    Args:
        alpha: Scale of negative outputs, which tend to `-alpha`.

    Example:
        >>> tf.keras.layers.ELU()(tf.constant([-1.0, 2.0])).numpy()
        array([-0.632...,  2.        ], dtype=float32)
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any) -> Any:
        outputs = tf.nn.elu(inputs)
        return outputs if self.alpha == 1 else tf.where(inputs > 0, outputs, self.alpha * outputs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "alpha": self.alpha}


class ThresholdedReLU(_Elementwise):
    """Thresholded ReLU: `x` if above `theta`, else 0 (Keras 2).

    Args:
        theta: Threshold, at least 0.

    Raises:
        ValueError: `theta` is negative.

    Example:
        >>> tf.keras.layers.ThresholdedReLU(theta=1.0)(tf.constant([0.5, 1.5])).numpy()
        array([0. , 1.5], dtype=float32)
    """

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = _not_negative(self, "theta", theta)

    def call(self, inputs: Any) -> Any:
        return inputs * tf.cast(inputs > tf.cast(self.theta, inputs.dtype), inputs.dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "theta": float(self.theta)}


class PReLU(_Elementwise):
    """Parametric ReLU: `x` if positive, else `alpha * x` with a trainable `alpha`.

    There is a slope for each element of an input without its batch axis, unless axes share them.

    Args:
        alpha_initializer: Initializer of the slopes.
        alpha_regularizer: Penalty on the slopes.
        alpha_constraint: Projection of the slopes after each optimizer step.
        shared_axes: Axes along which the slopes are shared, such as `[1, 2]` for images with one
            slope per channel; None for none.

    Example:
        >>> layer = tf.keras.layers.PReLU(shared_axes=[1, 2])
        >>> layer(tf.ones((1, 8, 8, 3))).shape
        TensorShape([1, 8, 8, 3])
        >>> layer.alpha.shape
        TensorShape([1, 1, 3])
    """

    def __init__(
        self,
        alpha_initializer: Any = "Zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        set_weight_arguments(self, "alpha", alpha_initializer, alpha_regularizer, alpha_constraint)
        if shared_axes is None or isinstance(shared_axes, (list, tuple)):
            self.shared_axes = None if shared_axes is None else list(shared_axes)
        else:
            self.shared_axes = [shared_axes]

    def build(self, input_shape: Any) -> None:
        shape = list(input_shape[1:])
        for axis in self.shared_axes or ():
            shape[axis - 1] = 1
        self.alpha = add_weight_for(self, "alpha", shape)
        free = range(1, len(input_shape))
        axes = {axis: input_shape[axis] for axis in free if axis not in (self.shared_axes or ())}
        self.input_spec = InputSpec(ndim=len(input_shape), axes=axes)

    def call(self, inputs: Any) -> Any:
        return tf.nn.relu(inputs) - self.alpha.value() * tf.nn.relu(-inputs)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **weight_config(self, "alpha"),
            "shared_axes": self.shared_axes,
        }


class Softmax(_Elementwise):
    """Softmax along an axis; masked values get probability 0.

    Args:
        axis: Axis or axes to normalize over.

    Call arguments:
        inputs: Logits of any shape.
        mask: Boolean tensor that broadcasts to the inputs, True where values count. A slice that is
            masked entirely has only zeros as outputs.

    Raises:
        ValueError: The mask does not broadcast to the inputs.

    Example:
        >>> layer = tf.keras.layers.Softmax()
        >>> layer(tf.constant([[0.0, 0.0]])).numpy()
        array([[0.5, 0.5]], dtype=float32)
        >>> layer(tf.zeros((1, 3)), mask=tf.constant([[True, True, False]])).numpy()
        array([[0.5, 0.5, 0. ]], dtype=float32)
    """

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        kwargs.pop("robust_masking", None)  # of Keras 2; masking is robust
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is not None:
            mask = self._checked_mask(mask, inputs)
            lowest = -3e4 if inputs.dtype == tf.float16 else -1e9
            inputs = tf.where(mask, inputs, tf.cast(lowest, inputs.dtype))
        if not isinstance(self.axis, (tuple, list)):
            probabilities = activations.softmax(inputs, axis=self.axis)
        elif len(self.axis) > 1:
            probabilities = tf.exp(
                inputs - tf.reduce_logsumexp(inputs, axis=self.axis, keepdims=True)
            )
        else:
            probabilities = activations.softmax(inputs, axis=self.axis[0])
        # A row that is masked entirely is all zero instead of uniform.
        return (
            probabilities
            if mask is None
            else tf.where(mask, probabilities, tf.zeros_like(probabilities))
        )

    def _checked_mask(self, mask: TensorLike, inputs: Any) -> Any:
        """Return the mask as booleans; raise if it does not broadcast to the inputs."""
        mask = tf.convert_to_tensor(mask)
        ours, theirs = mask.shape, inputs.shape
        pairs = zip(reversed(tuple(ours)), reversed(tuple(theirs)))
        if len(ours) > len(theirs) or any(
            m not in (None, 1, n) and n is not None for m, n in pairs
        ):
            raise ValueError(
                f"Softmax '{self.name}': the mask must broadcast to the inputs. Received a mask "
                f"of shape {ours} for inputs of shape {theirs}."
            )
        return mask if mask.dtype is tf.bool else mask > tf.cast(0.5, mask.dtype)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}
