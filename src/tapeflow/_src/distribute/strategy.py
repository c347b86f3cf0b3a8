"""Strategies of one replica: the default one, and one on a named device.

Code that is written for several replicas runs on them unchanged: values of replicas are plain
tensors, and combining them returns the only one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.api.math.reduction import reduce_mean, reduce_sum
from tapeflow._src.api.scopes import device as device_scope
from tapeflow._src.autograph.api import convert_entity
from tapeflow._src.core import nest
from tapeflow._src.core.devices import parse
from tapeflow._src.core.dtypes import int32
from tapeflow._src.core.replicas import replicas
from tapeflow._src.distribute.contexts import current, entered
from tapeflow._src.distribute.extended import StrategyExtended
from tapeflow._src.distribute.legacy_strategy import LegacyStrategy
from tapeflow._src.distribute.values import InputContext, ReduceOp, ValueContext, as_reduce_op
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.indexed_slices import IndexedSlices


class ReplicaContext:
    """Where a function runs that each replica calls.

    `tf.distribute.get_replica_context` returns it.

    Args:
        strategy: Strategy that the replica belongs to.
        replica_id_in_sync_group: Index of the replica.

    Example:
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> def step():
        ...     return tf.distribute.get_replica_context().replica_id_in_sync_group
        >>> int(strategy.run(step))
        0
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: Any = 0) -> None:
        self._strategy = strategy
        self._replica = replica_id_in_sync_group
        self._entered: list[AbstractContextManager[Any]] = []

    def __enter__(self) -> None:
        self._entered.append(entered(self._strategy, self))
        self._entered[-1].__enter__()

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self._entered.pop().__exit__(kind, value, traceback)

    @property
    def strategy(self) -> Strategy:
        """The strategy that the replica belongs to."""
        return self._strategy

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of the replica, as a tensor."""
        return convert_to_tensor(self._replica, int32)

    @property
    def _trace_key(self) -> Any:
        """What distinguishes traces of functions that are called here; None for any place."""
        return None if self._strategy is DEFAULT else (self._strategy, self._replica)

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._strategy.num_replicas_in_sync

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that the replica runs on."""
        return ("",)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call a function across all replicas.

        Args:
            merge_fn: Function that takes the strategy, and then `args` and `kwargs`.
            args: Arguments by position.
            kwargs: Arguments by name.

        Returns:
            What the function returns.
        """
        with entered(self._strategy, None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Combine a structure of values over all replicas: with one, they are the result.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            value: Tensor, or a structure of tensors.
            options: Ignored.

        Returns:
            The structure with tensors.

        Raises:
            ValueError: `reduce_op` is unknown.
        """
        as_reduce_op(reduce_op)
        return nest.map_structure(
            lambda x: x if isinstance(x, IndexedSlices) else convert_to_tensor(x), value
        )

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Concatenate values of all replicas: with one, its own is the result.

        Args:
            value: Tensor, or a structure of tensors.
            axis: Axis to concatenate along.
            options: Ignored.

        Returns:
            The structure with tensors.
        """
        return nest.map_structure(convert_to_tensor, value)


class Strategy(LegacyStrategy):
    """How a computation is spread over devices; this one has a single replica.

    Code for several replicas runs unchanged: values of replicas are plain tensors, and combining
    them returns the only one.

    Args:
        extended: Further methods, for libraries; None for those of one replica.

    Example:
        >>> import tapeflow as tf
        >>> strategy = tf.distribute.get_strategy()
        >>> strategy.run(lambda x: x + 1, args=(tf.constant(1),)).numpy()
        np.int32(2)
    """

    _device = ""
    # Whether steps are scheduled on remote workers.
    _should_use_with_coordinator = False
    # Whether replicas are in other processes, too.
    _spans_workers = False

    def __init__(self, extended: StrategyExtended | None = None) -> None:
        self._extended = extended or StrategyExtended(self)

    @property
    def extended(self) -> StrategyExtended:
        """Further methods of the strategy, for libraries."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas compute one step together."""
        return 1

    @property
    def cluster_resolver(self) -> Any:
        """The cluster resolver: None, as there is no cluster."""
        return None

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Put the strategy in force in the block.

        Returns:
            A context manager.

        Raises:
            RuntimeError: A scope of another strategy is entered already.

        Example:
            >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
            >>> with strategy.scope():
            ...     model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            ...     model.compile("sgd", "mse")
            >>> tf.distribute.has_strategy()
            False
        """
        inside = current()
        if inside is not None and inside[0] is not self:
            raise RuntimeError(
                f"A scope of {type(inside[0]).__name__} is entered already: scopes of different "
                "strategies cannot be nested."
            )
        with entered(self, None), device_scope(self._device or None):
            yield self

    def run(
        self,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Call a function in each replica; with one, its result is returned as it is.

        Args:
            fn: The function.
            args: Arguments by position.
            kwargs: Arguments by name.
            options: Ignored.

        Returns:
            What the function returns.

        Example:
            >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
            >>> strategy.run(tf.square, args=(tf.constant(3.0),)).numpy()
            np.float32(9.0)
        """
        called = convert_entity(fn) if tracing() else fn
        with ReplicaContext(self), device_scope(self._device or None):
            return called(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Combine values of replicas, and with `axis` the elements along it.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            value: Tensor, or a structure of tensors.
            axis: Axis to reduce; None for the values as they are.

        Returns:
            The structure with reduced tensors.

        Raises:
            ValueError: `reduce_op` is unknown.

        Example:
            >>> strategy = tf.distribute.get_strategy()
            >>> strategy.reduce("MEAN", tf.constant([1.0, 3.0]), axis=0).numpy()
            np.float32(2.0)
        """
        op = as_reduce_op(reduce_op)
        if axis is None:
            return value
        combine = reduce_sum if op is ReduceOp.SUM else reduce_mean
        return nest.map_structure(lambda v: combine(v, axis=axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """Concatenate values of replicas along an axis.

        Args:
            value: Tensor, or a structure of tensors.
            axis: The axis.

        Returns:
            The structure with tensors: the only replica's.

        Example:
            >>> tf.distribute.get_strategy().gather(tf.constant([1, 2]), axis=0).numpy()
            array([1, 2], dtype=int32)
        """
        return nest.map_structure(convert_to_tensor, value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return the values of the replicas of this process.

        Args:
            value: The value of the only replica.

        Returns:
            A tuple with the value.

        Example:
            >>> tf.distribute.get_strategy().experimental_local_results(3)
            (3,)
        """
        return (value,)

    def unwrap(self, value: Any) -> list[Any]:
        """Return the values of the replicas of this process, as a list: the former name.

        Args:
            value: The value of the only replica.

        Returns:
            A list with the value.
        """
        return list(self.experimental_local_results(value))

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Return a dataset of the batches of each replica: with one, the dataset itself.

        Args:
            dataset: Dataset of the batches of all replicas.
            options: Ignored.

        Returns:
            The dataset.
        """
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        """Return the dataset that a function creates for this process.

        Args:
            dataset_fn: Function of a `tf.distribute.InputContext`.
            options: Ignored.

        Returns:
            The dataset.

        Example:
            >>> strategy = tf.distribute.get_strategy()
            >>> data = strategy.distribute_datasets_from_function(
            ...     lambda context: tf.data.Dataset.range(context.get_per_replica_batch_size(4))
            ... )
            >>> len(data)
            4
        """
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """Return the value that a function creates for each replica.

        Args:
            value_fn: Function of a `tf.distribute.experimental.ValueContext`.

        Returns:
            The value of the only replica.
        """
        return value_fn(ValueContext())


class DefaultStrategy(Strategy):
    """The strategy in force where no other is: its scope changes nothing."""

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Enter a block in which nothing is different."""
        if has_strategy():
            raise RuntimeError(
                "A scope of another strategy is entered already: leave it before the default one."
            )
        yield self


class OneDeviceStrategy(Strategy):
    """One replica on a device of the user's choice.

    Variables and computations in its scope, and in `run`, are on the device.

    Args:
        device: Name of the device, such as `"/cpu:0"`.

    Raises:
        ValueError: It is no such name.

    Example:
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> strategy.num_replicas_in_sync
        1
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        parse(device)
        self._device = device


DEFAULT = DefaultStrategy()
_DEFAULT_REPLICA = ReplicaContext(DEFAULT)
_chosen: list[Strategy] = []


def get_strategy() -> Strategy:
    """Return the strategy in force.

    Returns:
        The strategy of the innermost scope, or the default one, which has one replica.

    Example:
        >>> tf.distribute.get_strategy().num_replicas_in_sync
        1
    """
    inside = current()
    if inside is not None:
        strategy: Strategy = inside[0]
        return strategy
    return _chosen[-1] if _chosen else DEFAULT


def has_strategy() -> bool:
    """Return whether a strategy other than the default one is in force.

    Returns:
        A bool.

    Example:
        >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        ...     tf.distribute.has_strategy()
        True
    """
    return get_strategy() is not DEFAULT


def get_replica_context() -> ReplicaContext | None:
    """Return where the replica runs, None across replicas.

    Returns:
        A `ReplicaContext` in `strategy.run` and where no strategy is in force; None in a scope.

    Example:
        >>> tf.distribute.get_replica_context().num_replicas_in_sync
        1
    """
    inside = current()
    if inside is not None:
        replica: ReplicaContext | None = inside[1]
        return replica
    return None if _chosen else _DEFAULT_REPLICA


def _index_of_replica() -> Any:
    replica = get_replica_context()
    return None if replica is None else replica.replica_id_in_sync_group


replicas.count = lambda: get_strategy().num_replicas_in_sync
replicas.strategy = lambda: get_strategy() if has_strategy() else None
replicas.index = _index_of_replica


def in_cross_replica_context() -> bool:
    """Return whether code runs across replicas rather than in one of them.

    Returns:
        A bool.

    Example:
        >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        ...     tf.distribute.in_cross_replica_context()
        True
    """
    return get_replica_context() is None


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Put a strategy in force for the rest of the program, or none with None.

    Args:
        strategy: The strategy.

    Returns:
        None.

    Raises:
        RuntimeError: It is called in the scope of a strategy.

    Example:
        >>> tf.distribute.experimental_set_strategy(tf.distribute.OneDeviceStrategy("/cpu:0"))
        >>> tf.distribute.has_strategy()
        True
        >>> tf.distribute.experimental_set_strategy(None)
    """
    if current() is not None:
        raise RuntimeError("experimental_set_strategy cannot be called in the scope of a strategy.")
    _chosen[:] = [] if strategy is None else [strategy]
