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
from tapeflow._src.core.dtypes import int32
from tapeflow._src.distribute.contexts import current, entered
from tapeflow._src.distribute.values import InputContext, ReduceOp, ValueContext, as_reduce_op
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.indexed_slices import IndexedSlices


class ReplicaContext:
    """Where a function runs that each replica calls."""

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
        """Call a function across all replicas, with the strategy as its first argument."""
        with entered(self._strategy, None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Combine a structure of values over all replicas: with one, they are the result."""
        as_reduce_op(reduce_op)
        return nest.map_structure(
            lambda x: x if isinstance(x, IndexedSlices) else convert_to_tensor(x), value
        )

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Concatenate values of all replicas: with one, its own is the result."""
        return nest.map_structure(convert_to_tensor, value)


class StrategyExtended:
    """Further methods of a strategy, for libraries."""

    def __init__(self, container_strategy: Strategy) -> None:
        self._strategy = container_strategy
        self._retrace_functions_for_each_device = False

    experimental_require_static_shapes = False
    # Whether batches of data sets are those of all replicas together.
    _global_batch_size = True
    experimental_between_graph = False
    should_checkpoint = should_save_summary = experimental_should_init = True
    # Older names of how many steps one run makes, and on how many machines.
    steps_per_run = num_hosts = num_replicas_per_host = 1

    def _in_multi_worker_mode(self) -> bool:
        """Whether there are other machines."""
        return False

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
        """Call a function in each replica."""
        return self._strategy.run(fn, args, kwargs)

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """Create variables of the block where another one is."""
        return device_scope(None)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable belongs to this strategy: with one replica, all do."""
        return True

    def value_container(self, value: Any) -> Any:
        """Return the distributed value that a value is a part of."""
        return value

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Call a function that changes a variable where it is."""
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
        """Call a function that changes state besides variables."""
        result = fn(*args, **(kwargs or {}))
        return result if group else (result,)

    def non_slot_devices(self, var_list: Any) -> Any:
        """Return the device of state besides variables."""
        return min(var_list, key=lambda variable: variable.name)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Combine values of replicas at a destination."""
        as_reduce_op(reduce_op)
        return value

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Combine several values, each at its destination."""
        as_reduce_op(reduce_op)
        return [value for value, _ in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """Copy a value to destinations."""
        return tensor

    def read_var(self, v: Any) -> Any:
        """Return the value of a variable."""
        return v.read_value()


class Strategy:
    """How a computation is spread over devices; this one has a single replica.

    Example:
        >>> import tapeflow as tf
        >>> strategy = tf.distribute.get_strategy()
        >>> strategy.run(lambda x: x + 1, args=(tf.constant(1),)).numpy()
        np.int32(2)
    """

    _device = ""
    # Whether steps are scheduled on remote workers.
    _should_use_with_coordinator = False

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
        """Put the strategy in force in the block."""
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
        """Call a function in each replica; with one, its result is returned as it is."""
        called = convert_entity(fn) if tracing() else fn
        with ReplicaContext(self), device_scope(self._device or None):
            return called(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Combine values of replicas, and with `axis` the elements along it."""
        op = as_reduce_op(reduce_op)
        if axis is None:
            return value
        combine = reduce_sum if op is ReduceOp.SUM else reduce_mean
        return nest.map_structure(lambda v: combine(v, axis=axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """Concatenate values of replicas along an axis."""
        return nest.map_structure(convert_to_tensor, value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return the values of the replicas of this process."""
        return (value,)

    def unwrap(self, value: Any) -> list[Any]:
        """Return the values of the replicas of this process, as a list: the former name."""
        return list(self.experimental_local_results(value))

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Return a dataset of the batches of each replica: with one, the dataset itself."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        """Return the dataset that a function makes for this process."""
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """Return the value that a function makes for each replica."""
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
    """One replica on a device of the user's choice."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self._device = device


DEFAULT = DefaultStrategy()
_DEFAULT_REPLICA = ReplicaContext(DEFAULT)
_chosen: list[Strategy] = []


def get_strategy() -> Strategy:
    """Return the strategy in force."""
    inside = current()
    if inside is not None:
        strategy: Strategy = inside[0]
        return strategy
    return _chosen[-1] if _chosen else DEFAULT


def has_strategy() -> bool:
    """Whether a strategy other than the default one is in force."""
    return get_strategy() is not DEFAULT


def get_replica_context() -> ReplicaContext | None:
    """Return where the replica runs, None across replicas."""
    inside = current()
    if inside is not None:
        replica: ReplicaContext | None = inside[1]
        return replica
    return None if _chosen else _DEFAULT_REPLICA


def in_cross_replica_context() -> bool:
    """Whether code runs across replicas rather than in one of them."""
    return get_replica_context() is None


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Put a strategy in force for the rest of the program, or none with None."""
    if current() is not None:
        raise RuntimeError("experimental_set_strategy cannot be called in the scope of a strategy.")
    _chosen[:] = [] if strategy is None else [strategy]
