"""Branches and loops while tracing: their functions are traced into subgraphs.

The Python functions are called once each, whatever the condition. What they capture becomes
additional inputs of the operation.
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
    """Return the scope of an operation that holds subgraphs, shared by their contents."""
    return current_graph().names.scope(dispatch.state.name_scope, name)


# -- branches ---------------------------------------------------------------------------------


def cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None
) -> Any:
    """Return the results of `true_fn` if `pred` holds, else those of `false_fn`."""
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
    captured, bodies = _bodies(parts)
    stateful = any(depends_on_state(part.graph) for part in parts)
    op = ops.if_ if stateful else ops.stateless_if
    results = op(pred, tuple(captured), then_branch=bodies[0], else_branch=bodies[1], name=scope)
    return _packed(parts[0].result, _named_results(results, scope))


def switch_case(branch_index: Any, branch_fns: Sequence[Callable[[], Any]]) -> Any:
    """Return the results of function number `branch_index`; of the last one if out of range."""
    index = dispatch.convert(branch_index, None, dtypes.int32)
    scope = _scope("indexed_case")
    parts = [
        trace_part(f"branch{i}", scope, _branch(function, index))
        for i, function in enumerate(branch_fns)
    ]
    names = [f"branches[{i}]" for i in range(len(parts))]
    _require_alike(parts, names, "tf.switch_case")
    captured, bodies = _bodies(parts)
    stateful = any(depends_on_state(part.graph) for part in parts)
    op = ops.case if stateful else ops.stateless_case
    results = op(index, tuple(captured), branches=tuple(bodies), name=scope)
    return _packed(parts[0].result, _named_results(results, scope))


def _named_results(results: Sequence[Any], scope: str) -> list[Any]:
    """Return the results of branches under TensorFlow's names for them."""
    with current_graph().name_scope(scope):
        return [identity(result) for result in results]


def _branch(function: Callable[[], Any], chosen_by: Any) -> Callable[[FuncGraph], Any]:
    """Return the function of a branch. An operation that it returns becomes a tensor to wait for.

    That tensor is the predicate or index that chose the branch, as in TensorFlow.
    """

    def waited_for(graph: FuncGraph, leaf: Any) -> Any:
        if not isinstance(leaf, Operation):
            return leaf
        with graph.control_dependencies([leaf]):
            return identity(chosen_by)

    return lambda graph: nest.map_structure(lambda leaf: waited_for(graph, leaf), function())


def _bodies(parts: Sequence[Part]) -> tuple[list[Any], list[Body]]:
    """Return the captured inputs of the branches, and the branches as functions of them."""
    captured, inputs = common_inputs([part.graph for part in parts])
    bodies = [
        Body(part.graph, tuple(part.tensors), part_inputs)
        for part, part_inputs in zip(parts, inputs, strict=True)
    ]
    return captured, bodies


def _packed(result: Any, tensors: Sequence[Any]) -> Any:
    """Pack tensors into the structure that a function returned, which may contain None."""
    remaining = iter(tensors)
    flat = nest.flatten(result, expand_composites=True)
    filled = [None if leaf is None else next(remaining) for leaf in flat]
    return nest.pack_sequence_as(result, filled, expand_composites=True)


def _require_alike(parts: Sequence[Part], names: Sequence[str], function: str) -> None:
    """Check that all branches return the same structure and dtypes."""
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
    """Describe how the results of two branches differ, if they do."""
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
    """Return the loop variables after applying `body` as long as `cond` of them holds."""
    return _Loop(cond, body, loop_vars, shape_invariants, maximum_iterations, name).result(
        parallel_iterations
    )


def require_each_loop_var(returned: Sequence[Any], loop_vars: Sequence[Any]) -> None:
    """Raise ValueError unless the body of a loop returned a value for each loop variable."""
    if len(returned) != len(loop_vars):
        raise ValueError(
            f"The body of a while_loop must return a value for each of the loop_vars: expected "
            f"{len(loop_vars)}, received {len(returned)}, {returned!r}."
        )


