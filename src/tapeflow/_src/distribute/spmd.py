"""A step of all replicas as one program: the function is traced once, for the replica that runs.

It is traced for all replicas in turn as well (`lockstep`). Both are the branches of one operation:
the interpreter takes the latter, and a program that is compiled for a mesh of the devices the
former. Functions that cannot be traced once for all replicas are only traced in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.log import logger
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.distribute.contexts import entered
from tapeflow._src.distribute.per_replica import DistributedValues, PerReplica, select
from tapeflow._src.distribute.strategy import ReplicaContext
from tapeflow._src.distribute.values import ReduceOp, as_reduce_op
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.subgraphs import common_inputs, current_graph, trace_part
from tapeflow._src.ops.array.common import reshape
from tapeflow._src.ops.array.stacking import unpack
from tapeflow._src.ops.graph import replicas as ops
from tapeflow._src.ops.graph.control_flow import if_
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.cast import cast


class NotOneProgramError(Exception):
    """A function that cannot be traced once for all replicas."""


class LocalValue(DistributedValues):
    """The value of the replica that runs; those of all are gathered when they are asked for."""

    def __init__(self, tensor: Any, count: int) -> None:
        self.tensor = tensor
        self._count = count

    @property
    def values(self) -> tuple[Any, ...]:
        return gathered(self.tensor, self._count)


def gathered(tensor: Any, count: int) -> tuple[Any, ...]:
    """Return the values of all replicas."""
    return tuple(unpack(ops.replica_gather(tensor, count=count), num=count, axis=0))


def reduced(op: ReduceOp, value: LocalValue | Any, count: int) -> Any:
    """Return the sum or the mean of a tensor, or `tf.IndexedSlices`, over all replicas."""
    tensor = value.tensor if isinstance(value, LocalValue) else value
    if isinstance(tensor, IndexedSlices):
        rows = _joined(tensor.values, count)
        if op is ReduceOp.MEAN:
            rows = rows / cast(convert_to_tensor(count), DstT=rows.dtype)
        return IndexedSlices(rows, _joined(tensor.indices, count), tensor.dense_shape)
    total = ops.replica_sum(tensor, count=count)
    if op is ReduceOp.SUM:
        return total
    return total / cast(convert_to_tensor(count), DstT=total.dtype)


def _joined(tensor: Any, count: int) -> Any:
    """Return the rows of all replicas."""
    dims = tensor.static_shape
    if dims is None or None in dims:
        raise NotOneProgramError("rows whose number is unknown")
    stacked = ops.replica_gather(tensor, count=count)
    return reshape(stacked, convert_to_tensor([count * dims[0], *dims[1:]], dtypes.int32))


class SpmdContext(ReplicaContext):
    """Where a function is traced for the replica that runs, whichever that is."""

    _index = 0

    def __init__(self, strategy: Any) -> None:
        super().__init__(strategy, 0)
        self._count = strategy.num_replicas_in_sync
        self._graph: Any = dispatch.current_graph()
        # The operations that were traced across replicas: from one number to another.
        self.merged: list[tuple[int, int]] = []

    @property
    def _trace_key(self) -> Any:
        return (self._strategy, "any")

    @property
    def replica_id_in_sync_group(self) -> Any:
        return ops.replica_index()

    @property
    def can_merge(self) -> bool:
        """Whether this is where the replica was started, and not a function or branch within."""
        return dispatch.current_graph() is self._graph

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if not self.can_merge:
            raise NotOneProgramError("merge_call within a branch or a loop")
        first = len(self._graph.nodes)
        with entered(self._strategy, None):
            result = merge_fn(self._strategy, *self._across(args), **self._across(kwargs or {}))
        self.merged.append((first, len(self._graph.nodes)))
        return nest.map_structure(
            lambda leaf: leaf.tensor if isinstance(leaf, LocalValue) else leaf, select(0, result)
        )

    def _across(self, structure: Any) -> Any:
        def wrapped(leaf: Any) -> Any:
            is_value = isinstance(leaf, (Tensor, IndexedSlices))
            return LocalValue(leaf, self._count) if is_value else leaf

        return nest.map_structure(wrapped, structure)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        op = as_reduce_op(reduce_op)

        def over_replicas(leaf: Any) -> Any:
            sparse = isinstance(leaf, IndexedSlices)
            return reduced(op, leaf if sparse else convert_to_tensor(leaf), self._count)

        return nest.map_structure(over_replicas, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        raise NotOneProgramError("all_gather")

    # -- variables with a value per replica ------------------------------------------------------

    def read_part(self, parts: Sequence[Any]) -> Any:
        """Return the value of the replica that runs."""
        return ops.replica_select([part.value() for part in parts])

    def change_parts(
        self, parts: Sequence[Any], name: str, value: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Change the value of each replica by what it passes."""
        if not self.can_merge or name not in ("assign", "assign_add", "assign_sub"):
            raise NotOneProgramError(f"{name} of a variable that is synchronized on read")
        first = len(self._graph.nodes)
        values = gathered(parts[0]._operand(value), self._count)
        for part, own in zip(parts, values):
            getattr(part, name)(own, read_value=False)
        self.merged.append((first, len(self._graph.nodes)))


