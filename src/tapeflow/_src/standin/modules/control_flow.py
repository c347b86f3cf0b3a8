"""`tensorflow.python.ops`: control flow beside the public functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.arrays import range
from tapeflow._src.api.control_flow.branching import after, at_most_one
from tapeflow._src.api.vectorization import vectorized_map


def _case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """Call the function of the first pair whose predicate holds, by a `cond` of the caller's."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    checked = at_most_one([predicate for predicate, _ in pairs]) if exclusive else None
    if default is None:
        *pairs, (_, default) = pairs
    branch = default
    for predicate, function in reversed(pairs):
        branch = _either(cond_fn, predicate, function, branch, cond_kwargs)
    with after(checked):
        return branch()


def _either(
    cond_fn: Callable[..., Any],
    predicate: Any,
    function: Callable[[], Any],
    otherwise: Callable[[], Any],
    kwargs: dict[str, Any],
) -> Callable[[], Any]:
    return lambda: cond_fn(predicate, function, otherwise, **kwargs)


def pfor(
    loop_fn: Callable[[Any], Any],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
    warn: bool = False,
) -> Any:
    """Return the stacked results of a function of the numbers below `iters`."""
    return vectorized_map(loop_fn, range(iters), fallback_to_while_loop, warn)
