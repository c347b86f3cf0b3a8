"""Branches and loops while tracing: their functions are traced into parts of the graph.

The Python functions are called once each, whatever the condition will be. What they use from around
them is given to the operation as further inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.shape import TensorShape, as_dims, as_shape
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.subgraphs import (
    Part,
    common_inputs,
    current_graph,
    depends_on_state,
    is_composite,
    trace_part,
)
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.array.common import identity, reshape, static_ints
from tapeflow._src.ops.graph import control_flow as ops
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.logical import logical_and


def _scope(name: str) -> str:
    """The scope of an operation that holds parts, which has its name, and of what is in them."""
    return current_graph().names.scope(dispatch.state.name_scope, name)


# -- branches ---------------------------------------------------------------------------------


def cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None
) -> Any:
    """What `true_fn` returns if `pred` holds, else what `false_fn` returns."""
    pred = dispatch.convert(pred)
    if pred.dtype is not dtypes.bool:
        raise TypeError(
            f"The condition of a branch must be a bool tensor, got {pred.dtype.name}: {pred!r}. "
            f"Compare it, e.g. with `!= 0`."
        )
    scope = _scope(name or "cond")
    parts = [
        trace_part("true", scope, _branch(true_fn, pred)),
        trace_part("false", scope, _branch(false_fn, pred)),
    ]
    _require_alike(parts, ["true_fn", "false_fn"], "tf.cond")
    taken, bodies = _bodies(parts)
    stateful = any(depends_on_state(part.graph) for part in parts)
    op = ops.if_ if stateful else ops.stateless_if
    results = op(pred, tuple(taken), then_branch=bodies[0], else_branch=bodies[1], name=scope)
    return _packed(parts[0].result, _given_out(results, scope))


def switch_case(branch_index: Any, branch_fns: Sequence[Callable[[], Any]]) -> Any:
    """What the function number `branch_index` returns; the last one, if there is none of it."""
    index = dispatch.convert(branch_index, None, dtypes.int32)
    scope = _scope("indexed_case")
    parts = [
        trace_part(f"branch{i}", scope, _branch(function, index))
        for i, function in enumerate(branch_fns)
    ]
    names = [f"branches[{i}]" for i in range(len(parts))]
    _require_alike(parts, names, "tf.switch_case")
    taken, bodies = _bodies(parts)
    stateful = any(depends_on_state(part.graph) for part in parts)
    op = ops.case if stateful else ops.stateless_case
    results = op(index, tuple(taken), branches=tuple(bodies), name=scope)
    return _packed(parts[0].result, _given_out(results, scope))


def _given_out(results: Sequence[Any], scope: str) -> list[Any]:
    """The results of branches under the names that TensorFlow has them under."""
    with current_graph().name_scope(scope):
        return [identity(result) for result in results]


def _branch(function: Callable[[], Any], chosen_by: Any) -> Callable[[FuncGraph], Any]:
    """Return the function of a part. An operation that it returns becomes a tensor to wait for.

    That tensor is the predicate or index that chose the branch, as in TensorFlow.
    """

    def waited_for(graph: FuncGraph, leaf: Any) -> Any:
        if not isinstance(leaf, Operation):
            return leaf
        with graph.control_dependencies([leaf]):
            return identity(chosen_by)

    return lambda graph: nest.map_structure(lambda leaf: waited_for(graph, leaf), function())


def _bodies(parts: Sequence[Part]) -> tuple[list[Any], list[Body]]:
    """What the branches take, and the branches as functions of it."""
    taken, inputs = common_inputs([part.graph for part in parts])
    bodies = [
        Body(part.graph, tuple(part.tensors), given)
        for part, given in zip(parts, inputs, strict=True)
    ]
    return taken, bodies


def _packed(result: Any, tensors: Sequence[Any]) -> Any:
    """Tensors in the structure of what a function returned, which may have None in places."""
    remaining = iter(tensors)
    flat = nest.flatten(result, expand_composites=True)
    filled = [None if leaf is None else next(remaining) for leaf in flat]
    return nest.pack_sequence_as(result, filled, expand_composites=True)


def _require_alike(parts: Sequence[Part], names: Sequence[str], function: str) -> None:
    """All branches return tensors of the same dtypes in the same structure."""
    first = parts[0]
    for part, name in zip(parts[1:], names[1:], strict=True):
        try:
            nest.assert_same_structure(first.result, part.result, expand_composites=True)
            details = _difference(first, part)
        except (ValueError, TypeError) as error:
            details = str(error)
        if details:
            raise TypeError(
                f"{function}: {names[0]} and {name} must return the same structure, with the same "
                f"dtypes.\n\n{names[0]} returned: {first.result}\n{name} returned: "
                f"{part.result}\n\nThe difference:\n{details}"
            )


def _difference(a: Part, b: Part) -> str:
    """How the values of two branches of one structure differ, if they do."""
    pairs = zip(
        nest.flatten(a.result, expand_composites=True),
        nest.flatten(b.result, expand_composites=True),
        strict=True,
    )
    for x, y in pairs:
        if (x is None) != (y is None):
            return f"One branch returns {x} where the other returns {y}."
        if x is not None and x.dtype is not y.dtype:
            return f"{x} and {y} have different types"
    return ""


# -- loops ------------------------------------------------------------------------------------


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """The loop variables after `body` has been applied to them as long as `cond` of them holds."""
    return _Loop(cond, body, loop_vars, shape_invariants, maximum_iterations, name).result(
        parallel_iterations
    )


class _Loop:
    """One loop while it is traced."""

    def __init__(
        self,
        cond: Callable[..., Any],
        body: Callable[..., Any],
        loop_vars: Any,
        shape_invariants: Any,
        maximum_iterations: Any,
        name: str | None,
    ) -> None:
        self._scope = _scope(name or "while")
        self._variables = nest.map_structure(_variable, loop_vars)
        self._first = nest.flatten(self._variables, expand_composites=True)
        self._shapes = _invariants(self._variables, self._first, shape_invariants)
        self._limit = maximum_iterations
        if maximum_iterations is not None:
            self._limit = dispatch.convert(maximum_iterations, None, dtypes.int32)
            if self._limit._dims:
                raise ValueError(
                    f"maximum_iterations must be a scalar, received shape {self._limit.shape}."
                )
        self._returned: Any = None
        scope = self._scope
        self._cond = trace_part("cond", scope, lambda graph: self._condition(graph, cond))
        self._body = trace_part("body", scope, lambda graph: self._step(graph, body))

    def _arguments(self, graph: FuncGraph) -> tuple[Any, Any]:
        """Stand-ins for the count of iterations, if there is a limit, and for the variables."""
        count = None
        if self._limit is not None:
            count = graph.argument(self._limit.dtype, (), "iteration")
        tensors = [
            graph.argument(first.dtype, dims, "Placeholder")
            for first, dims in zip(self._first, self._shapes, strict=True)
        ]
        return count, nest.pack_sequence_as(self._variables, tensors, expand_composites=True)

    def _condition(self, graph: FuncGraph, cond: Callable[..., Any]) -> Any:
        count, variables = self._arguments(graph)
        found = dispatch.convert(cond(*variables))
        if found.dtype is not dtypes.bool:
            raise TypeError(
                f"The condition of a loop must give a bool, got {found.dtype.name}: {found!r}."
            )
        if found._dims:
            if any(size not in (1, None) for size in found._dims):
                raise ValueError(
                    f"The condition of a loop must give a scalar, got shape {found.shape}: "
                    f"{found!r}."
                )
            # One value is one, however many axes of size 1 it has.
            found = reshape(found, static_ints(()))
        return found if count is None else logical_and(less(count, self._limit), found)

    def _step(self, graph: FuncGraph, body: Callable[..., Any]) -> Any:
        count, variables = self._arguments(graph)
        returned = body(*variables)
        if not isinstance(returned, (list, tuple)):
            returned = [returned]
        nest.assert_same_structure(list(returned), list(self._variables), check_types=False)
        self._returned = nest.map_structure(
            lambda leaf, first: _like(leaf, first), list(returned), list(self._variables)
        )
        nest.assert_same_structure(
            self._returned, list(self._variables), check_types=False, expand_composites=True
        )
        flat = nest.flatten(self._returned, expand_composites=True)
        for first, dims, tensor in zip(self._first, self._shapes, flat, strict=True):
            _require_same_type(first, dims, tensor)
        return flat if count is None else [add_v2(count, dispatch.convert(1, count.dtype)), *flat]

    def result(self, parallel_iterations: int) -> Any:
        """The variables after the loop, which is put into the graph."""
        graphs = [self._cond.graph, self._body.graph]
        taken, (cond_inputs, body_inputs) = common_inputs(graphs)
        passed_on = body_inputs[len(self._body.graph.arguments) :]
        first = list(self._first)
        if self._limit is not None:
            first.insert(0, dispatch.convert(0, self._limit.dtype))
        op = ops.while_ if any(map(depends_on_state, graphs)) else ops.stateless_while
        results = op(
            (*first, *taken),
            cond=Body(graphs[0], tuple(self._cond.tensors), cond_inputs),
            body=Body(graphs[1], (*self._body.tensors, *passed_on), body_inputs),
            parallel_iterations=parallel_iterations,
            name=self._scope,
        )
        after = results[0 if self._limit is None else 1 :][: len(self._first)]
        # An array has learned in the loop what shape its elements have.
        packed = nest.pack_sequence_as(self._variables, nest.flatten(self._returned))
        return nest.pack_sequence_as(packed, after, expand_composites=True)


def _variable(leaf: Any) -> Any:
    """The first value of a loop variable: a tensor, or a composite as it is."""
    if isinstance(leaf, Tensor) or is_composite(leaf):
        return leaf
    if leaf is None:
        raise ValueError("None values not supported: a loop variable must be a tensor.")
    return dispatch.convert(leaf, name="Const")


def _like(leaf: Any, first: Any) -> Any:
    """What the body returned for a variable, as a tensor of its dtype if it is a Python value."""
    if isinstance(leaf, Tensor) or is_composite(leaf):
        return leaf
    if leaf is None:
        raise ValueError("The body of a loop returned None for one of the loop variables.")
    return dispatch.convert(leaf, None, first.dtype)


def _invariants(variables: Any, first: list[Any], shape_invariants: Any) -> list[Any]:
    """The shape of each variable that holds throughout the loop."""
    if shape_invariants is None:
        return [tensor._dims for tensor in first]
    shapes: list[Any] = []
    given_shapes = nest.flatten_up_to(variables, shape_invariants, check_types=False)
    for value, given in zip(nest.flatten(variables), given_shapes, strict=True):
        if not isinstance(given, TypeSpec) and hasattr(value, "_shape_invariant_to_type_spec"):
            given = value._shape_invariant_to_type_spec(as_shape(given))
        if isinstance(given, TypeSpec) and not isinstance(given, TensorSpec):
            components: list[Any] = given.flatten()
            shapes += [as_dims(spec.shape) for spec in components]
        elif isinstance(value, Tensor):
            shapes.append(as_dims(given.shape if isinstance(given, TensorSpec) else given))
        else:
            # A composite keeps its ranks; how many rows its components have may change.
            parts = nest.flatten(value, expand_composites=True)
            shapes += [t._dims and (None, *t._dims[1:]) for t in parts]
    return shapes


def _require_same_type(first: Any, dims: Any, tensor: Any) -> None:
    """What the body returns for a variable must have its dtype and a shape that fits."""
    if tensor.dtype is not first.dtype:
        label = _label(first)
        raise TypeError(
            f"Loop variable {label} has dtype {first.dtype.name} before the loop and "
            f"{tensor.dtype.name} after one iteration; a loop variable must keep its dtype. Use "
            "tf.cast in the body, or before the loop."
        )
    if not TensorShape(tensor._dims).is_subtype_of(TensorShape(dims)):
        raise ValueError(
            f"Loop variable `{_label(first)}` has shape {TensorShape(dims)} before the loop and "
            f"{tensor.shape} after one iteration. If its shape may change, say so with "
            "`shape_invariants` of tf.while_loop, None for the sizes that vary."
        )


def _label(tensor: Any) -> str:
    return tensor.name if isinstance(tensor, SymbolicTensor) else repr(tensor)
