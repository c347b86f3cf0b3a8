"""`CompileLoss`: the loss of a whole model, from the losses of its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tapeflow as tf
from tapeflow.keras import losses as losses_module
from tapeflow.keras.identifiers import check_names
from tapeflow.keras.losses.lookup import KNOWN
from tapeflow.keras.losses.loss import Loss, LossFunctionWrapper
from tapeflow.keras.metrics.means import Mean
from tapeflow.keras.saving.registry import LOSS
from tapeflow.keras.trainers.outputs import Outputs


class _Part(NamedTuple):
    """The loss of one output."""

    place: int
    loss: Any
    weight: Any
    tracker: Any


class CompileLoss(Loss):
    """The sum of the losses of outputs, each times its weight.

    It learns from the first targets and predictions which output each loss is for. If there are
    several losses it keeps the mean of each, as metrics.
    """

    def __init__(
        self,
        loss: Any,
        loss_weights: Any = None,
        reduction: str = "sum_over_batch_size",
        output_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name="compile_loss", reduction=reduction)
        check_names(loss, LOSS, KNOWN)
        self._user_loss = loss
        self._user_loss_weights = loss_weights
        self._output_names = output_names
        self._parts: list[_Part] = []
        self.built = False

    @property
    def metrics(self) -> list[Any]:
        """The means of the losses, if there are several."""
        return [part.tracker for part in self._parts if part.tracker is not None]

    @property
    def variables(self) -> list[Any]:
        """The variables of the metrics."""
        return [variable for metric in self.metrics for variable in metric.variables]

    # -- building ------------------------------------------------------------------------------

    def build(self, y_true: Any, y_pred: Any) -> None:
        """Find out which loss is for which output."""
        outputs = Outputs(y_pred, self._output_names)
        found = [loss if loss is None else _as_loss(loss) for loss in self._for_outputs(outputs)]
        weights = self._weights(outputs, sum(loss is not None for loss in found))
        several = sum(loss is not None for loss in found) > 1
        used: set[str] = set()
        with tf.init_scope():
            for place, loss in enumerate(found):
                if loss is not None:
                    tracker = None
                    if several:
                        tracker = Mean(_unused(f"{outputs.name(place) or loss.name}_loss", used))
                    self._parts.append(_Part(place, loss, weights[place], tracker))
        self.built = True

    def _for_outputs(self, outputs: Outputs) -> list[Any]:
        loss = self._user_loss
        if isinstance(loss, dict):
            names = outputs.names or (list(loss) if outputs.count == len(loss) == 1 else [])
            unknown = [name for name in loss if name not in names]
            if outputs.by_key and unknown:
                raise KeyError(
                    f"`loss` has the key '{unknown[0]}', which is not found among the outputs of "
                    f"the model: {names}."
                )
            if not outputs.by_key and sorted(loss) != sorted(names):
                raise ValueError(
                    f"The keys of `loss` must be the outputs of the model, {names}. Received: "
                    f"{list(loss)}"
                )
            return [loss.get(name) for name in names]
        if isinstance(loss, (list, tuple)):
            flat = tf.nest.flatten(loss)
            if len(flat) > outputs.count:
                raise KeyError(
                    f"`loss` has {len(flat)} losses, but the model has {outputs.count} outputs: "
                    f"pass one loss for each."
                )
            return [*flat, *[None] * (outputs.count - len(flat))]
        return [loss] * outputs.count

    def _weights(self, outputs: Outputs, losses: int) -> list[Any]:
        weights = self._user_loss_weights
        if weights is None:
            return [None] * outputs.count
        if isinstance(weights, dict):
            return outputs.aligned(weights, "loss_weights")
        if isinstance(weights, (list, tuple)):
            flat = tf.nest.flatten(weights)
        elif outputs.count == 1:
            flat = [weights]
        else:
            raise TypeError(
                f"`loss_weights` must be a list or a dict, for there are {outputs.count} outputs. "
                f"Received: loss_weights={weights}"
            )
        if len(flat) not in (losses, outputs.count):
            raise ValueError(
                f"`loss_weights` must have one weight for each of the {losses} losses. Received "
                f"{len(flat)}: {weights}"
            )
        return [*flat, *[None] * (outputs.count - len(flat))]

    # -- calling -------------------------------------------------------------------------------

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        with tf.name_scope(self.name):
            return self.call(y_true, y_pred, sample_weight)

    def call(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss of the model; None if no output has one."""
        if not self.built:
            self.build(y_true, y_pred)
        outputs = Outputs(y_pred, self._output_names)
        targets = outputs.aligned(y_true, "y")
        weights = outputs.aligned(sample_weight, "sample_weight")
        total = None
        for part in self._parts:
            value = _computed(part, outputs, targets[part.place], weights[part.place])
            if part.tracker is not None:
                part.tracker.update_state(value)
            if part.weight is not None:
                value = value * tf.cast(part.weight, value.dtype)
            total = value if total is None else total + value
        return total

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError("The loss of a model is saved with the model.")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> CompileLoss:
        raise NotImplementedError("The loss of a model is saved with the model.")


def _computed(part: _Part, outputs: Outputs, target: Any, weight: Any) -> Any:
    """One loss as a scalar; an error says of which output it is, and what that was given."""
    prediction = outputs.predictions[part.place]
    if target is None:
        raise ValueError(
            f"None values not supported: output {outputs.described(part.place)} has the loss "
            f"'{part.loss.name}', but there are no targets for it. Pass them as `y`, or as the "
            f"second part of each batch."
        )
    try:
        with tf.name_scope(part.loss.name):
            value = tf.cast(part.loss(target, prediction, weight), part.loss.dtype)
    except Exception as error:
        shapes = {"y_true": target, "y_pred": prediction, "sample_weight": weight}
        given = ", ".join(f"{k}.shape={v.shape}" for k, v in shapes.items() if v is not None)
        error.add_note(
            f"In loss '{part.loss.name}' of output {outputs.described(part.place)}: {given}."
        )
        raise
    return tf.reduce_mean(value) if value.shape.rank else value


def _as_loss(identifier: Any) -> Any:
    """A loss with the name under which the user knows it."""
    loss = losses_module.get(identifier)
    if isinstance(loss, Loss):
        return loss
    name = identifier if isinstance(identifier, str) else getattr(loss, "__name__", "loss")
    return LossFunctionWrapper(loss, name=name.replace("<lambda>", "lambda"))


def _unused(name: str, used: set[str]) -> str:
    number, found = 0, name
    while found in used:
        number += 1
        found = f"{name}_{number}"
    used.add(found)
    return found
