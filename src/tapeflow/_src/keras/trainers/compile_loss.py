"""`CompileLoss`: the loss of a whole model, from the losses of its outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import tapeflow as tf
from tapeflow._src.keras.identifiers import check_names
from tapeflow._src.keras.losses.lookup import KNOWN
from tapeflow._src.keras.losses.loss import Loss, LossFunctionWrapper
from tapeflow._src.keras.metrics.means import Mean
from tapeflow._src.keras.replicas import without_share
from tapeflow._src.keras.saving.registry import LOSS
from tapeflow._src.keras.trainers.outputs import Outputs, classification
from tapeflow.keras import losses as losses_module


class _Part(NamedTuple):
    """One loss: of an output, or of several in one structure."""

    path: tuple[Any, ...]
    # The output as messages name it.
    output: str
    loss: Any
    weight: Any
    tracker: Any


class _Weighted(NamedTuple):
    """A loss as the user has given it, and its weight."""

    loss: Any
    weight: Any


class CompileLoss(Loss):
    """The sum of the losses of outputs, each times its weight.

    It learns from the first targets and predictions which outputs each loss is for. If there are
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
        if loss_weights and not isinstance(loss_weights, (list, tuple, dict, float)):
            raise ValueError(
                f"`loss_weights` must be a float for one output, or a list or dict for several. "
                f"Received: {loss_weights!r} of type {type(loss_weights).__name__}"
            )
        check_names(loss, LOSS, {**KNOWN, **CROSSENTROPIES})
        self._user_loss = loss
        self._user_loss_weights = loss_weights
        self._output_names = output_names
        self._tpf_parts: list[_Part] = []
        # The outputs that have a loss, by number.
        self._with_loss: list[int] = []
        self.built = False

    @property
    def metrics(self) -> list[Any]:
        """The means of the losses, if there are several."""
        return [part.tracker for part in self._tpf_parts if part.tracker is not None]

    @property
    def variables(self) -> list[Any]:
        """The variables of the metrics."""
        return [variable for metric in self.metrics for variable in metric.variables]

    # -- building ------------------------------------------------------------------------------

    def build(self, y_true: Any, y_pred: Any) -> None:
        """Find out which loss is for which output."""
        self._tpf_parts = []
        outputs = Outputs(y_pred, self._output_names)
        self._with_loss = self._places_with_loss(outputs)
        y_true = self._targets(outputs, y_true)
        loss, weights = self._for_structure(outputs)
        weighted = _with_weights(loss, weights)
        entries = list(_spread(weighted, y_true, y_pred, ()))
        used: set[str] = set()
        with tf.init_scope():
            for path, (identifier, weight) in entries:
                target, prediction = _at(path, y_true), _at(path, y_pred)
                part = loss_for(identifier, target, prediction)
                tracker = None
                if len(entries) > 1:
                    name = _part_name(path, part, outputs)
                    tracker = Mean(_unused(f"{name}_loss", used))
                output = repr(_part_name(path, part, outputs))
                self._tpf_parts.append(_Part(path, output, part, weight, tracker))
        self.built = True

    def _places_with_loss(self, outputs: Outputs) -> list[int]:
        """The outputs that have a loss, if there is a list or dict with one entry for each."""
        loss = self._user_loss
        if isinstance(loss, dict) and outputs.names is not None:
            return [n for n, name in enumerate(outputs.names) if loss.get(name) is not None]
        return [n for n, each in enumerate(tf.nest.flatten(loss)) if each is not None]

    def _targets(self, outputs: Outputs, y_true: Any) -> Any:
        """The targets in the structure of the outputs."""
        leaves = outputs.aligned(y_true, "y", self._with_loss)
        return tf.nest.pack_sequence_as(outputs.structure, leaves)

    def _for_structure(self, outputs: Outputs) -> tuple[Any, Any]:
        """The losses and their weights, by the structure of the outputs and not by their names."""
        loss, weights = self._user_loss, self._user_loss_weights
        by_name = isinstance(loss, dict) and not isinstance(outputs.structure, dict)
        names = outputs.names
        if by_name and names is None and outputs.count == len(loss) == 1:
            names = list(loss)
        if by_name:
            if sorted(loss) != sorted(names or ()):
                raise ValueError(
                    f"The keys of `loss` must be the outputs of the model, {names}. Received: "
                    f"{list(loss)}"
                )
            loss = [loss[name] for name in names or ()]
        if isinstance(weights, dict) and (by_name or not isinstance(loss, dict)):
            weights = outputs.aligned(weights, "loss_weights")
        if not isinstance(loss, (list, tuple, dict)):
            one = loss
            loss = tf.nest.map_structure(lambda _: one, outputs.structure)
        return loss, weights

    # -- calling -------------------------------------------------------------------------------

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        with tf.name_scope(self.name):
            return self.call(y_true, y_pred, sample_weight)

    def call(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss of the model; None if no output has one."""
        if not self.built:
            self.build(y_true, y_pred)
        outputs = Outputs(y_pred, self._output_names)
        targets = self._targets(outputs, y_true)
        weights = sample_weight
        if isinstance(sample_weight, (list, tuple, dict)):
            leaves = outputs.aligned(sample_weight, "sample_weight")
            weights = tf.nest.pack_sequence_as(y_pred, leaves)
        total = None
        for part in self._tpf_parts:
            weight = weights if weights is sample_weight else _at(part.path, weights)
            value = _computed(part, _at(part.path, targets), _at(part.path, y_pred), weight)
            if part.tracker is not None:
                part.tracker.update_state(without_share(value))
            if part.weight is not None:
                value = value * tf.cast(part.weight, value.dtype)
            total = value if total is None else total + value
        return total

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError("The loss of a model is saved with the model.")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> CompileLoss:
        raise NotImplementedError("The loss of a model is saved with the model.")


def _with_weights(loss: Any, weights: Any) -> Any:
    """The losses, each with its weight, in the structure of the losses."""
    flat = tf.nest.flatten(loss)
    if weights is None:
        return tf.nest.map_structure(lambda each: _leaf(each, None), loss)
    flat_weights = tf.nest.flatten(weights)
    if isinstance(weights, dict) and isinstance(loss, dict) and len(flat_weights) < len(flat):
        flat_weights = [weights.get(name) for name in sorted(loss)]
    present = [each for each in flat if each is not None]
    if len(flat_weights) == len(present) < len(flat):
        rest = iter(flat_weights)
        flat_weights = [None if each is None else next(rest) for each in flat]
    if len(flat_weights) != len(flat):
        raise ValueError(
            f"`loss_weights` must have one weight for each of the {len(flat)} losses. Received "
            f"{len(flat_weights)}: {weights}"
        )
    return tf.nest.pack_sequence_as(loss, list(map(_leaf, flat, flat_weights)))


class _Leaf:
    """Holds a loss and its weight where a structure has its leaves."""

    def __init__(self, content: _Weighted) -> None:
        self.content = content


def _leaf(loss: Any, weight: Any) -> _Leaf | None:
    return None if loss is None else _Leaf(_Weighted(loss, weight))


def _spread(
    loss: Any, target: Any, prediction: Any, path: tuple[Any, ...]
) -> Iterator[tuple[tuple[Any, ...], _Weighted]]:
    """Which losses are for what, by the path to it in the structure of the outputs."""
    if loss is None:
        return
    if isinstance(loss, _Leaf):
        yield path, loss.content
        return
    if isinstance(loss, (list, tuple)):
        plain = not any(isinstance(each, (list, tuple, dict)) for each in loss)
        if plain and len(loss) == len(tf.nest.flatten(prediction)):
            packed = tf.nest.pack_sequence_as(prediction, list(loss))
            if not isinstance(packed, (list, tuple)):
                yield from _spread(packed, target, prediction, path)
                return
            loss = packed
        elif not isinstance(prediction, tuple if isinstance(loss, tuple) else list):
            # Several losses for the same output, or outputs: a list of them for a tuple, too.
            for each in loss:
                yield from _spread(each, target, prediction, path)
            return
    items = loss.items() if isinstance(loss, dict) else enumerate(loss)
    for key, each in items:
        if each is None:
            continue
        if not (_has(prediction, key, loss) and _has(target, key, loss)):
            raise KeyError(
                f"`loss` has an entry at {(*path, key)}, which is not found among the outputs of "
                f"the model, or not among the targets: {_shown(prediction)}."
            )
        yield from _spread(each, target[key], prediction[key], (*path, key))


def _has(structure: Any, key: Any, loss: Any) -> bool:
    if isinstance(loss, dict):
        return isinstance(structure, dict) and key in structure
    return isinstance(structure, (list, tuple)) and key < len(structure)


def _shown(structure: Any) -> Any:
    return tf.nest.map_structure(lambda _: "*", structure)


def _at(path: tuple[Any, ...], structure: Any) -> Any:
    for key in path:
        structure = structure[key]
    return structure


def _part_name(path: tuple[Any, ...], loss: Any, outputs: Outputs) -> str:
    """The name of a loss among the results: that of its output, if it has one."""
    keys = [str(key) for key in path]
    names: Any = outputs.output_names or [None] * outputs.count
    at = _at(path, tf.nest.pack_sequence_as(outputs.structure, list(names)))
    if isinstance(at, (list, tuple, dict)):
        names = at if isinstance(at, dict) else tf.nest.flatten(at)
        return "/".join(keys) or "_".join(map(str, names))
    if not path or isinstance(path[-1], int):
        keys = [*keys[:-1], loss.name if at is None else at]
    return "/".join(keys)


def _computed(part: _Part, target: Any, prediction: Any, weight: Any) -> Any:
    """Compute one loss as a scalar; errors name the output and the shapes received."""
    if target is None:
        raise ValueError(
            f"None values not supported: output {part.output} has the loss '{part.loss.name}', but "
            f"there are no targets for it. Pass them as `y`, or as the second part of each batch."
        )
    try:
        with tf.name_scope(part.loss.name):
            value = tf.cast(part.loss(target, prediction, weight), part.loss.dtype)
    except Exception as error:
        values = {"y_true": target, "y_pred": prediction, "sample_weight": weight}
        shapes = ", ".join(
            f"{name}.shape={value.shape}"
            for name, value in values.items()
            if hasattr(value, "shape")
        )
        error.add_note(
            f"In loss '{part.loss.name}' of output {part.output}: {shapes}."
            f"{_repair(target, prediction)}"
        )
        raise
    return tf.reduce_mean(value) if value.shape.rank else value


def _repair(target: Any, prediction: Any) -> str:
    """Return how targets and predictions of different sizes are made equal, or ""."""
    shapes = [tuple(getattr(value, "shape", ())) for value in (target, prediction)]
    if len(shapes[0]) != len(shapes[1]) or len(shapes[0]) < 2:
        return ""
    expected, received = (shape[-1] for shape in shapes)
    if None in (expected, received) or expected == received:
        return ""
    return (
        f" The targets have {expected} values per example and the output {received}: make the last "
        f"layer return {expected}, such as Dense({expected}), or pass targets of {received} values."
    )


# Names of the crossentropy that fits the shapes of targets and predictions.
CROSSENTROPIES: dict[str, Any] = dict.fromkeys(("crossentropy", "ce"))


def loss_for(identifier: Any, target: Any, prediction: Any) -> Any:
    """A loss with the name under which the user knows it."""
    if isinstance(identifier, str) and identifier.lower() in CROSSENTROPIES:
        kind = classification(target, prediction, identifier)
        loss: Any = getattr(losses_module, f"{kind}_crossentropy")
    else:
        loss = losses_module.get(identifier)
    if isinstance(loss, Loss):
        return loss
    name = identifier if isinstance(identifier, str) else getattr(loss, "__name__", "loss")
    return LossFunctionWrapper(loss, name=name.replace("<lambda>", "lambda"))


def _unused(name: str, used: set[str]) -> str:
    number, unique = 0, name
    while unique in used:
        number += 1
        unique = f"{name}_{number}"
    used.add(unique)
    return unique
