"""`CompileMetrics`: the metrics of a model, each for one of its outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import tapeflow as tf
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.identifiers import check_names
from tapeflow._src.keras.metrics.lookup import KNOWN
from tapeflow._src.keras.metrics.means import MeanMetricWrapper
from tapeflow._src.keras.metrics.metric import Metric
from tapeflow._src.keras.saving.registry import METRIC
from tapeflow._src.keras.trainers.outputs import Outputs, classification
from tapeflow.keras import metrics as metrics_module

# Names of the accuracy that fits the shapes of targets and predictions.
_ACCURACIES: dict[str, Any] = dict.fromkeys(("accuracy", "acc"))


class _Part(NamedTuple):
    """One metric of one output."""

    place: int
    metric: Any
    weighted: bool
    name: str


class CompileMetrics(Metric):
    """The metrics of all outputs; their results are a dict.

    It learns from the first targets and predictions which output each metric is for.
    """

    def __init__(
        self,
        metrics: Any,
        weighted_metrics: Any,
        name: str = "compile_metric",
        output_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name=name)
        for argument, value in (("metrics", metrics), ("weighted_metrics", weighted_metrics)):
            if value is not None and not isinstance(value, (list, tuple, dict)):
                raise ValueError(
                    f"`{argument}` must be a list, or a dict by output: write "
                    f"{argument}=[{value!r}]. Received: {value!r} of type {type(value).__name__}"
                )
            check_names(value, METRIC, {**KNOWN, **_ACCURACIES})
        # Behind a function: lists that are attributes are tracked.
        self._given = lambda: (metrics, weighted_metrics, output_names)
        self._found: Any = None

    @property
    def built(self) -> bool:
        """Whether it is known which metric is for which output."""
        return self._found is not None

    def _tpf_parts(self) -> list[_Part]:
        return [] if self._found is None else self._found()

    @property
    def metrics(self) -> list[Any]:
        """The metrics."""
        return [part.metric for part in self._tpf_parts()]

    @property
    def variables(self) -> list[Any]:
        return [variable for metric in self.metrics for variable in metric.variables]

    # -- building ------------------------------------------------------------------------------

    def build(self, y_true: Any, y_pred: Any) -> None:
        """Find out which metric is for which output, and under which name."""
        metrics, weighted_metrics, names = self._given()
        outputs = Outputs(y_pred, names)
        targets = outputs.aligned(y_true, "y")
        used: set[str] = set()
        parts: list[_Part] = []
        with tf.init_scope():
            for argument, identifiers_of_kind in (
                ("metrics", metrics),
                ("weighted_metrics", weighted_metrics),
            ):
                weighted = argument == "weighted_metrics"
                identifiers = _for_outputs(identifiers_of_kind, outputs, argument)
                for index in outputs.order():
                    for identifier in identifiers[index]:
                        if identifier is None:
                            continue
                        metric = _as_metric(identifier, targets[index], outputs, index)
                        name = _free_name(metric.name, outputs.name(index), weighted, used)
                        if is_keras_2():
                            metric.name = name
                        parts.append(_Part(index, metric, weighted, name))
        self._found = lambda: parts

    # -- counting ------------------------------------------------------------------------------

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        if not self.built:
            self.build(y_true, y_pred)
        outputs = Outputs(y_pred, self._given()[2])
        targets = outputs.aligned(y_true, "y")
        weights = outputs.aligned(sample_weight, "sample_weight")
        for part in self._tpf_parts():
            weight = weights[part.place] if part.weighted else None
            target, prediction = targets[part.place], outputs.predictions[part.place]
            _check_target(part.metric, target, outputs, part.place)
            try:
                if weight is None:
                    part.metric.update_state(target, prediction)
                else:
                    part.metric.update_state(target, prediction, sample_weight=weight)
            except Exception as error:
                error.add_note(
                    f"In metric '{part.metric.name}' of output {outputs.described(part.place)}: "
                    f"y_true.shape={target.shape}, y_pred.shape={prediction.shape}."
                )
                raise

    def reset_state(self) -> None:
        for metric in self.metrics:
            metric.reset_state()

    def result(self) -> Any:
        if not self.built:
            raise ValueError(
                "The compiled metrics have no results before the first batch: call `fit` or "
                "`evaluate` first."
            )
        results: dict[str, Any] = {}
        for part in self._tpf_parts():
            result = part.metric.result()
            results |= result if isinstance(result, dict) else {part.name: result}
        return results

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError("The metrics of a model are saved with the model.")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> CompileMetrics:
        raise NotImplementedError("The metrics of a model are saved with the model.")


def _for_outputs(metrics: Any, outputs: Outputs, argument: str) -> list[list[Any]]:
    """The metrics of each output."""
    if not metrics:
        return [[] for _ in range(outputs.count)]
    flat = isinstance(metrics, (list, tuple)) and not any(
        isinstance(item, (list, tuple, dict)) for item in metrics
    )
    if flat and outputs.count > 1 and is_keras_2():
        # Each metric is for every output.
        return [[_copied(item) if n else item for item in metrics] for n in range(outputs.count)]
    if outputs.nested:
        per_output = list(_by_structure(metrics, outputs.structure))
        if len(per_output) != outputs.count:
            raise ValueError(_mismatch(metrics, outputs, argument))
        return per_output
    if isinstance(metrics, dict):
        if outputs.names is None and outputs.count == len(metrics) == 1:
            return [_listed(next(iter(metrics.values())))]
        if not set(metrics) <= set(outputs.names or ()):
            raise ValueError(_mismatch(metrics, outputs, argument))
        return [_listed(metrics.get(name)) for name in outputs.names or ()]
    if outputs.count == 1:
        return [[each for item in metrics for each in _listed(item)]]
    if len(metrics) != outputs.count:
        raise ValueError(_mismatch(metrics, outputs, argument))
    return [_listed(item) for item in metrics]


def _by_structure(requested: Any, structure: Any) -> Iterator[list[Any]]:
    """The metrics of each output, given in the structure of the outputs; none if it is another."""
    if isinstance(structure, dict) and (requested is None or isinstance(requested, dict)):
        if not set(requested or ()) <= set(structure):
            return
        for name in sorted(structure):
            yield from _by_structure((requested or {}).get(name), structure[name])
    elif isinstance(structure, (list, tuple)):
        each = requested if isinstance(requested, (list, tuple)) else [requested] * len(structure)
        if len(each) == len(structure) and (
            requested is None or isinstance(requested, (list, tuple))
        ):
            for metrics, output in zip(each, structure):
                yield from _by_structure(metrics, output)
    elif not isinstance(structure, dict):
        yield _listed(requested)


def _copied(metric: Any) -> Any:
    return metric.from_config(metric.get_config()) if isinstance(metric, Metric) else metric


def _listed(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return list(value)
    return [] if value is None else [value]


def _mismatch(metrics: Any, outputs: Outputs, argument: str) -> str:
    names = f", named {outputs.names}" if outputs.names else ""
    return (
        f"Invalid `{argument}`. It should be a list with one entry, or one list, for each of the "
        f"{outputs.count} outputs of the model{names}, or a dict whose keys are names of outputs. "
        f"Received: {argument}={metrics}"
    )


def _check_target(metric: Any, target: Any, outputs: Outputs, index: int) -> None:
    if target is None:
        raise ValueError(
            f"None values not supported: output {outputs.described(index)} has the metric "
            f"'{metric.name}', but there are no targets for it. Pass them as `y`, or as the "
            f"second part of each batch."
        )


def _as_metric(identifier: Any, target: Any, outputs: Outputs, index: int) -> Any:
    """A metric with the name under which the user knows it."""
    if isinstance(identifier, str) and identifier.lower() in _ACCURACIES:
        prediction = outputs.predictions[index]
        kind = classification(target, prediction, "accuracy")
        return MeanMetricWrapper(getattr(metrics_module, f"{kind}_accuracy"), name=identifier)
    metric = metrics_module.get(identifier)
    if isinstance(metric, Metric):
        if isinstance(identifier, str):
            metric.name = identifier
        return metric
    name = identifier if isinstance(identifier, str) else getattr(metric, "__name__", None)
    if name is None:
        name = type(metric).__name__
    return MeanMetricWrapper(metric, name=name.replace("<lambda>", "lambda"))


def _free_name(name: str, output: str | None, weighted: bool, used: set[str]) -> str:
    """The name of a result: of its output, too, if there are several; and of no other."""
    prefix = f"{output}_" if output else ""
    unique = f"{prefix}{name}"
    if weighted and unique in used:
        unique = f"{prefix}weighted_{name}"
    number, base = 0, unique
    while unique in used:
        number += 1
        unique = f"{base}_{number}"
    used.add(unique)
    return unique
