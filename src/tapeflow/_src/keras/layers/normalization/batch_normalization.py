"""`BatchNormalization`: normalizes each channel over the batch."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, Identifier, ShapeLike
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.normalization.base import Normalization, known_size, precise
from tapeflow._src.keras.replicas import synchronized_moments
from tapeflow.keras import initializers


class BatchNormalization(Normalization):
    """Batch normalization: `gamma * (x - mean) / sqrt(variance + epsilon) + beta`.

    In training, mean and variance are those of the batch, per index of `axis`, and moving averages
    of them are updated. At inference the moving averages are used. With `trainable = False` the
    layer always runs in inference mode.

    Args:
        axis: Axis of the features, which have separate statistics; the last by default.
        momentum: Decay of the moving averages.
        epsilon: Added to the variance for numerical stability.
        center: Whether to add the trainable offset `beta`.
        scale: Whether to multiply by the trainable factor `gamma`.
        beta_initializer: Initializer of `beta`.
        gamma_initializer: Initializer of `gamma`.
        moving_mean_initializer: Initializer of the moving mean.
        moving_variance_initializer: Initializer of the moving variance.
        beta_regularizer: Penalty on `beta`.
        gamma_regularizer: Penalty on `gamma`.
        beta_constraint: Projection of `beta` after each optimizer step.
        gamma_constraint: Projection of `gamma` after each optimizer step.
        renorm: Whether to correct by the moving averages in training (Ioffe, 2017).
        renorm_clipping: Limits `rmin`, `rmax` and `dmax` of the renormalization.
        renorm_momentum: Decay of the averages of renormalization.
        synchronized: Whether statistics are those of all replicas.

    >>> layer = tf.keras.layers.BatchNormalization()
    >>> x = tf.constant([[1.0], [3.0]])
    >>> layer(x, training=True).numpy().round(2)
    array([[-1.],
           [ 1.]], dtype=float32)

    Call arguments:
        inputs: Tensor of any rank; its size along `axis` must be static.
        training: Whether to use the statistics of the batch and to update the averages.
        mask: Boolean mask with one axis less than the inputs; masked values do not count.

    Raises:
        ValueError: `renorm_clipping` or the mask is invalid, or the size along `axis` is not
            static.
    """

    moving_mean: Any = None
    moving_variance: Any = None
    moving_stddev: Any
    renorm_mean: Any
    renorm_stddev: Any
    renorm_clipping: Any

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
        # Keras 2 writes a list of one axis.
        self.axis = int(axis[0] if isinstance(axis, list) and len(axis) == 1 else axis)
        self.momentum = momentum
        self.synchronized = synchronized
        self.renorm = renorm
        self.renorm_clipping = _checked_clipping(renorm_clipping) if renorm else renorm_clipping
        self.renorm_momentum = renorm_momentum
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def build(self, input_shape: Any) -> None:
        size = known_size(self, input_shape, self.axis)
        self._add_scale_and_offset((size,), autocast=False)
        self._add_average("moving_mean", size, self.moving_mean_initializer)
        self._add_average("moving_variance", size, self.moving_variance_initializer)
        if self.renorm:
            self._add_average("moving_stddev", size, self._initial_stddev)
            self._add_average("renorm_mean", size, self.moving_mean_initializer)
            self._add_average("renorm_stddev", size, self._initial_stddev)
        rank = len(input_shape)
        self.input_spec = InputSpec(ndim=rank, axes={self.axis: size})
        axis = self.axis % rank
        self._reduction_axes = tuple(index for index in range(rank) if index != axis)
        # Sizes that let weights meet inputs; None where they do already.
        ones = [1] * rank
        ones[axis] = size
        self._broadcast_shape = None if axis == rank - 1 else tuple(ones)

    def _add_average(self, name: str, size: int, initializer: Identifier) -> None:
        moving = self.add_weight(
            name=name, shape=(size,), initializer=initializer, trainable=False, autocast=False
        )
        setattr(self, name, moving)

    def _initial_stddev(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
        return tf.sqrt(self.moving_variance_initializer(shape, dtype=dtype))

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if mask is not None and mask.shape.rank != inputs.shape.rank - 1:
            raise ValueError(
                f"BatchNormalization '{self.name}': `mask` must have one axis less than the "
                f"inputs. Received the shapes {mask.shape} and {inputs.shape}."
            )
        x = precise(inputs)
        correction = None
        if training and self.trainable:
            mean, variance = self._moments(x, mask)
            if self.renorm:
                correction = self._renormalize(mean, variance)
            else:
                self._move(self.moving_mean, mean)
                self._move(self.moving_variance, variance)
        else:
            mean, variance = self.moving_mean.value(), self.moving_variance.value()
            if mean.dtype is not x.dtype:
                mean, variance = tf.cast(mean, x.dtype), tf.cast(variance, x.dtype)
        gamma = None if self.gamma is None else self._broadcast(self.gamma.value(), x)
        beta = None if self.beta is None else self._broadcast(self.beta.value(), x)
        if correction is not None:
            r, d = (self._broadcast(each, x) for each in correction)
            offset = d if gamma is None else d * gamma
            gamma = r if gamma is None else r * gamma
            beta = offset if beta is None else offset + beta
        outputs = tf.nn.batch_normalization(
            x, self._broadcast(mean, x), self._broadcast(variance, x), beta, gamma, self.epsilon
        )
        return tf.cast(outputs, self.compute_dtype)

    def _broadcast(self, value: Any, like: Any) -> Any:
        if self._broadcast_shape is not None:
            value = tf.reshape(value, self._broadcast_shape)
        return value if value.dtype is like.dtype else tf.cast(value, like.dtype)

    def _move(self, variable: Any, value: Any, momentum: Any = None) -> Any:
        """Bring a moving average nearer to `value`, and return it."""
        old = variable.value()
        value = tf.cast(value, old.dtype)
        momentum = self.momentum if momentum is None else momentum
        new = old * momentum + value * (1.0 - momentum)
        variable.assign(new)
        return new

    def _renormalize(self, mean: Any, variance: Any) -> tuple[Any, Any]:
        """Update all averages of batch renormalization, and return its factor and its offset.

        See Ioffe (2017): they map batch-normalized values to those that the moving averages yield.
        """
        stddev = tf.sqrt(variance + self.epsilon)
        average = tf.cast(self.renorm_mean.value(), mean.dtype)
        spread = tf.cast(self.renorm_stddev.value(), mean.dtype)
        spread = tf.maximum(spread, tf.cast(self.epsilon**0.5, mean.dtype))
        r, d = stddev / spread, (mean - average) / spread
        limits = self.renorm_clipping
        if limits.get("rmin") is not None:
            r = tf.maximum(r, limits["rmin"])
        if limits.get("rmax") is not None:
            r = tf.minimum(r, limits["rmax"])
        if limits.get("dmax") is not None:
            d = tf.clip_by_value(d, -limits["dmax"], limits["dmax"])
        self._move(self.renorm_mean, mean, self.renorm_momentum)
        self._move(self.renorm_stddev, stddev, self.renorm_momentum)
        self._move(self.moving_mean, mean)
        moving = self._move(self.moving_stddev, stddev)
        self.moving_variance.assign(tf.nn.relu(moving * moving - self.epsilon))
        return tf.stop_gradient(r), tf.stop_gradient(d)

    def _moments(self, x: Any, mask: Any) -> tuple[Any, Any]:
        axes = self._reduction_axes
        if mask is None:
            whole = synchronized_moments(x, axes) if self.synchronized else None
            return tf.nn.moments(x, axes) if whole is None else whole
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
            "renorm": self.renorm,
            "renorm_clipping": self.renorm_clipping,
            "renorm_momentum": self.renorm_momentum,
            "synchronized": self.synchronized,
        }


def _checked_clipping(clipping: Any) -> dict[str, Any]:
    """Limits of the correction of batch renormalization: `rmin`, `rmax` and `dmax`."""
    limits = dict(clipping or {})
    unknown = set(limits) - {"rmin", "rmax", "dmax"}
    rmin, rmax, dmax = (limits.get(name) for name in ("rmin", "rmax", "dmax"))
    if (
        unknown
        or (rmin is not None and rmax is not None and rmax < rmin)
        or (dmax is not None and dmax < 0)
    ):
        raise ValueError(
            f"BatchNormalization: `renorm_clipping` may have 'rmin' <= 'rmax' and 'dmax' >= 0. "
            f"Received: {clipping}"
        )
    return limits
