"""Strategies with several replicas in this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.api.scopes import device as device_scope
from tapeflow._src.autograph.api import convert_entity
from tapeflow._src.core import devices as device_names
from tapeflow._src.core import dispatch, nest
from tapeflow._src.distribute.contexts import current, entered
from tapeflow._src.distribute.extended import StrategyExtended
from tapeflow._src.distribute.input import (
    DistributedDataset,
    distributed_from_all,
    distributed_from_function,
)
from tapeflow._src.distribute.lockstep import Replica, run_replicas
from tapeflow._src.distribute.per_replica import (
    DistributedValues,
    Mirrored,
    PerReplica,
    regroup,
    select,
    values_of,
)
from tapeflow._src.distribute.reductions import combine, combine_along, gathered
from tapeflow._src.distribute.spmd import (
    LocalValue,
    NotOneProgramError,
    SpmdContext,
    run_as_one_program,
)
from tapeflow._src.distribute.spmd import reduced as reduced_locally
from tapeflow._src.distribute.strategy import ReplicaContext, Strategy
from tapeflow._src.distribute.values import (
    InputContext,
    ReduceOp,
    ValueContext,
    as_reduce_op,
    replicates_input,
)
from tapeflow._src.distribute.variables import DistributedVariable, SyncOnReadVariable, adopt
from tapeflow._src.eager.creators import distributing
from tapeflow._src.eager.variable import Variable
from tapeflow._src.function.decorator import function
from tapeflow._src.function.polymorphic import Function
from tapeflow._src.gradients.custom import custom_gradient
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.indexed_slices import IndexedSlices


class ReplicatedContext(ReplicaContext):
    """Where a function runs as one of several replicas."""

    def __init__(self, strategy: Any, replica: Replica, created: dict[Any, list[Any]]) -> None:
        super().__init__(strategy, replica.index)
        self._index = replica.index
        self._thread = replica
        self._graph = dispatch.current_graph()
        # The variables that the first replica has created in this call, by class and name, and
        # how many of them this one has.
        self._created = created
        self._reused: Counter[Any] = Counter()

    @property
    def devices(self) -> tuple[str, ...]:
        return (self._strategy.extended.worker_devices[self._index],)

    @property
    def can_merge(self) -> bool:
        """Whether this is where the replica was started, and not a function or branch within."""
        return dispatch.current_graph() is self._graph

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if not self.can_merge:
            raise RuntimeError(
                "merge_call, and what needs all replicas such as all_reduce or an optimizer, "
                "cannot be called in a tf.function, a branch or a loop within a replica: call it "
                "in the function that strategy.run calls, and decorate the caller of strategy.run."
            )
        return self._thread.merge((merge_fn, args, kwargs or {}))

    def share(self, create: Any, variable: Any) -> None:
        """Let the other replicas have a variable that this one, the first, has created."""
        self._created.setdefault(_key(create), []).append(variable)

    def created_by_first(self, create: Any) -> Any:
        """Return the variable that the first replica has created by the same call."""
        key = _key(create)
        variables = self._created.get(key, [])
        if self._reused[key] >= len(variables):
            raise RuntimeError(
                f"Replica {self._index} creates a variable (name={key[1]!r}) that the first one "
                f"does not: create variables before strategy.run, in the scope of the strategy."
            )
        self._reused[key] += 1
        return variables[self._reused[key] - 1]

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        op = as_reduce_op(reduce_op)
        leaves = nest.flatten(value)
        sparse = any(isinstance(leaf, IndexedSlices) for leaf in leaves)
        if sparse:
            reduced = self.merge_call(_all_reduced, args=(op, leaves))
        else:
            reduced = self._differentiable(op, [convert_to_tensor(leaf) for leaf in leaves])
        return nest.pack_sequence_as(value, list(reduced))

    def _differentiable(self, op: ReduceOp, tensors: list[Any]) -> Any:
        @custom_gradient
        def reduced(*inputs: Any) -> Any:
            results = self.merge_call(_all_reduced, args=(op, list(inputs)))
            return list(results), lambda *grads: self._differentiable(op, list(grads))

        results = reduced(*tensors)
        return results if isinstance(results, (list, tuple)) else [results]

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        def gather(tensor: Any) -> Any:
            @custom_gradient
            def joined(x: Any) -> Any:
                results = self.merge_call(_all_gathered, args=(x, axis))

                def gradient(upstream: Any) -> Any:
                    return self.merge_call(_gathered_gradient, args=(upstream, x, axis))

                return results, gradient

            return joined(convert_to_tensor(tensor))

        return nest.map_structure(gather, value)


def _key(create: Any) -> tuple[Any, Any]:
    """Return the class and the name of a variable to be created."""
    cls, _, _, kwargs = create.args
    return cls, kwargs.get("name")


def _all_reduced(strategy: Any, op: Any, leaves: list[Any]) -> list[Any]:
    count = strategy.num_replicas_in_sync
    return [Mirrored([combine(op, values_of(leaf, count))] * count) for leaf in leaves]


def _all_gathered(strategy: Any, value: Any, axis: int) -> Any:
    count = strategy.num_replicas_in_sync
    return Mirrored([gathered(values_of(value, count), axis)] * count)


def _gathered_gradient(strategy: Any, upstream: Any, value: Any, axis: int) -> Any:
    """Return each replica's part of the sum of the gradients of what all have gathered."""
    count = strategy.num_replicas_in_sync
    total = combine(ReduceOp.SUM, values_of(upstream, count))
    parts, start = [], 0
    for tensor in values_of(value, count):
        size = int(tensor.shape[axis])
        index = [slice(None)] * tensor.shape.rank
        index[axis] = slice(start, start + size)
        parts.append(total[tuple(index)])
        start += size
    return PerReplica(parts)


