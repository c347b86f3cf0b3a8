"""A strategy with one replica in each of several processes, which all run the same program.

Values of replicas are plain tensors: each process has its own. What combines them is an op that
waits for the other workers (`ops.graph.workers`); several values are exchanged at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.api.math.reduction import reduce_sum
from tapeflow._src.autograph.api import convert_entity
from tapeflow._src.core import nest
from tapeflow._src.core.dtypes import string
from tapeflow._src.distribute.contexts import entered
from tapeflow._src.distribute.extended import StrategyExtended
from tapeflow._src.distribute.per_replica import DistributedValues, PerReplica, select
from tapeflow._src.distribute.reductions import length_along, mean_of
from tapeflow._src.distribute.replicated import ReplicatedStrategy, reading_variables
from tapeflow._src.distribute.strategy import ReplicaContext, Strategy
from tapeflow._src.distribute.values import InputContext, ReduceOp, ValueContext, as_reduce_op
from tapeflow._src.distribute.variables import DistributedVariable, SyncOnReadVariable, adopt
from tapeflow._src.distribute.worker_input import as_distributed, part_of_worker, with_agreed_end
from tapeflow._src.distribute.workers import WorkerGroup
from tapeflow._src.eager.creators import distributing
from tapeflow._src.eager.replication import VariableAggregation
from tapeflow._src.eager.variable import Variable
from tapeflow._src.gradients.custom import custom_gradient
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.array.common import shape_of
from tapeflow._src.ops.graph.workers import (
    worker_broadcast,
    worker_concat,
    worker_gather,
    worker_sum,
)
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.cast import cast


def reduced(op: ReduceOp, values: Sequence[Any], count: int) -> list[Any]:
    """Return sums or means of tensors and `tf.IndexedSlices` over all workers, by one exchange."""
    dense = [i for i, value in enumerate(values) if not isinstance(value, IndexedSlices)]
    sparse = [i for i, value in enumerate(values) if isinstance(value, IndexedSlices)]
    results: dict[int, Any] = {}
    if dense:
        sums = worker_sum([convert_to_tensor(values[i]) for i in dense])
        results.update(zip(dense, sums, strict=True))
    if sparse:
        parts = [part for i in sparse for part in (values[i].values, values[i].indices)]
        joined = worker_concat(parts, axis=0)
        for k, i in enumerate(sparse):
            rows, indices = joined[2 * k : 2 * k + 2]
            results[i] = IndexedSlices(rows, indices, values[i].dense_shape)
    if op is ReduceOp.SUM:
        return [results[i] for i in range(len(values))]
    return [_divided(results[i], count) for i in range(len(values))]


def _divided(total: Any, count: int) -> Any:
    if isinstance(total, IndexedSlices):
        return IndexedSlices(_divided(total.values, count), total.indices, total.dense_shape)
    return total / cast(convert_to_tensor(count), DstT=total.dtype)


def _reduced_along(op: ReduceOp, tensors: Sequence[Any], axis: Any) -> list[Any]:
    """Return the sums or the means of all elements along an axis, over all workers."""
    sums = [reduce_sum(tensor, axis=axis) for tensor in tensors]
    if op is ReduceOp.SUM:
        return list(worker_sum(sums))
    totals = worker_sum([*sums, *[length_along(tensor, axis) for tensor in tensors]])
    return list(map(mean_of, totals[: len(sums)], totals[len(sums) :]))


class WorkerContext(ReplicaContext):
    """Where a function runs as the replica of this process."""

    # The index among the replicas of this process.
    _index = 0
    # Collectives may be anywhere, as long as all workers reach them.
    can_merge = True

    def __init__(self, strategy: Any) -> None:
        super().__init__(strategy, strategy._group.rank)
        self._rank: int = strategy._group.rank

    @property
    def devices(self) -> tuple[str, ...]:
        devices: tuple[str, ...] = self._strategy.extended.worker_devices
        return devices

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        op = as_reduce_op(reduce_op)
        leaves = nest.flatten(value)
        results = reduced(op, leaves, self.num_replicas_in_sync)
        return nest.pack_sequence_as(value, results)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        return nest.map_structure(lambda leaf: self._gathered(convert_to_tensor(leaf), axis), value)

    def _gathered(self, tensor: Any, axis: int) -> Any:
        rank, count = self._rank, self.num_replicas_in_sync

        @custom_gradient
        def joined(x: Any) -> Any:
            def gradient(upstream: Any) -> Any:
                total = worker_sum([upstream])[0]
                sizes = worker_gather([shape_of(x)[axis]], count=count)[0]
                start = reduce_sum(sizes[:rank])
                index: list[Any] = [slice(None)] * x.shape.rank
                index[axis] = slice(start, start + sizes[rank])
                return total[tuple(index)]

            return worker_concat([x], axis=axis)[0], gradient

        return joined(tensor)


class WorkerExtended(StrategyExtended):
    """Further methods of a strategy with a replica in each of several processes."""

    experimental_between_graph = True

    def __init__(self, strategy: Any, group: WorkerGroup) -> None:
        super().__init__(strategy)
        self._group = group
        self.num_hosts = group.size
        # Names that libraries look for.
        self._num_workers = group.size
        self._task_type, self._task_id = group.worker.job, group.worker.task
        self._is_chief = group.rank == 0

    def _in_multi_worker_mode(self) -> bool:
        """Whether there are other machines."""
        return True

    @property
    def worker_devices(self) -> tuple[str, ...]:
        return (self._group.worker.device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        return self.worker_devices

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
        own = var.values[0] if isinstance(var, SyncOnReadVariable) else var
        return super().update(own, fn, select(0, args), select(0, kwargs or {}), group)

    def non_slot_devices(self, var_list: Any) -> Any:
        return self.worker_devices

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        return self._strategy.reduce(reduce_op, value, axis=None)

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        op = as_reduce_op(reduce_op)
        return reduced(
            op, [select(0, value) for value, _ in value_destination_pairs], self.num_hosts
        )

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        return worker_broadcast([convert_to_tensor(tensor)])[0]


class SeveralWorkers(ReplicatedStrategy):
    """The methods of `MultiWorkerMirroredStrategy` where there are several workers."""

    _group: WorkerGroup
    _spans_workers = True

    def _join(self, group: WorkerGroup) -> None:
        Strategy.__init__(self, WorkerExtended(self, group))
        self._group = group
        self._count = group.size
        self._functions = {}
        # The values of variables that were exchanged ahead of reading, by identity.
        self._read_ahead: dict[int, Any] = {}

    # -- variables -------------------------------------------------------------------------------

    def _create_variable(self, create: Callable[[], Any]) -> Any:
        """Create a variable with the initial value of the first worker."""
        with distributing(None):
            variable = create()
        if not isinstance(variable, Variable) or isinstance(variable, DistributedVariable):
            return variable
        array = variable._cell.now()
        if array is not None and variable._dtype is not string:
            variable._cell.array = self._group.broadcast([array])[0]
        return adopt(variable, self)

    def _combined_parts(self, aggregation: VariableAggregation, values: Sequence[Any]) -> Any:
        """Return the value of a variable from that of this worker, and of the others."""
        if aggregation is VariableAggregation.NONE:
            return values[0]
        if aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return worker_broadcast([convert_to_tensor(values[0])])[0]
        op = ReduceOp.from_variable_aggregation(aggregation)
        return reduced(op, [values[0]], self._count)[0]

    @contextmanager
    def _read_together(self, variables: Sequence[Any]) -> Iterator[None]:
        """Exchange the values of variables that are synchronized on read, all at once."""
        summed = [
            variable
            for variable in variables
            if isinstance(variable, SyncOnReadVariable)
            and variable._aggregation is VariableAggregation.SUM
        ]
        totals = reduced(ReduceOp.SUM, [v.values[0].value() for v in summed], self._count)
        self._read_ahead = {id(v): total for v, total in zip(summed, totals, strict=True)}
        try:
            yield
        finally:
            self._read_ahead = {}

    # -- running ---------------------------------------------------------------------------------

    def _call(self, fn: Any, args: Any, kwargs: Any, as_tensors: bool = False) -> Any:
        called = convert_entity(fn) if tracing() else fn
        if as_tensors:
            called = reading_variables(called)
        with entered(self, None), WorkerContext(self), distributing(self._create_variable):
            return called(*select(0, args), **select(0, kwargs))

    # -- combining -------------------------------------------------------------------------------

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        op = as_reduce_op(reduce_op)
        self._require_cross_replica("reduce")
        leaves = [_local(leaf) for leaf in nest.flatten(value)]
        if axis is None:
            results = reduced(op, leaves, self._count)
        else:
            results = _reduced_along(op, [convert_to_tensor(leaf) for leaf in leaves], axis)
        return nest.pack_sequence_as(value, results)

    def gather(self, value: Any, axis: int) -> Any:
        self._require_cross_replica("gather")
        leaves = [convert_to_tensor(_local(leaf)) for leaf in nest.flatten(value)]
        return nest.pack_sequence_as(value, list(worker_concat(leaves, axis=axis)))

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        return (nest.map_structure(_local, value),)

    # -- input -----------------------------------------------------------------------------------

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        return as_distributed(part_of_worker(dataset, self._group))

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        group = self._group
        dataset = dataset_fn(InputContext(group.size, group.rank, self._count))
        return as_distributed(with_agreed_end(dataset))

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        self._require_cross_replica("experimental_distribute_values_from_function")
        return PerReplica([value_fn(ValueContext(self._group.rank, self._count))])


def _local(leaf: Any) -> Any:
    """Return the value of the replica of this process."""
    if isinstance(leaf, (DistributedValues, DistributedVariable)):
        return leaf.values[0]
    return leaf
