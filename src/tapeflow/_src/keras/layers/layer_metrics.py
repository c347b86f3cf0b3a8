"""Metrics of a layer: those among its attributes, and those of `add_metric`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.call_signature import is_tensor
from tapeflow._src.keras.layers.layer_state import LayerState

# Attributes of layers that hold no metrics of their own.
_OTHERS = frozenset(
    {"_tpf_tracked", "_inbound_nodes", "_outbound_nodes", "_losses", "_build_shapes_dict"}
    | {"_tpf_init_args", "_tpf_sequence", "_operations"}
    # What `compile` has set up; of a model inside of another it takes no part in training.
    | {"_loss_tracker", "_compile_metrics", "_compile_loss", "optimizer"}
)
_PLAIN = frozenset({bool, int, float, str, type(None)})


class LayerMetrics(LayerState):
    """A module whose metrics are found."""

    @property
    def metrics(self) -> list[Any]:
        """The metrics of this layer and of those inside it."""
        return held_metrics(self)

    @property
    def metrics_variables(self) -> list[Any]:
        """The variables of the metrics."""
        return [variable for metric in self.metrics for variable in metric.variables]

    def add_metric(self, value: Any, name: str | None = None, **kwargs: Any) -> None:
        """Report the mean of `value` over an epoch, from inside `call` (Keras 2).

        Args:
            value: a tensor of the call.
            name: the name of the result.
            **kwargs: `aggregation`, of which only "mean" (and None) is known here.

        Raises:
            ValueError: The aggregation is another one, the value is no tensor, or the name is
                missing.
        """
        aggregation = kwargs.pop("aggregation", "mean")
        if kwargs or aggregation not in ("mean", None):
            raise ValueError(
                f"`add_metric` of layer '{self.name}' takes a name and aggregation='mean'. "
                f"Received: aggregation={aggregation!r}, {kwargs}"
            )
        if not is_tensor(value) or name is None:
            raise ValueError(
                f"`add_metric` of layer '{self.name}' expected a tensor and a name, as in "
                f"`self.add_metric(tf.reduce_mean(x), name='mean_of_x')`. Received: value={value!r}"
                f", name={name!r}"
            )
        self._tpf_added_metric(name).update_state(value)

    def _tpf_added_metric(self, name: str) -> Any:
        added = self.__dict__.setdefault("_tpf_added_metrics", {})
        if name not in added:
            with tf.init_scope():
                added[name] = tf.keras.metrics.Mean(name)
        return added[name]


def held_metrics(root: Any) -> list[Any]:
    """The metrics among the attributes of a layer, and of the layers inside it."""
    layers = {id(layer): layer for layer in root._flatten_layers()}
    metrics: dict[int, Any] = {}
    for layer in layers.values():
        for name, value in vars(layer).items():
            if type(value) not in _PLAIN and name not in _OTHERS:
                for metric in _found_in(value):
                    metrics.setdefault(id(metric), metric)
    return list(metrics.values())


def _found_in(value: Any) -> Iterator[Any]:
    if isinstance(value, tf.keras.Metric):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _found_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _found_in(item)
