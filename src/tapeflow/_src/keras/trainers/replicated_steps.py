"""Steps on all replicas of a `tf.distribute` strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.distribute import read_together, split_batch
from tapeflow._src.keras.trainers.steps import Step


class ReplicatedStep(Step):
    """Splits a batch among the replicas; returns the results of the metrics of all of them."""

    def __init__(self, model: Any, step: Callable[[Any], Any], strategy: Any) -> None:
        super().__init__(step)
        self._model = model
        self._strategy = strategy

    def __call__(self, data: Any) -> Any:
        logs = self._first(self._run(data))
        if not isinstance(logs, dict):
            return logs
        variables = self._model.metrics_variables
        with self._strategy.scope(), read_together(self._strategy, variables):
            results = self._model.get_metrics_result()
        # A step of the user's own may return other results: those of the first replica.
        return {name: results.get(name, value) for name, value in logs.items()}

    def _run(self, data: Any) -> Any:
        return self._strategy.run(self._step, args=(split_batch(data, self._strategy),))

    def _first(self, outputs: Any) -> Any:
        """The outputs of the first replica."""
        distributed = tf.distribute.DistributedValues
        return tf.nest.map_structure(
            lambda leaf: leaf.values[0] if isinstance(leaf, distributed) else leaf, outputs
        )


class ReplicatedPrediction(ReplicatedStep):
    """Splits a batch among the replicas; returns their outputs, concatenated."""

    def __call__(self, data: Any) -> Any:
        return self._strategy.gather(self._run(data), axis=0)