class _Loop:
    """A loop that is being traced."""

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
            if self._limit.static_shape:
                raise ValueError(
                    f"maximum_iterations must be a scalar, received shape {self._limit.shape}."
                )
        self._returned: Any = None
        scope = self._scope
        self._cond = trace_part("cond", scope, lambda graph: self._condition(graph, cond))
        self._body = trace_part("body", scope, lambda graph: self._step(graph, body))

    def _arguments(self, graph: FuncGraph) -> tuple[Any, Any]:
        """Create placeholders for the variables, and for the count if iterations are limited."""
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
        predicate = dispatch.convert(cond(*variables))
        if predicate.dtype is not dtypes.bool:
            raise TypeError(
                f"The condition of a loop must return a bool, got {predicate.dtype.name}: "
                f"{predicate!r}."
            )
        if predicate.static_shape:
            if any(size not in (1, None) for size in predicate.static_shape):
                raise ValueError(
                    f"The condition of a loop must return a scalar, got shape {predicate.shape}: "
                    f"{predicate!r}."
                )
            # A single value counts as a scalar, however many axes of size 1 it has.
            predicate = reshape(predicate, static_ints(()))
        return predicate if count is None else logical_and(less(count, self._limit), predicate)

    def _step(self, graph: FuncGraph, body: Callable[..., Any]) -> Any:
        count, variables = self._arguments(graph)
        returned = body(*variables)
        if not isinstance(returned, (list, tuple)):
            returned = [returned]
        require_each_loop_var(returned, self._variables)
        nest.assert_same_structure(list(returned), list(self._variables), check_types=False)
        self._returned = nest.map_structure(
            lambda leaf, first: _as_variable_dtype(leaf, first),
            list(returned),
            list(self._variables),
        )
        nest.assert_same_structure(
            self._returned, list(self._variables), check_types=False, expand_composites=True
        )
        flat = nest.flatten(self._returned, expand_composites=True)
        for first, dims, tensor in zip(self._first, self._shapes, flat, strict=True):
            _require_same_type(first, dims, tensor)
        return flat if count is None else [add_v2(count, dispatch.convert(1, count.dtype)), *flat]

    def result(self, parallel_iterations: int) -> Any:
        """Add the loop to the graph and return the variables after it."""
        graphs = [self._cond.graph, self._body.graph]
        captured, (cond_inputs, body_inputs) = common_inputs(graphs)
        passed_on = body_inputs[len(self._body.graph.arguments) :]
        first = list(self._first)
        if self._limit is not None:
            first.insert(0, dispatch.convert(0, self._limit.dtype))
        op = ops.while_ if any(map(depends_on_state, graphs)) else ops.stateless_while
        results = op(
            (*first, *captured),
            cond=Body(graphs[0], tuple(self._cond.tensors), cond_inputs),
            body=Body(graphs[1], (*self._body.tensors, *passed_on), body_inputs),
            parallel_iterations=parallel_iterations,
            name=self._scope,
        )
        after = results[0 if self._limit is None else 1 :][: len(self._first)]
        # The shape of an array's elements may have been inferred in the loop.
        packed = nest.pack_sequence_as(self._variables, nest.flatten(self._returned))
        return nest.pack_sequence_as(packed, after, expand_composites=True)


def _variable(leaf: Any) -> Any:
    """Convert an initial loop variable to a tensor, unless it is a composite."""
    if isinstance(leaf, Tensor) or is_composite(leaf):
        return leaf
    if leaf is None:
        raise ValueError("None values not supported: a loop variable must be a tensor.")
    return dispatch.convert(leaf, name="Const")


def _as_variable_dtype(leaf: Any, first: Any) -> Any:
    """Convert what the body returned for a variable to a tensor of its dtype, if it is a Python
    value.
    """
    if isinstance(leaf, Tensor) or is_composite(leaf):
        return leaf
    if leaf is None:
        raise ValueError("The body of a loop returned None for one of the loop variables.")
    return dispatch.convert(leaf, None, first.dtype)


def _invariants(variables: Any, first: list[Any], shape_invariants: Any) -> list[Any]:
    """Return the shape invariant of each variable."""
    if shape_invariants is None:
        return [tensor.static_shape for tensor in first]
    shapes: list[Any] = []
    given_shapes = nest.flatten_up_to(variables, shape_invariants, check_types=False)
    for value, shape in zip(nest.flatten(variables), given_shapes, strict=True):
        if not isinstance(shape, TypeSpec) and hasattr(value, "_shape_invariant_to_type_spec"):
            shape = value._shape_invariant_to_type_spec(as_shape(shape))
        if isinstance(shape, TypeSpec) and not isinstance(shape, TensorSpec):
            components: list[Any] = shape.flatten()
            shapes += [as_dims(spec.shape) for spec in components]
        elif isinstance(value, Tensor):
            shapes.append(as_dims(shape.shape if isinstance(shape, TensorSpec) else shape))
        else:
            # A composite keeps its ranks; the number of rows of its components may change.
            parts = nest.flatten(value, expand_composites=True)
            shapes += [t.static_shape and (None, *t.static_shape[1:]) for t in parts]
    return shapes


def _require_same_type(first: Any, dims: Any, tensor: Any) -> None:
    """Check the dtype and shape that the body returns for a variable."""
    if tensor.dtype is not first.dtype:
        label = _label(first)
        raise TypeError(
            f"Loop variable {label} has dtype {first.dtype.name} before the loop and "
            f"{tensor.dtype.name} after one iteration; a loop variable must keep its dtype. Use "
            "tf.cast in the body, or before the loop."
        )
    if not TensorShape(tensor.static_shape).is_subtype_of(TensorShape(dims)):
        raise ValueError(
            f"Loop variable `{_label(first)}` has shape {TensorShape(dims)} before the loop and "
            f"{tensor.shape} after one iteration. If its shape may change, say so with "
            "`shape_invariants` of tf.while_loop, None for the sizes that vary."
        )


def _label(tensor: Any) -> str:
    return tensor.name if isinstance(tensor, SymbolicTensor) else repr(tensor)
