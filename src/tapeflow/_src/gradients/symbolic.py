"""`tf.gradients` and `tf.hessians`: derivatives of tensors in the graph that is being built."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.tensor import Tensor, handle_in
from tapeflow._src.eager.variable import Variable
from tapeflow._src.gradients.backprop import backpropagate
from tapeflow._src.gradients.endpoints import (
    UnconnectedGradients,
    any_defines_components,
    is_zero_requested,
    packed_gradient,
    parts_of,
    seeds,
    source_gradient,
)
from tapeflow._src.gradients.graph import recorded_ledger
from tapeflow._src.gradients.jacobian import reshaped, rows_at_once, unit_seeds
from tapeflow._src.gradients.token import token_of
from tapeflow._src.gradients.vectorize import NotVectorised, Vectorizer
from tapeflow._src.graph.graph import Graph
from tapeflow._src.ops.array.common import ones_like


class AggregationMethod:
    """How gradients are accumulated: there is one way here, under all of these names.

    Example:
        >>> tf.AggregationMethod.ADD_N
        0
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def _graph(function: str) -> Graph:
    graph = dispatch.current_graph()
    if isinstance(dispatch.state.mode, Vectorizer):
        raise NotVectorised(f"{function} needs the graph of a function that is vectorised.")
    if graph is None:
        raise RuntimeError(
            f"{function} works on graphs: call it inside tf.function or tf.Graph().as_default(). "
            "Eagerly, use tf.GradientTape."
        )
    current: Graph = graph
    return current


def _in_graph(graph: Graph, value: Any) -> Any:
    """Return a tensor of the graph for a tensor, or the handle for a variable."""
    if isinstance(value, Variable):
        return graph.adopt(value.handle)
    if (handle := handle_in(value)) is not None:
        return graph.adopt(handle)
    return graph.adopt(dispatch.convert(value))


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Compute the gradients of the sum of `ys` with respect to each of `xs`, as graph tensors.

    Args:
        ys: Tensor or structure of tensors to differentiate.
        xs: Tensors or variables to differentiate with respect to.
        grad_ys: Upstream gradients, one per tensor of `ys`; ones by default, and for None.
        gate_gradients: Accepted for compatibility.
        aggregation_method: Accepted for compatibility; see `tf.AggregationMethod`.
        stop_gradients: Tensors that are treated as constants.
        unconnected_gradients: The result where `ys` does not depend on an x: None, or zeros with
            "zero".

    Returns:
        A list with one gradient per tensor of `xs`.

    Raises:
        RuntimeError: Outside of a graph; use `tf.GradientTape` there.
        ValueError: If there are not as many `grad_ys` as `ys`.

    Example:
        >>> @tf.function
        ... def derivative(x):
        ...     return tf.gradients(x ** 3.0, x)[0]
        >>> derivative(tf.constant(2.0)).numpy()
        np.float32(12.0)
    """
    graph = _graph("tf.gradients")
    whole_xs = nest.flatten(xs)
    if any_defines_components(whole_xs):
        options = (grad_ys, name, gate_gradients, aggregation_method, stop_gradients)
        return _packed_gradients(ys, whole_xs, (*options, unconnected_gradients))
    zero = is_zero_requested(unconnected_gradients)
    flat_xs = nest.flatten(xs, expand_composites=True)
    sources = [_in_graph(graph, x) for x in flat_xs]
    whole_ys = nest.flatten(ys)
    flat_ys = nest.flatten([parts_of(y) for y in whole_ys], expand_composites=True)
    # The value of a variable is differentiated, with respect to its handle.
    targets = [graph.adopt(dispatch.convert(y)) for y in flat_ys]
    stops = [_in_graph(graph, s) for s in nest.flatten(stop_gradients or [])]
    ledger = recorded_ledger(graph, sources, stops)
    with graph.name_scope(name or "gradients"):
        start = seeds(targets, _upstream(grad_ys, whole_ys, targets))
        tokens = [token_of(s) for s in sources]
        by_token = backpropagate(ledger, start, set(tokens), consume=True)
        ledger.clear()
        by_x = [source_gradient(by_token.get(t), x, zero) for t, x in zip(tokens, flat_xs)]
    if graph.building_function:
        return by_x
    # A plain graph needs tensors to fetch, also for constants.
    return [graph.adopt(g) if isinstance(g, Tensor) else g for g in by_x]


def _packed_gradients(ys: Any, xs: list[Any], options: tuple[Any, ...]) -> list[Any]:
    """Return gradients w.r.t. objects that are differentiated by their components."""
    parts = [parts_of(x) for x in xs]
    part_gradients = iter(gradients(ys, parts, *options))
    pairs = zip(xs, parts, strict=True)
    return [packed_gradient(x, [next(part_gradients) for _ in of_x]) for x, of_x in pairs]


def _upstream(grad_ys: Any, ys: list[Any], targets: list[Any]) -> list[Any]:
    """Return the upstream gradients: one for each of `ys`, which may be a list of numbers."""
    if grad_ys is None:
        return []
    upstream = list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    if len(upstream) != len(ys):
        raise ValueError(f"Length mismatch. Passed {len(upstream)} grad_ys for {len(ys)} ys")
    if len(targets) != len(ys):
        return nest.flatten([parts_of(g) for g in upstream], expand_composites=True)
    return [_start(g, y) for g, y in zip(upstream, targets, strict=True)]


def _start(upstream: Any, target: Any) -> Any:
    """Return the upstream gradient of a target: a tensor for a list of numbers, ones for None."""
    if upstream is None:
        return ones_like(target)
    if isinstance(upstream, (list, tuple)):
        return dispatch.convert(upstream, None, target.dtype)
    return upstream


def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """Compute the Hessians of the sum of `ys` with respect to each of `xs`, as graph tensors.

    Args:
        ys: Tensor or structure of tensors to differentiate.
        xs: Tensors or variables with known shapes.
        gate_gradients: Accepted for compatibility.
        aggregation_method: Accepted for compatibility; see `tf.AggregationMethod`.

    Returns:
        A list with one tensor per x, of shape `x.shape + x.shape`.

    Raises:
        RuntimeError: Outside of a graph.
        ValueError: If the shape of an x is unknown.

    Example:
        >>> @tf.function
        ... def hessian(x):
        ...     return tf.hessians(x[0] ** 2.0 * x[1], x)[0]
        >>> hessian(tf.constant([1.0, 3.0])).numpy()
        array([[6., 2.],
               [2., 0.]], dtype=float32)
    """
    graph = _graph("tf.hessians")
    results = []
    for x in nest.flatten(xs):
        (first,) = gradients(ys, [x], unconnected_gradients="zero", name=name)
        source = _in_graph(graph, x)
        ledger = recorded_ledger(graph, [source])
        target = graph.adopt(first)
        dims = tuple(n for n in target.static_shape or () if n is not None)
        if target.static_shape != dims:
            raise ValueError(
                f"tf.hessians needs the shape of {x!r} to be known, got {target.shape}: use "
                f"tf.ensure_shape, or tf.GradientTape.jacobian outside the function."
            )
        (rows,) = rows_at_once(
            ledger, token_of(target), unit_seeds(target), [token_of(source)], None
        )
        ledger.clear()
        results.append(reshaped(rows, dims))
    return results