def run_as_one_program(
    strategy: Any, called: Callable[..., Any], in_turn: Callable[[], Any], args: Any, kwargs: Any
) -> Any:
    """Trace a function of replicas both ways; return the results as those of replicas in turn."""
    template: list[Any] = []

    def all_replicas(graph: Any) -> list[Any]:
        template.append(in_turn())
        return [leaf for leaf in _leaves(template[0]) if isinstance(leaf, Tensor)]

    def one_replica(graph: Any) -> list[Any]:
        context = SpmdContext(strategy)
        with context:
            result = called(*_local(args), **_local(kwargs))
        _require_merged_writes(context, graph)
        return _gathered_results(result, template[0], strategy.num_replicas_in_sync)

    scope = current_graph().names.scope(dispatch.state.name_scope, "replicas")
    whole = trace_part("in_turn", scope, all_replicas)
    devices = tuple(strategy.extended.worker_devices)
    try:
        single = trace_part("one", scope, one_replica)
    except Exception as error:
        # The replicas in turn have been traced: only the one program is given up.
        logger.debug("%s is not one program for all replicas: %s", called, error)
        single, devices = whole, ()
    captured, inputs = common_inputs([single.graph, whole.graph])
    bodies = [
        Body(part.graph, tuple(part.tensors), part_inputs)
        for part, part_inputs in zip((single, whole), inputs, strict=True)
    ]
    condition = ops.on_replicas(devices=devices)
    results = if_(
        condition, tuple(captured), then_branch=bodies[0], else_branch=bodies[1], name=scope
    )
    return _packed(template[0], results)


def _leaves(structure: Any) -> list[Any]:
    return nest.flatten(structure, expand_composites=True)


def _packed(template: Any, tensors: Sequence[Any]) -> Any:
    """Return the structure of the replicas in turn, with these tensors."""
    remaining = iter(tensors)
    flat = [next(remaining) if isinstance(leaf, Tensor) else leaf for leaf in _leaves(template)]
    return nest.pack_sequence_as(template, flat, expand_composites=True)


def _local(structure: Any) -> Any:
    """Return arguments as the replica that runs sees them."""

    def own(leaf: Any) -> Any:
        if not isinstance(leaf, DistributedValues):
            return leaf
        tensors = [convert_to_tensor(value) for value in leaf.values]
        shapes = {tensor.static_shape for tensor in tensors}
        if len(shapes) > 1 or any(shape is None or None in shape for shape in shapes):
            raise NotOneProgramError("shapes that differ between replicas, or are unknown")
        return ops.replica_select(tensors)

    return nest.map_structure(own, structure)


def _require_merged_writes(context: SpmdContext, graph: Any) -> None:
    """Raise unless all variables are changed once for all replicas."""
    for number, node in enumerate(graph.nodes):
        writes = node.definition.effect == "writes" or any(
            body.changes_state for body in bodies_of(node)
        )
        if writes and not any(first <= number < last for first, last in context.merged):
            raise NotOneProgramError(f"{node.name} changes a variable in each replica")


def _gathered_results(result: Any, template: Any, count: int) -> list[Any]:
    """Return the results of all replicas, in the order of those of the replicas in turn."""
    results: list[Any] = []
    for local, leaf in zip(nest.flatten(result), nest.flatten(template), strict=True):
        if isinstance(leaf, PerReplica) and all(isinstance(v, Tensor) for v in leaf.values):
            results += gathered(convert_to_tensor(local), count)
        elif isinstance(leaf, Tensor):
            results.append(local)
        elif any(isinstance(part, Tensor) for part in _leaves(leaf)):
            raise NotOneProgramError(f"results of type {type(local).__name__}")
    return results
