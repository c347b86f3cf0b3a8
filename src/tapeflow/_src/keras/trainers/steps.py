"""Steps over data, made from what is done with one batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf


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


def over_iterator(step: Callable[[Any], Any], steps_per_execution: int) -> Any:
    """Return a function that runs steps on an iterator's next batches: the last results.

    StopIteration says that there was no batch left.
    """
    if steps_per_execution == 1:
        return lambda iterator: step(next(iterator))

    def several(iterator: Any) -> Any:
        logs = step(next(iterator))
        for _ in range(steps_per_execution - 1):
            batch = next(iterator, None)
            if batch is None:
                break
            logs = step(batch)
        return logs

    return several


def over_iterator_gathering(step: Callable[[Any], Any], steps_per_execution: int) -> Any:
    """The same for predictions: a list of the results of each step."""

    def several(iterator: Any) -> Any:
        results = [step(next(iterator))]
        for _ in range(steps_per_execution - 1):
            batch = next(iterator, None)
            if batch is None:
                break
            results.append(step(batch))
        return results

    return several


def as_numbers(logs: Any) -> dict[str, Any]:
    """Results as Python floats; what is no scalar stays as it is."""
    numbers = {}
    for name, value in (logs or {}).items():
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            numbers[name] = value
    return numbers
