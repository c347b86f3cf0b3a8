"""`BatchNormalization`: mean 0 and variance 1 of each channel, over the batch."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras import initializers
from tapeflow.keras.layers.input_spec import InputSpec
from tapeflow.keras.layers.normalization.base import Normalization, known_size, precise


class BatchNormalization(Normalization):
    """Uses the moments of the batch while it is trained, and their moving averages afterwards."""

    moving_mean: Any
    moving_variance: Any

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        synchronized: bool = False,
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
        if renorm or synchronized:
            raise NotImplementedError(
                f"Batch renormalization and moments across replicas are not supported. Received: "
                f"renorm={renorm}, synchronized={synchronized}"
            )
        # Keras 2 writes a list of one axis.
        self.axis = int(axis[0] if isinstance(axis, list) and len(axis) == 1 else axis)
        self.momentum = momentum
        self.renorm_clipping = renorm_clipping
        self.renorm_momentum = renorm_momentum
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def build(self, input_shape: Any) -> None:
        size = known_size(self, input_shape, self.axis)
        self._add_scale_and_offset((size,))
        for name in ("moving_mean", "moving_variance"):
            moving = self.add_weight(
                name=name,
                shape=(size,),
                initializer=getattr(self, f"{name}_initializer"),
                trainable=False,
                autocast=False,
            )
            setattr(self, name, moving)
        rank = len(input_shape)
        self.input_spec = InputSpec(ndim=rank, axes={self.axis: size})
        axis = self.axis % rank
        self._reduction_axes = tuple(place for place in range(rank) if place != axis)
        # Sizes that let weights meet inputs; None where they do already.
        ones = [1] * rank
        ones[axis] = size
        self._broadcast_shape = None if axis == rank - 1 else tuple(ones)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        x = precise(inputs)
        if training and self.trainable:
            mean, variance = self._moments(x, mask)
            self._move(self.moving_mean, mean)
            self._move(self.moving_variance, variance)
        else:
            mean, variance = self.moving_mean.value(), self.moving_variance.value()
            if mean.dtype is not x.dtype:
                mean, variance = tf.cast(mean, x.dtype), tf.cast(variance, x.dtype)
        gamma = None if self.gamma is None else self._broadcast(self.gamma.value(), x)
        beta = None if self.beta is None else self._broadcast(self.beta.value(), x)
        outputs = tf.nn.batch_normalization(
            x, self._broadcast(mean, x), self._broadcast(variance, x), beta, gamma, self.epsilon
        )
        return tf.cast(outputs, self.compute_dtype)

    def _broadcast(self, value: Any, like: Any) -> Any:
        if self._broadcast_shape is not None:
            value = tf.reshape(value, self._broadcast_shape)
        return value if value.dtype is like.dtype else tf.cast(value, like.dtype)

    def _move(self, variable: Any, value: Any) -> None:
        """Bring a moving average nearer to `value`."""
        old = variable.value()
        value = tf.cast(value, old.dtype)
        variable.assign(old * self.momentum + value * (1.0 - self.momentum))

    def _moments(self, x: Any, mask: Any) -> tuple[Any, Any]:
        axes = self._reduction_axes
        if mask is None:
            return tf.nn.moments(x, axes)
        weights = tf.cast(mask, x.dtype)
        weights = tf.reshape(
            weights, tf.concat([tf.shape(weights), [1] * (x.shape.rank - mask.shape.rank)], 0)
        )
        weights = tf.broadcast_to(weights, tf.concat([tf.shape(x)[:-1], [1]], 0))
        count = tf.reduce_sum(weights, axes, keepdims=True) + 1e-7
        mean = tf.reduce_sum(weights * x, axes, keepdims=True) / count
        spread = tf.reduce_sum(weights * tf.square(x - mean), axes, keepdims=True)
        return tf.squeeze(mean, axes), tf.squeeze(spread / count, axes)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "axis": self.axis,
            "momentum": self.momentum,
            "moving_mean_initializer": initializers.serialize(self.moving_mean_initializer),
            "moving_variance_initializer": initializers.serialize(self.moving_variance_initializer),
            "renorm": False,
            "renorm_clipping": self.renorm_clipping,
            "renorm_momentum": self.renorm_momentum,
            "synchronized": False,
        }
