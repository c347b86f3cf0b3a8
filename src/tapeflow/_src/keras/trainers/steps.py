"""Steps over data, made from what is done with one batch."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.library_hooks import register_probe
from tapeflow._src.keras.distribution.arrangement import arrange_batch, distribution_in_force


class Step:
    """Function of one batch.

    A class instead of a closure: retracing is counted per code object, and each model needs its
    own counter.
    """

    def __init__(self, step: Callable[[Any], Any]) -> None:
        self._step = step
        self.__name__ = getattr(step, "__name__", "step")

    def __call__(self, data: Any) -> Any:
        return self._step(data)


class LoggedStep(Step):
    """A step whose results are in the order of their names."""

    def __call__(self, data: Any) -> Any:
        logs = self._step(data)
        if not isinstance(logs, dict):
            raise TypeError(
                f"`{self.__name__}` must return a dict from names to results, such as "
                f"`self.get_metrics_result()`. Received: {logs!r}"
            )
        flat: dict[str, Any] = {}
        for name, result in logs.items():
            # The result of all metrics of `compile` together is a dict.
            flat |= result if isinstance(result, dict) else {name: result}
        return {name: flat[name] for name in sorted(flat)}


def compiled(step: Step, run_eagerly: bool, jit_compile: Any) -> Any:
    """A step that is traced once for each type of batch, unless it is to run eagerly."""
    if run_eagerly:
        return step
    jit = None if jit_compile == "auto" else bool(jit_compile)
    return tf.function(step, autograph=False, jit_compile=jit, reduce_retracing=True)


def arranging(step: Any) -> Any:
    """A step on batches that are split as the distribution in force has it, if there is any."""
    if distribution_in_force() is None:
        return step
    return lambda data: step(arrange_batch(data))


class OverIterator:
    """Runs steps on the next batches of an iterator and returns the results of the last one.

    StopIteration says that there was no batch left. `name` is what profiles show.
    """

    def __init__(self, step: Callable[[Any], Any], steps_per_execution: int, name: str) -> None:
        self._step = step
        self._steps = steps_per_execution
        self.name = name

    def __call__(self, iterator: Any) -> Any:
        logs = self._step(next(iterator))
        if self._steps > 1:
            for batch in islice(iterator, self._steps - 1):
                logs = self._step(batch)
        return logs

    def concrete_functions(self) -> list[Any]:
        """Return the traces of the step; none, if it runs eagerly."""
        return getattr(self._step, "_list_all_concrete_functions", list)()  # type: ignore[no-any-return]


class GatheringOverIterator(OverIterator):
    """The same for predictions: returns a list of the results of each step."""

    def __call__(self, iterator: Any) -> Any:
        results = [self._step(next(iterator))]
        results += [self._step(batch) for batch in islice(iterator, self._steps - 1)]
        return results


def _step_name(function: OverIterator, iterator: Any) -> str:
    return function.name


def _step_number(function: OverIterator, iterator: Any) -> Any:
    return {"step_num": getattr(iterator, "seen", 0), "_r": 1}


for _kind in (OverIterator, GatheringOverIterator):
    register_probe(_kind, "__call__", "step", _step_name, _step_number)


def as_numbers(logs: Any) -> dict[str, Any]:
    """Results as Python floats; what is no scalar stays as it is."""
    numbers = {}
    for name, value in (logs or {}).items():
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            numbers[name] = value
    return numbers
