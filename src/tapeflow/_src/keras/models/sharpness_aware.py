"""`SharpnessAwareMinimization`: gradients at the worst point nearby, as in Keras 2."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.models.model import Model
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.object_registration import register_keras_serializable
from tapeflow._src.keras.saving.registry import LAYER
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow._src.keras.trainers.data_adapters.packing import unpack_x_y_sample_weight


@register_keras_serializable()
class SharpnessAwareMinimization(Model):
    """Trains a model with the gradients at the weights plus `rho` times the unit gradient.

    Args:
        model: the model that is trained.
        rho: how far the weights are moved before the gradient is computed.
        num_batch_splits: parts of a batch whose gradients are computed one by one and summed;
            None for the whole batch.

    Reference:
        Foret et al., 2020: https://arxiv.org/abs/2010.01412

    Example:
        >>> inner = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        >>> model = tf.keras.models.experimental.SharpnessAwareMinimization(inner)
        >>> model.compile("sgd", "mse")
        >>> history = model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0)
        >>> list(history.history)
        ['loss']
    """

    def __init__(
        self,
        model: Any,
        rho: float = 0.05,
        num_batch_splits: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        self.model = model
        self.rho = rho
        self.num_batch_splits = num_batch_splits

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self.model(inputs, **kwargs)

    def train_step(self, data: Any) -> Any:
        """Move the weights uphill, compute gradients there, and apply them at the old weights."""
        batch = unpack_x_y_sample_weight(data)
        count = self.num_batch_splits or 1
        parts = zip(*([None] * count if each is None else tf.split(each, count) for each in batch))
        computed = [self._gradients(*part) for part in parts]
        gradients = [tf.add_n(each) for each in zip(*(own for own, _ in computed))]
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        predictions = tf.concat([part for _, part in computed], axis=0)
        x, y, sample_weight = batch
        return self.compute_metrics(x, y, predictions, sample_weight)

    def _gradients(self, x: Any, y: Any, sample_weight: Any) -> tuple[list[Any], Any]:
        """The gradients at the moved weights, and the predictions at the weights themselves."""
        variables = self.model.trainable_variables
        gradients, predictions = self._gradients_here(x, y, sample_weight, False)
        norm = tf.norm(tf.stack([tf.norm(each) for each in gradients]))
        moves = [each * (self.rho / (norm + 1e-12)) for each in gradients]
        for variable, move in zip(variables, moves):
            variable.assign_add(move)
        gradients, _ = self._gradients_here(x, y, sample_weight, True)
        for variable, move in zip(variables, moves):
            variable.assign_sub(move)
        return gradients, predictions

    def _gradients_here(self, x: Any, y: Any, sample_weight: Any, training: bool) -> Any:
        with tf.GradientTape() as tape:
            predictions = self(x, training=training)
            loss = self.compute_loss(x, y, predictions, sample_weight, training=training)
        variables = self.model.trainable_variables
        computed = tape.gradient(loss, variables)
        # A variable that the loss does not depend on is moved by nothing.
        gradients = [tf.zeros_like(v) if g is None else g for g, v in zip(computed, variables)]
        self._loss_tracker.update_state(loss, sample_weight=tf.shape(tf.nest.flatten(x)[0])[0])
        return gradients, predictions

    def get_config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "model": serialize_keras_object(self.model),
            "rho": self.rho,
            "num_batch_splits": self.num_batch_splits,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        model = read_object(config["model"], LAYER, custom_objects)
        return cls(**{**config, "model": model})