class SingleExtended(StrategyExtended):
    """Further methods of a strategy on the only device that it was created with."""

    def variable_created_in_scope(self, v: Any) -> bool:
        return getattr(v, "_distribute_strategy", None) is self._strategy


class ReplicatedExtended(StrategyExtended):
    """Further methods of a strategy with several replicas."""

    # Replicas without rows in the last batch have empty ones.
    experimental_enable_get_next_as_optional = True

    def __init__(
        self, strategy: Any, devices: Sequence[str], parameter_device: str | None = None
    ) -> None:
        super().__init__(strategy)
        self._parameter_device = parameter_device
        self._devices = tuple(devices)
        self.num_replicas_per_host = len(self._devices)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        return self._devices

    @property
    def worker_devices_by_replica(self) -> list[list[str]]:
        """The devices of each replica."""
        return [[device] for device in self._devices]

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        return self._devices if self._parameter_device is None else (self._parameter_device,)

    def variable_created_in_scope(self, v: Any) -> bool:
        return getattr(v, "_distribute_strategy", None) is self._strategy

    def value_container(self, value: Any) -> Any:
        owner = value._itself() if isinstance(value, Variable) else None
        return value if owner is None else owner

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        self._strategy._require_cross_replica("extended.update")
        if isinstance(var, SyncOnReadVariable):
            results = tuple(
                fn(part, *select(i, args), **select(i, kwargs or {}))
                for i, part in enumerate(var.values)
            )
            return regroup(results) if group else results
        result = fn(var, *select(0, args), **select(0, kwargs or {}))
        return result if group else (result,) * len(self._devices)

    def update_non_slot(
        self,
        colocate_with: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        self._strategy._require_cross_replica("extended.update_non_slot")
        result = fn(*select(0, args), **select(0, kwargs or {}))
        return result if group else (result,) * len(self._devices)

    def non_slot_devices(self, var_list: Any) -> Any:
        return self._devices

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        return self._strategy.reduce(reduce_op, value, axis=None)

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        return [self.reduce_to(reduce_op, value, to) for value, to in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        return Mirrored([tensor] * len(self._devices))

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        return device_scope(None)


def _full_name(device: Any) -> str:
    """Return the full name of a device; with soft placement, also of one that is not there."""
    spec = device_names.parse(device)
    matches = device_names.matching(spec)
    if matches:
        return matches[0]
    device_names.resolve(spec)
    return device_names.parse(device_names.LOCAL).make_merged_spec(spec).to_string()


def reading_variables(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose results are those of `fn`, with the values of variables."""

    def read(leaf: Any) -> Any:
        return leaf.read_value() if isinstance(leaf, Variable) else leaf

    return lambda *args, **kwargs: nest.map_structure(read, fn(*args, **kwargs))


class ReplicatedStrategy(Strategy):
    """A strategy with a replica on each of several devices; with one device, a plain one."""

    _isolates_sessions = True

    def __init__(self, devices: Sequence[str], parameter_device: str | None = None) -> None:
        names = [_full_name(device) for device in devices]
        if len(set(names)) != len(names):
            raise ValueError(
                f"tf.distribute.{type(self).__name__} needs a device of its own for each replica, "
                f"received {list(devices)}, which are {names}. At the start of the program, "
                f"tf.config.set_logical_device_configuration can divide the CPU into several."
            )
        if len(names) == 1:
            super().__init__(SingleExtended(self))
            self._device = names[0]
        else:
            super().__init__(ReplicatedExtended(self, names, parameter_device))
        self._count = len(names)
        self._names = names
        # The functions that were passed to `run`, as functions of the values of all replicas.
        self._functions: dict[int, tuple[Any, Any]] = {}

    @property
    def num_replicas_in_sync(self) -> int:
        return self._count

    def _require_cross_replica(self, method: str) -> None:
        inside = current()
        if inside is not None and inside[0] is self and inside[1] is not None:
            raise RuntimeError(
                f"strategy.{method} is called in a replica, and works across all of them: call it "
                f"outside of strategy.run, or by tf.distribute.get_replica_context().merge_call."
            )

    # -- scopes --------------------------------------------------------------------------------

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        self._require_cross_replica("scope")
        creator = self._mark if self._count == 1 else self._create_variable
        with super().scope(), distributing(creator):
            yield self

    def _mark(self, create: Callable[[], Any]) -> Any:
        """Create a variable of the only replica."""
        with distributing(None):
            variable = create()
        variable._distribute_strategy = self
        return variable

    def _create_variable(self, create: Any) -> Any:
        """Create a variable on all devices: in a replica, once for all of them."""
        inside = current()
        replica = inside[1] if inside is not None and inside[0] is self else None
        if isinstance(replica, SpmdContext):
            raise NotOneProgramError("a variable is created")
        if replica is not None and replica._index:
            return replica.created_by_first(create)
        with distributing(None):
            variable = adopt(create(), self)
        if replica is not None:
            replica.share(create, variable)
        return variable

    # -- running -------------------------------------------------------------------------------

    def run(
        self,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        if self._count == 1:
            return super().run(fn, args, kwargs, options)
        self._require_cross_replica("run")
        if isinstance(fn, Function):
            if not tracing():
                return self._as_function(fn)(args, kwargs or {})
            return self._call(fn.python_function, args, kwargs or {}, as_tensors=True)
        return self._call(fn, args, kwargs or {})

    def _as_function(self, fn: Any) -> Any:
        """Return a function that calls one in all replicas: they share one graph."""
        cached = self._functions.get(id(fn))
        if cached is None or cached[0] is not fn:
            whole = function(
                lambda args, kwargs: self._call(fn.python_function, args, kwargs, as_tensors=True),
                autograph=False,
            )
            cached = self._functions[id(fn)] = (fn, whole)
        return cached[1]

    def _call(self, fn: Any, args: Any, kwargs: Any, as_tensors: bool = False) -> Any:
        """Call a function in all replicas; `as_tensors`: variables that it returns are read."""
        called = convert_entity(fn) if tracing() else fn
        if as_tensors:
            called = reading_variables(called)
        created: dict[Any, list[Any]] = {}

        def call(replica: Replica) -> Any:
            context = ReplicatedContext(self, replica, created)
            with context, distributing(self._create_variable):
                index = replica.index
                return called(*select(index, args), **select(index, kwargs))

        def in_turn() -> Any:
            return run_replicas(self, self._count, self._names, call)

        with entered(self, None), distributing(self._create_variable):
            # A tape outside follows the operations of all replicas.
            taped = any(isinstance(r, Ledger) for r in dispatch.state.recorders)
            if not tracing() or dispatch.plain_graph() is not None or taped:
                return in_turn()
            return run_as_one_program(self, called, in_turn, args, kwargs)

    # -- combining -----------------------------------------------------------------------------

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        op = as_reduce_op(reduce_op)
        if self._count == 1:
            return super().reduce(reduce_op, value, axis)
        self._require_cross_replica("reduce")

        def reduced(leaf: Any) -> Any:
            if isinstance(leaf, LocalValue) and axis is None:
                return reduced_locally(op, leaf, self._count)
            values = self._values(leaf)
            if axis is not None:
                return combine_along(op, values or (leaf,) * self._count, axis)
            if values is None:
                return self._reduce_undistributed(op, leaf)
            return combine(op, values)

        return nest.map_structure(reduced, value)

    def _values(self, leaf: Any) -> tuple[Any, ...] | None:
        """Return the values of all replicas, or None if it is not distributed."""
        if isinstance(leaf, (DistributedValues, DistributedVariable)):
            return leaf.values
        return None

    def _reduce_undistributed(self, op: ReduceOp, leaf: Any) -> Any:
        is_zero = isinstance(leaf, (int, float)) and leaf == 0
        if op is ReduceOp.MEAN or is_zero:
            return leaf
        raise ValueError(
            f"strategy.reduce: expected values of replicas to sum, such as strategy.run returns, "
            f"received the single value {leaf!r}."
        )

    def gather(self, value: Any, axis: int) -> Any:
        if self._count == 1:
            return super().gather(value, axis)
        self._require_cross_replica("gather")
        return nest.map_structure(lambda leaf: gathered(self._values(leaf) or (leaf,), axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        if self._count == 1:
            return super().experimental_local_results(value)
        leaves = [self._values(leaf) for leaf in nest.flatten(value)]
        if all(values is None for values in leaves):
            return (value,)
        flat = [
            values or (leaf,) * self._count for values, leaf in zip(leaves, nest.flatten(value))
        ]
        return tuple(nest.pack_sequence_as(value, list(part)) for part in zip(*flat))

    # -- input ---------------------------------------------------------------------------------

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        if self._count == 1:
            return super().experimental_distribute_dataset(dataset, options)
        if replicates_input(options):
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA needs a pipeline for each replica: call "
                "strategy.distribute_datasets_from_function."
            )
        return DistributedDataset.of(dataset, self._count)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        if self._count == 1:
            return super().distribute_datasets_from_function(dataset_fn, options)
        if replicates_input(options):
            contexts = [InputContext(self._count, i, self._count) for i in range(self._count)]
            return distributed_from_all([dataset_fn(context) for context in contexts])
        context = InputContext(1, 0, self._count)
        return distributed_from_function(dataset_fn(context), self._count)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        if self._count == 1:
            return super().experimental_distribute_values_from_function(value_fn)
        self._require_cross_replica("experimental_distribute_values_from_function")
        values = [value_fn(ValueContext(i, self._count)) for i in range(self._count)]
        if all(value is values[0] for value in values):
            return PerReplica(values)
        return regroup(values)
