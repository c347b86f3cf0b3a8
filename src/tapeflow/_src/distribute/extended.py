"""`StrategyExtended`: methods of a strategy that libraries call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tapeflow._src.api.scopes import device as device_scope
from tapeflow._src.core import process_group
from tapeflow._src.distribute.input_iterators import MultiStepContext, numpy_dataset, run_steps
from tapeflow._src.distribute.values import as_reduce_op


class StrategyExtended:
    """Further methods of a strategy, for libraries; `strategy.extended` returns them.

    Args:
        container_strategy: The strategy.

    Example:
        >>> strategy = tf.distribute.get_strategy()
        >>> strategy.extended.reduce_to("SUM", 3, destinations=None)
        3
    """

    def __init__(self, container_strategy: Any) -> None:
        self._strategy = container_strategy
        self._retrace_functions_for_each_device = False

    experimental_require_static_shapes = False
    # Whether batches of data sets are those of all replicas together.
    _global_batch_size = True
    experimental_between_graph = False
    experimental_should_init = True
    # Older names of how many steps one run makes, and on how many machines.
    steps_per_run = num_hosts = num_replicas_per_host = 1

    def _in_multi_worker_mode(self) -> bool:
        """Whether there are other machines."""
        return False

    @property
    def should_checkpoint(self) -> bool:
        """Whether this process writes the files that all processes have in common."""
        return process_group.is_first()

    @property
    def should_save_summary(self) -> bool:
        """Whether this process writes summaries."""
        return process_group.is_first()

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that replicas run on."""
        return (self._strategy._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that variables are on."""
        return (self._strategy._device,)

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call a function in each replica.

        Args:
            fn: The function.
            args: Arguments by position.
            kwargs: Arguments by name.

        Returns:
            What the function returns in the only replica.
        """
        return self._strategy.run(fn, args, kwargs)

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> Any:
        """Return a dataset of the rows of arrays.

        Args:
            numpy_input: Array, or a structure of arrays with as many rows.
            session: Ignored.
        """
        return numpy_dataset(numpy_input)

    def experimental_run_steps_on_iterator(
        self,
        fn: Callable[..., Any],
        iterator: Any,
        iterations: int = 1,
        initial_loop_values: dict[str, Any] | None = None,
    ) -> MultiStepContext:
        """Call a function across replicas with one batch after the other.

        Args:
            fn: Function of a context, whose `set_last_step_output` keeps values, and a batch.
            iterator: What `Strategy.make_dataset_iterator` returns.
            iterations: Number of batches, an integer.
            initial_loop_values: Values of `last_step_outputs` before the first batch.

        Returns:
            The context, with `last_step_outputs`, `non_tensor_outputs` and `run_op`.
        """
        return run_steps(self._strategy, fn, iterator, iterations, initial_loop_values)

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """Create variables of the block where another one is.

        Args:
            colocate_with_variable: The other variable.

        Returns:
            A context manager.
        """
        return device_scope(None)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Return whether a variable belongs to this strategy: with one replica, all do.

        Args:
            v: The variable.
        """
        return True

    def value_container(self, value: Any) -> Any:
        """Return the distributed value that a value is a part of: with one replica, itself.

        Args:
            value: The value.
        """
        return value

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Call a function that changes a variable where it is.

        Args:
            var: The variable, which is the first argument of the function.
            fn: The function.
            args: Further positional arguments.
            kwargs: Keyword arguments.
            group: Whether to return the result itself, rather than in a tuple.

        Returns:
            What the function returns.
        """
        result = fn(var, *args, **(kwargs or {}))
        return result if group else (result,)

    def update_non_slot(
        self,
        colocate_with: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Call a function that changes state besides variables.

        Args:
            colocate_with: Ignored: there is one device.
            fn: The function.
            args: Arguments by position.
            kwargs: Arguments by name.
            group: Whether to return the result itself, rather than in a tuple.

        Returns:
            What the function returns.
        """
        result = fn(*args, **(kwargs or {}))
        return result if group else (result,)

    def non_slot_devices(self, var_list: Any) -> Any:
        """Return the device of state besides variables: that of the first variable by name.

        Args:
            var_list: Variables.

        Returns:
            One of the variables, which stands for its device.
        """
        return min(var_list, key=lambda variable: variable.name)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Combine values of replicas at a destination.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            value: The value of the only replica.
            destinations: Ignored: there is one device.
            options: Ignored.

        Returns:
            The value.

        Raises:
            ValueError: `reduce_op` is unknown.
        """
        as_reduce_op(reduce_op)
        return value

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Combine several values, each at its destination.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            value_destination_pairs: Pairs of a value and its destination.
            options: Ignored.

        Returns:
            A list of values.

        Raises:
            ValueError: `reduce_op` is unknown.
        """
        as_reduce_op(reduce_op)
        return [value for value, _ in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """Copy a value to destinations.

        Args:
            tensor: The value.
            destinations: Ignored: there is one device.

        Returns:
            The value.
        """
        return tensor

    def read_var(self, v: Any) -> Any:
        """Return the value of a variable.

        Args:
            v: The variable.
        """
        return v.read_value()
