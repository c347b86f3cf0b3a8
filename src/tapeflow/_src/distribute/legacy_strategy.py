"""Methods of strategies that TensorFlow 1 programs call; those of TensorFlow 2 do their work."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tapeflow._src.api.control_flow.grouping import group as group_operations
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.distribute.input_iterators import (
    CallableIterator,
    DatasetIterator,
    numpy_dataset,
)
from tapeflow._src.distribute.values import InputReplicationMode, ReduceOp


class LegacyStrategy:
    """The legacy methods of `tf.distribute.Strategy`."""

    # Whether sessions are to keep their variables to themselves.
    _isolates_sessions = False

    def make_dataset_iterator(self: Any, dataset: Any) -> DatasetIterator:
        """Return an iterator over a dataset whose batches are divided among the replicas.

        Args:
            dataset: Dataset of the batches of all replicas.

        Returns:
            An iterator with `initialize` and `get_next`.

        Example:
            >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
            >>> iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(4).batch(2))
            >>> iterator.initialize()
            >>> strategy.experimental_run(lambda x: x + 1, iterator).numpy()
            array([1, 2])
        """
        return DatasetIterator(self.experimental_distribute_dataset(dataset))

    def make_input_fn_iterator(
        self: Any,
        input_fn: Callable[..., Any],
        replication_mode: Any = InputReplicationMode.PER_WORKER,
    ) -> DatasetIterator | CallableIterator:
        """Return an iterator over what a function creates for this process.

        Args:
            input_fn: Function of a `tf.distribute.InputContext` that returns a dataset of the
                batches of one replica, or a function that returns the next value of a replica.
            replication_mode: `tf.distribute.InputReplicationMode.PER_WORKER`.

        Returns:
            An iterator with `initialize` and `get_next`.

        Raises:
            ValueError: `replication_mode` is another.
        """
        if replication_mode is not InputReplicationMode.PER_WORKER:
            raise ValueError(
                f"make_input_fn_iterator calls the function once per worker, received "
                f"{replication_mode!r}. For a pipeline per replica call "
                f"strategy.distribute_datasets_from_function with tf.distribute.InputOptions."
            )
        functions: list[Callable[[], Any]] = []

        def dataset_of(context: Any) -> Any:
            result = input_fn(context)
            if isinstance(result, Dataset):
                return result
            functions.append(result)
            return Dataset.range(0)

        dataset = self.distribute_datasets_from_function(dataset_of)
        if functions:
            return CallableIterator(functions[0], len(self.extended.worker_devices))
        return DatasetIterator(dataset)

    def experimental_run(self: Any, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Call a function in each replica, with its part of the next batch.

        Args:
            fn: The function.
            input_iterator: What `make_dataset_iterator` or `make_input_fn_iterator` returns; None
                for a function without arguments.

        Returns:
            What `run` returns.
        """
        with self.scope():
            args = () if input_iterator is None else (input_iterator.get_next(),)
            return self.run(fn, args=args)

    def experimental_make_numpy_dataset(self: Any, numpy_input: Any, session: Any = None) -> Any:
        """Return a dataset of the rows of arrays.

        Args:
            numpy_input: Array, or a structure of arrays with as many rows.
            session: Ignored.

        Example:
            >>> strategy = tf.distribute.get_strategy()
            >>> [int(x) for x in strategy.experimental_make_numpy_dataset([1, 2])]
            [1, 2]
        """
        return numpy_dataset(numpy_input)

    def update_config_proto(self: Any, config_proto: Any) -> Any:
        """Return a copy of the configuration of a session, changed as the strategy needs it.

        Args:
            config_proto: `tf.compat.v1.ConfigProto`.
        """
        copy = type(config_proto)()
        copy.CopyFrom(config_proto)
        if self._isolates_sessions:
            copy.isolate_session_state = True
        return copy

    def configure(
        self: Any,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: str | None = None,
        task_id: int | None = None,
    ) -> None:
        """Do nothing: a strategy has all that it needs from its constructor.

        Args:
            session_config: Ignored.
            cluster_spec: None: a strategy cannot be moved to a cluster.
            task_type: Ignored.
            task_id: Ignored.

        Raises:
            NotImplementedError: There is a `cluster_spec`, and the strategy has several replicas.
        """
        if cluster_spec is not None and self.num_replicas_in_sync > 1:
            raise NotImplementedError(
                f"{type(self).__name__}.configure cannot change the cluster of a strategy: start "
                f"each process with TF_CONFIG, and create "
                f"tf.distribute.MultiWorkerMirroredStrategy()."
            )

    def group(self: Any, value: Any, name: str | None = None) -> Any:
        """Return an operation that depends on the values of all replicas.

        Args:
            value: What `run` returned.
            name: The name of the operation.

        Returns:
            The value itself if it is the only one and `name` is None; otherwise an operation,
            or None in eager mode.
        """
        values = self.experimental_local_results(value)
        if len(values) == 1 and name is None and not isinstance(values[0], (list, tuple)):
            return values[0]
        return group_operations(*values, name=name)

    def colocate_vars_with(self: Any, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """Create variables of the block where another one is: `extended.colocate_vars_with`.

        Args:
            colocate_with_variable: The other variable.

        Returns:
            A context manager.
        """
        return self.extended.colocate_vars_with(colocate_with_variable)


def get_loss_reduction() -> ReduceOp:
    """Return how losses of replicas are combined: summed, as each is a part of the whole.

    Example:
        >>> tf.compat.v1.distribute.get_loss_reduction()
        <ReduceOp.SUM: 'SUM'>
    """
    return ReduceOp.SUM
