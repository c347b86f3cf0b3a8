"""`BatchNormalization` of `tf.compat.v1.layers`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Identifier, TensorLike
from tapeflow._src.keras.layers.convolutional.base import passed_on
from tapeflow._src.keras.layers.normalization.base import precise
from tapeflow._src.keras.tf1.layers.base import Layer

layers = tf.keras.layers


class BatchNormalization(Layer, layers.BatchNormalization):  # type: ignore[misc, name-defined]
    """Normalizes by the moments of the batch in training, and by moving averages otherwise.

    In a graph for sessions, the updates of the averages are in the collection `UPDATE_OPS`.
    """

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
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        arguments = passed_on(locals())
        # How values are computed is decided elsewhere: `fused` changes no result.
        for unsupported in ("virtual_batch_size", "adjustment"):
            if arguments.pop(unsupported) is not None:
                raise NotImplementedError(
                    f"BatchNormalization does not support `{unsupported}`: leave it out."
                )
        arguments.pop("fused")
        super().__init__(**arguments)

    def call(self, inputs: Any, training: Any = False, mask: TensorLike | None = None) -> Any:
        if not tf.is_tensor(training):
            return super().call(inputs, training=bool(training), mask=mask)
        if self.renorm:
            raise NotImplementedError(
                "BatchNormalization with `renorm` needs a Python bool for `training`."
            )
        x = precise(inputs)
        averages = tf.cast(self.moving_mean, x.dtype), tf.cast(self.moving_variance, x.dtype)
        mean, variance = tf.cond(training, lambda: self._moments(x, mask), lambda: averages)
        if self.trainable:
            momentum = tf.where(training, self.momentum, 1.0)
            self._move(self.moving_mean, mean, momentum)
            self._move(self.moving_variance, variance, momentum)
        gamma = None if self.gamma is None else self._broadcast(self.gamma.value(), x)
        beta = None if self.beta is None else self._broadcast(self.beta.value(), x)
        outputs = tf.nn.batch_normalization(
            x, self._broadcast(mean, x), self._broadcast(variance, x), beta, gamma, self.epsilon
        )
        return tf.cast(outputs, self.compute_dtype)


def batch_normalization(
    inputs: Any,
    axis: int = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Identifier = "zeros",
    gamma_initializer: Identifier = "ones",
    moving_mean_initializer: Identifier = "zeros",
    moving_variance_initializer: Identifier = "ones",
    beta_regularizer: Identifier | None = None,
    gamma_regularizer: Identifier | None = None,
    beta_constraint: Identifier | None = None,
    gamma_constraint: Identifier | None = None,
    training: Any = False,
    trainable: bool = True,
    name: Any = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Any:
    """Create a `BatchNormalization` layer and call it; `training` may be a boolean tensor."""
    given = dict(locals())
    for other in ("inputs", "training", "reuse"):
        del given[other]
    return BatchNormalization(**given, _scope=name, _reuse=reuse)(inputs, training=training)
