"""`tf.while_loop`: a Python loop in eager mode, a graph loop while tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.control_flow.deferring import stands_for_tensor
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.tracebacks import fold
from tapeflow._src.core.types import TensorLike
from tapeflow._src.graph import control_flow as graph
from tapeflow._src.graph.control_flow import require_each_loop_var
from tapeflow._src.graph.subgraphs import is_composite
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.array.shape import stop_gradient


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Repeat `body` while `cond` holds, and return the final loop variables.

    Inside of `tf.function` a plain `while` over tensors becomes such a loop by itself.

    Args:
        cond: A function of the loop variables that returns a boolean scalar.
        body: A function of the loop variables that returns their next values.
        loop_vars: The initial values: a list or tuple, of structures if needed.
        shape_invariants: Shapes or specs that hold throughout, where a traced loop changes a shape.
        parallel_iterations: Ignored.
        back_prop: Whether gradients are computed.
        swap_memory: Ignored.
        maximum_iterations: An upper bound on the number of iterations.
        name: Name of the op in a graph.

    Returns:
        The final values, structured like `loop_vars`.

    Raises:
        TypeError: `cond` or `body` is not callable.

    Example:

        >>> i, total = tf.constant(1), tf.constant(0)
        >>> result = tf.while_loop(
        ...     lambda i, total: i <= 4, lambda i, total: (i + 1, total + i), [i, total]
        ... )
        >>> [value.numpy() for value in result]
        [np.int32(5), np.int32(10)]
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if not tracing() and not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if not isinstance(loop_vars, (list, tuple)):
        raise TypeError(f"'loop_vars' must be a list or a tuple, got {loop_vars!r}.")
    if not tracing():
        result = _run(cond, body, loop_vars, maximum_iterations)
    else:
        result = graph.while_loop(
            cond, body, loop_vars, shape_invariants, parallel_iterations, maximum_iterations, name
        )
    return (
        result if back_prop else nest.map_structure(stop_gradient, result, expand_composites=True)
    )


def _run(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum_iterations: Any
) -> Any:
    limit = None
    if maximum_iterations is not None:
        limit = dispatch.convert(maximum_iterations)
        if limit.static_shape:
            raise ValueError(f"maximum_iterations must be a scalar, received shape {limit.shape}.")
        limit = int(limit)
    count = 0
    try:
        while limit is None or count < limit:
            going_on = dispatch.convert(cond(*loop_vars))
            if stands_for_tensor(going_on):
                rest = None if limit is None else limit - count
                arguments = {"maximum_iterations": rest}
                return going_on.__tf_control_flow__(while_loop, (cond, body, loop_vars), arguments)
            if not going_on:
                break
            following = body(*loop_vars)
            if not isinstance(following, (list, tuple)):
                following = [following]
            require_each_loop_var(following, loop_vars)
            nest.assert_same_structure(list(loop_vars), list(following))
            loop_vars = following
            count += 1
    except Exception as error:
        fold(error)
        raise
    return nest.map_structure(_as_tensor, loop_vars)


def _as_tensor(value: TensorLike) -> Any:
    return value if is_composite(value) else dispatch.convert(value)
