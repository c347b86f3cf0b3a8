"""The gradient of a loop: another loop, which runs through the iterations backwards.

Intermediate values that the gradient needs are collected by the forward loop in lists, one element
per iteration. It also counts the iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.errors import UnimplementedError
from tapeflow._src.gradients.backprop import add_gradients
from tapeflow._src.gradients.dependencies import dependencies
from tapeflow._src.gradients.part import PartGradient, zeros_for
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.subgraphs import depends_on_state
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.array.shape import shape_of
from tapeflow._src.ops.graph import control_flow as ops
from tapeflow._src.ops.indexed_slices import densify
from tapeflow._src.ops.lists.tensor_list import (
    empty_tensor_list,
    tensor_list_get_item,
    tensor_list_push_back,
    tensor_list_reserve,
    tensor_list_set_item,
)
from tapeflow._src.ops.math.arithmetic import add_n, add_v2, mul, sub
from tapeflow._src.ops.math.comparison import greater, less
from tapeflow._src.ops.math.logical import logical_and
from tapeflow._src.ops.state.variables import read_variable

OutputsAdded = Callable[[Operation, tuple[Any, ...], tuple[SymbolicTensor, ...]], None]


class LoopGradient(PartGradient):
    """The gradient of one iteration.

    `count` is the number of iterations left to differentiate. What is fetched is either
    loop-invariant, an input as it is, or an element of a list.
    """

    def __init__(self, loop: ForwardLoop) -> None:
        super().__init__(loop.body)
        self.loop = loop
        self.count = self.argument(dtypes.int32, (), "count")
        # External values, with the inputs that stand for them.
        self.external_inputs: list[tuple[Any, SymbolicTensor]] = []
        self._index: SymbolicTensor | None = None

    @property
    def index(self) -> SymbolicTensor:
        """The index of the iteration."""
        if self._index is None:
            self._index = sub(self.count, self.constant(np.array(1, np.int32), dtypes.int32))
        return self._index

    def fetch(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """Return the value that a tensor of the body had in the current iteration."""
        loop = self.loop
        same = loop.value_throughout(tensor)
        if same is None:
            same = self.external_source(tensor)
        if same is not None:
            return self._input(same, tensor)
        counted = loop.counted(tensor)
        if counted is not None:
            first, step = counted
            index = self.index
            if step != 1:
                index = mul(index, self.constant(np.array(step, np.int32), dtypes.int32))
            return index if _is_zero(first) else add_v2(self._input(first, None), index)
        if tensor.dtype is dtypes.resource:
            raise UnimplementedError(
                None, None, "Which variable a loop reads changes: it cannot be differentiated."
            )
        sizes = _sizes(tensor)
        return tensor_list_get_item(
            self._input(loop.collected(tensor), None),
            self.index,
            self.constant(sizes, dtypes.int32),
            element_dtype=tensor.dtype,
        )

    def _input(self, value: Any, like: SymbolicTensor | None) -> SymbolicTensor:
        for outer, inner in self.external_inputs:
            if outer is value:
                return inner
        template = value if like is None else like
        inner = self.placeholder(value.dtype, template.static_shape, "given")
        if like is not None and like.static_value is not None:
            inner.static_value = like.static_value  # type: ignore[misc]
        self.external_inputs.append((value, inner))
        return inner


def _is_zero(tensor: Any) -> bool:
    return tensor.static_value is not None and int(tensor.static_value) == 0


def _sizes(tensor: SymbolicTensor) -> np.ndarray:
    """Return the static shape of a tensor as list ops take it."""
    dims = tensor.static_shape
    return np.array(-1 if dims is None else [-1 if n is None else n for n in dims], np.int32)


class ForwardLoop:
    """The loop being differentiated, which can be extended to collect values of its body."""

    def __init__(self, node: Operation, inputs: Sequence[Any], extended: OutputsAdded) -> None:
        self.node = node
        self.inputs = tuple(inputs)
        self._extended = extended

    @property
    def body(self) -> Body:
        body: Body = self.node.attrs["body"]
        return body

    def moves(self, index: int) -> bool:
        """Whether a loop variable may change."""
        return self.body.outputs[index] is not self.body.inputs[index]

    def value_throughout(self, tensor: SymbolicTensor) -> Any:
        """Return the value of a tensor of the body that is the same in all iterations, or None."""
        if tensor.op.definition is read_variable:
            return self._read_before(tensor)
        index = self._invariant(tensor)
        return None if index is None else self.inputs[index]

    def _invariant(self, tensor: SymbolicTensor) -> int | None:
        """Return the index of a loop-invariant input of the body, or None."""
        for index, inner in enumerate(self.body.inputs[: len(self.inputs)]):
            if inner is tensor:
                return None if self.moves(index) else index
        return None

    def _read_before(self, tensor: SymbolicTensor) -> SymbolicTensor | None:
        """Return the value of a variable that the loop reads and does not change, or None.

        It would be collected once per iteration otherwise.
        """
        index = self._invariant(tensor.op.inputs[0])
        if index is None or self.body.has_effect or self.node.attrs["cond"].has_effect:
            return None
        handle = self.node.inputs[index]
        with dispatch.use_recorders(()):
            return _compute_before(
                self.node, lambda graph: read_variable(handle, dtype=tensor.dtype)
            )

    def counted(self, tensor: SymbolicTensor) -> tuple[Any, int] | None:
        """Return the first value and the step of a pure counter, such as the index of a loop."""
        if tensor.dtype is not dtypes.int32 or tensor.static_shape != ():
            return None
        for index, inner in enumerate(self.body.inputs[: len(self.inputs)]):
            after = self.body.outputs[index]
            if inner is tensor and after is not None and after.op.definition is add_v2:
                left, right = after.op.inputs
                step = right.static_value if left is tensor else None
                return None if step is None else (self.inputs[index], int(step))
        return None

    # -- collecting --------------------------------------------------------------------------

    def iterations(self) -> Any:
        """Return the number of iterations, from a variable that counts them."""
        for index, inner in enumerate(self.body.inputs[: len(self.inputs)]):
            counted = self.counted(inner)
            if counted is not None and counted[1] == 1:
                last = self.node.outputs[index]
                return last if _is_zero(counted[0]) else sub(last, counted[0])

        def count(body: FuncGraph, before: SymbolicTensor) -> Any:
            return add_v2(before, body.constant(np.array(1, np.int32), dtypes.int32))

        def zero(graph: Any) -> Any:
            return graph.constant(np.array(0, np.int32), dtypes.int32)

        return self._add_variable("iterations", dtypes.int32, zero, count)

    def _limit(self, holds: SymbolicTensor) -> int | None:
        """Return the static upper bound on the iterations while a condition holds, or None."""
        if holds.op.definition is logical_and:
            limits = [n for n in map(self._limit, holds.op.inputs) if n is not None]
            return min(limits, default=None)
        if holds.op.definition is not less:
            return None
        left, right = holds.op.inputs
        cond = self.node.attrs["cond"]
        for index, inner in enumerate(cond.inputs[: len(self.inputs)]):
            counted = self.counted(self.body.inputs[index]) if inner is left else None
            if counted is not None and counted[1] > 0 and counted[0].static_value is not None:
                end = right.static_value
                span = None if end is None else int(end) - int(counted[0].static_value)
                return None if span is None else max(0, -(-span // counted[1]))
        return None

    def collected(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """Return the values of a body's tensor, one per iteration, as an output of the loop."""

        def push(body: FuncGraph, before: SymbolicTensor) -> Any:
            return tensor_list_push_back(before, tensor)

        def empty(graph: Any) -> Any:
            sizes = graph.constant(_sizes(tensor), dtypes.int32)
            limit = self._limit(self.node.attrs["cond"].outputs[0])
            most = graph.constant(np.array(-1 if limit is None else limit, np.int32), dtypes.int32)
            return empty_tensor_list(sizes, most, element_dtype=tensor.dtype)

        return self._add_variable(id(tensor), dtypes.variant, empty, push)

    def _add_variable(
        self,
        key: Any,
        dtype: DType,
        first: Callable[[Any], Any],
        step: Callable[[FuncGraph, SymbolicTensor], Any],
    ) -> SymbolicTensor:
        """Add a variable to the loop, unless it is there already, and return its output."""
        node = self.node
        added: dict[Any, SymbolicTensor] = node.attrs.get("_added", {})
        if key in added:
            return added[key]
        body, cond = self.body, node.attrs["cond"]
        with dispatch.use_recorders(()):
            start = _compute_before(node, first)
            with body.graph.as_default():
                inner = body.graph.placeholder(dtype, (), "added")
                after = step(body.graph, inner)
            unused = cond.graph.placeholder(dtype, (), "unused")
        output = SymbolicTensor(node, len(node.outputs), (), dtype)
        node.operands = ((*node.operands[0], start),)
        node.outputs = (*node.outputs, output)
        node.attrs = {
            **node.attrs,
            "body": Body(body.graph, (*body.outputs, after), (*body.inputs, inner)),
            "cond": Body(cond.graph, cond.outputs, (*cond.inputs, unused)),
            "_added": {**added, key: output},
        }
        missing = node.operands[0][len(self.inputs) :]
        self._extended(node, (*self.inputs, *missing), (output,))
        return output


