"""Iterators that TensorFlow 1's strategies make: they are started, and started again, by a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.scopes import executing_eagerly
from tapeflow._src.core import nest
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.graph_iterators import make_initializable_iterator
from tapeflow._src.data.iterator import make_iterator
from tapeflow._src.distribute.per_replica import regroup


class DatasetIterator:
    """An iterator over the batches of all replicas, which `initialize` starts again.

    `Strategy.make_dataset_iterator` and `Strategy.make_input_fn_iterator` return it.

    Args:
        dataset: Dataset whose elements have a part for each replica.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._eager = executing_eagerly()
        self._iterator: Any = iter(dataset) if self._eager else make_initializable_iterator(dataset)

    @property
    def initializer(self) -> Any:
        """What `initialize` returns."""
        return self.initialize()

    @property
    def element_spec(self) -> Any:
        """The type specs of an element."""
        return self._iterator.element_spec

    def initialize(self) -> Any:
        """Start at the first element.

        Returns:
            None, or in a graph the operation that starts the iterator, for a session to run.
        """
        if not self._eager:
            return self._iterator.initializer
        make_iterator(self._dataset._variant_tensor, self._iterator._handle)
        return None

    def get_next(self) -> Any:
        """Return the next batch, with a part for each replica.

        Raises:
            OutOfRangeError: There is none.
        """
        return self._iterator.get_next()

    def get_next_as_optional(self) -> Any:
        """Return the next batch as a `tf.experimental.Optional`, empty at the end."""
        return self._iterator.get_next_as_optional()


class CallableIterator:
    """An iterator whose elements a function returns, which is called for each replica.

    Args:
        next_value: Function without arguments that returns the next value of a replica.
        count: Number of replicas.
    """

    def __init__(self, next_value: Callable[[], Any], count: int) -> None:
        self._next_value = next_value
        self._count = count

    def initialize(self) -> None:
        """Do nothing: what the function returns is up to it."""

    def get_next(self) -> Any:
        """Call the function once per replica, and return the values of all."""
        return regroup([self._next_value() for _ in range(self._count)])


class MultiStepContext:
    """What the steps of `experimental_run_steps_on_iterator` leave for the caller.

    Args:
        strategy: The strategy.
        initial: The values of `last_step_outputs` before the first step.
    """

    def __init__(self, strategy: Any, initial: dict[str, Any] | None = None) -> None:
        self._strategy = strategy
        self.last_step_outputs: dict[str, Any] = dict(initial or {})
        self.non_tensor_outputs: dict[str, Any] = {}
        self.run_op: Any = None

    def set_last_step_output(self, name: str, output: Any, reduce_op: Any = None) -> None:
        """Record a value of a step; that of the last step stays in `last_step_outputs`.

        Args:
            name: Key of the value.
            output: The value, with a part for each replica or without.
            reduce_op: How the parts are combined; None keeps them.
        """
        if reduce_op is not None:
            output = self._strategy.reduce(reduce_op, output, axis=None)
        self.last_step_outputs[name] = output

    def set_non_tensor_output(self, name: str, output: Any) -> None:
        """Record a value that is no tensor in `non_tensor_outputs`.

        Args:
            name: Key of the value.
            output: The value.
        """
        self.non_tensor_outputs[name] = output


def run_steps(
    strategy: Any, fn: Callable[..., Any], iterator: Any, iterations: int, initial: Any
) -> MultiStepContext:
    """Call a function with one batch after the other; return what it has recorded."""
    context = MultiStepContext(strategy, initial)
    with strategy.scope():
        for _ in range(iterations):
            context.run_op = fn(context, iterator.get_next())
    return context


def numpy_dataset(arrays: Any) -> Dataset:
    """Return a dataset of the rows of arrays; lists are arrays as well."""
    if not nest.flatten(arrays):
        raise ValueError(f"Expected arrays to read rows from, received {arrays!r}.")
    return Dataset.from_tensor_slices(arrays)