def _compute_before(node: Operation, make: Callable[[Any], Any]) -> SymbolicTensor:
    """Compute a tensor in the graph of `node`, with operations that precede it."""
    graph = node.graph
    count = len(graph.nodes)
    with graph.as_default():
        tensor: SymbolicTensor = make(graph)
    new = graph.nodes[count:]
    del graph.nodes[count:]
    at = next(i for i, other in enumerate(graph.nodes) if other is node)
    graph.nodes[at:at] = new
    return tensor


# -- backward ---------------------------------------------------------------------------------


def pull_loop(
    node: Operation,
    inputs: Sequence[Any],
    seeds: dict[int, Any],
    needed: Sequence[bool],
    extended: OutputsAdded,
) -> list[Any]:
    """Compute the gradients w.r.t. the initial loop variables.

    All inputs of a loop count as connected to all its outputs: no influence is a zero gradient.
    """
    loop = ForwardLoop(node, inputs, extended)
    carried, summed = _flowing(loop, seeds, needed)
    results: list[Any] = [None] * len(inputs)
    for index in summed:
        results[index] = seeds.get(index)
    if carried:
        backward = _BackwardLoop(loop, seeds, carried, summed)
        for index, gradient in backward.run().items():
            results[index] = gradient
    for index, value in enumerate(inputs):
        if not needed[index]:
            results[index] = None
        elif results[index] is None and value.dtype in dtypes.FLOATING_COMPLEX:
            results[index] = zeros_for(value, value.dtype)
    return results


def _flowing(
    loop: ForwardLoop, seeds: dict[int, Any], needed: Sequence[bool]
) -> tuple[list[int], list[int]]:
    """Return the variables whose gradients are carried through the loop, and those summed up.

    Carried are those that change, have a gradient, and lead to a needed input. The gradients of
    loop invariants are summed over the iterations.
    """
    count = len(loop.inputs)
    depends = dependencies(loop.body)[:count]
    active = sum(
        1 << i for i, t in enumerate(loop.inputs) if needed[i] and t.dtype in DIFFERENTIABLE
    )
    grown = True
    while grown:
        more = active
        for index, bits in enumerate(depends):
            if loop.moves(index) and bits & active:
                more |= 1 << index
        grown, active = more != active, more
    carried = {i for i in seeds if active >> i & 1 and loop.moves(i)}
    reached = 0
    waiting = list(carried)
    while waiting:
        reached |= depends[waiting.pop()]
        new = {i for i in range(count) if reached & active & (1 << i) and loop.moves(i)} - carried
        carried |= new
        waiting += new
    summed = [
        i
        for i in range(count)
        if active >> i & 1 and not loop.moves(i) and (reached >> i & 1 or i in seeds)
    ]
    return sorted(carried), summed


class _BackwardLoop:
    """The loop through the iterations from the last to the first."""

    def __init__(
        self, loop: ForwardLoop, seeds: dict[int, Any], carried: list[int], summed: list[int]
    ) -> None:
        self._loop = loop
        self._seeds = seeds
        self._graph = graph = LoopGradient(loop)
        body = loop.body
        self._arguments: list[SymbolicTensor] = []
        start: list[tuple[Any, Any]] = []
        for index in carried:
            target: Any = body.outputs[index]
            inner = graph.argument(
                target.dtype, body.inputs[index].static_shape, f"gradient_{index}"
            )
            self._arguments.append(inner)
            start.append((target, inner))
        sources = [body.inputs[i] for i in (*carried, *summed)]
        gradients = graph.pulled(start, sources)
        self._carried = carried
        self._summed = [
            (i, g) for i, g in zip(summed, gradients[len(carried) :], strict=True) if g is not None
        ]
        with graph.as_default(), dispatch.use_recorders(()):
            self._following = self._step(gradients[: len(carried)])

    def _step(self, gradients: list[Any]) -> list[SymbolicTensor]:
        """Compute the gradients after one more iteration: those carried, then those summed."""
        graph = self._graph
        following = []
        for inner, gradient in zip(self._arguments, gradients, strict=True):
            if gradient is None:
                gradient = zeros_for(inner, inner.dtype)
            following.append(graph.adopt(densify(gradient)))
        for index, gradient in self._summed:
            gradient = densify(gradient)
            like = self._loop.body.inputs[index]
            dims = () if like.dtype is dtypes.variant else like.static_shape
            total = graph.argument(gradient.dtype, dims, f"sum_{index}")
            self._arguments.append(total)
            following.append(graph.adopt(_sum_gradients(total, gradient)))
        return following

    def run(self) -> dict[int, Any]:
        """Add the loop to the graph being traced; return the gradients by input index."""
        graph, loop = self._graph, self._loop
        with graph.as_default(), dispatch.use_recorders(()):
            left = graph.adopt(graph.index)
        captured = [outer for outer, _ in graph.captures.values()]
        passed = [inner for _, inner in graph.external_inputs]
        passed += [inner for _, inner in graph.captures.values()]
        first = [loop.iterations(), *self._first_gradients()]
        body = Body(
            graph,
            (left, *self._following, *passed),
            (graph.count, *self._arguments, *passed),
        )
        cond = _any_left(body.inputs)
        op = ops.while_ if depends_on_state(graph) else ops.stateless_while
        external = [value for value, _ in graph.external_inputs]
        results = op((*first, *external, *captured), cond=cond, body=body)
        indices = [*self._carried, *(i for i, _ in self._summed)]
        return dict(zip(indices, results[1 : len(indices) + 1], strict=True))

    def _first_gradients(self) -> list[Any]:
        """Return the upstream gradients of the variables' last values, zeros for None."""
        first = []
        for index in self._carried:
            gradient = self._seeds.get(index)
            output = self._loop.node.outputs[index]
            first.append(zeros_for(output, output.dtype) if gradient is None else densify(gradient))
        for index, total in self._summed:
            gradient = self._seeds.get(index)
            first.append(
                zeros_for(self._loop.inputs[index], total.dtype)
                if gradient is None
                else densify(gradient)
            )
        return first


def _sum_gradients(total: Any, gradient: Any) -> Any:
    """Sum two gradients. Of a list with a single element set, only that element is added."""
    node = gradient.op
    if node.definition is add_n and gradient.dtype is dtypes.variant:
        for part in node.inputs:
            total = _sum_gradients(total, part)
        return total
    sets_one = node.definition is tensor_list_set_item
    if not sets_one or node.inputs[0].op.definition is not tensor_list_reserve:
        return add_gradients(total, gradient)
    _, index, item = node.inputs
    if item.dtype is dtypes.variant:
        return add_gradients(total, gradient)
    before = tensor_list_get_item(total, index, shape_of(item), element_dtype=item.dtype)
    return tensor_list_set_item(total, index, add_v2(before, item))


def _any_left(inputs: Sequence[SymbolicTensor]) -> Body:
    """Build the condition of the backward loop: there are iterations left."""
    graph = FuncGraph("any_iterations_left", outer=None)
    arguments = [graph.argument(t.dtype, t.static_shape, "loop_var") for t in inputs]
    with graph.as_default(), dispatch.use_recorders(()):
        left = greater(arguments[0], graph.constant(np.array(0, np.int32), dtypes.int32))
    return Body(graph, (left,), tuple(arguments))
