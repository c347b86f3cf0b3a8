"""`tf.cond`, `tf.case` and `tf.switch_case`: conditional calls of functions.

Eagerly that is what happens. While tracing all are called, and the choice is part of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tapeflow._src.api.control_flow.deferring import deferring, stands_for_tensor
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.gradients.vectorize import BatchedTensor
from tapeflow._src.graph import control_flow as graph
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import scalar_int
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.math.arithmetic import add_n
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import less_equal
from tapeflow.debugging import Assert

Branch = Callable[[], Any]


def cond(
    pred: Any,
    true_fn: Branch | None = None,
    false_fn: Branch | None = None,
    name: str | None = None,
) -> Any:
    """Call `true_fn` if `pred` holds, else `false_fn`, and return the result.

    In a graph both are traced, and one runs. In a function that is vectorised, where `pred` may
    hold for some members of the batch only, both are called.

    Args:
        pred: A bool scalar; inside of `tf.function` a tensor.
        true_fn: A function without arguments.
        false_fn: A function without arguments that returns the same structure and dtypes.
        name: Name of the op in a graph.

    Returns:
        The result of the function that is called.

    Raises:
        TypeError: A function is missing or not callable, or `pred` is a Python bool in a graph.

    Example:

        >>> x = tf.constant(3)
        >>> tf.cond(x > 2, lambda: x * 10, lambda: x).numpy()
        np.int32(30)
    """
    if true_fn is None:
        raise TypeError("cond(): 'true_fn' argument required")
    if false_fn is None:
        raise TypeError("cond(): 'false_fn' argument required")
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    if isinstance(pred, BatchedTensor):
        return _chosen_for_each(pred, true_fn(), false_fn())
    if not tracing():
        if stands_for_tensor(pred):
            return pred.__tf_control_flow__(cond, (pred, true_fn, false_fn), {"name": name})
        return true_fn() if pred else false_fn()
    if isinstance(pred, bool):
        raise TypeError(
            f"pred must be a tensor, received the Python bool {pred}: use a plain `if`."
        )
    return graph.cond(pred, true_fn, false_fn, name)


def _chosen_for_each(pred: Any, true: Any, false: Any) -> Any:
    """Select the results of both branches for each member of the batch."""
    try:
        nest.assert_same_structure(true, false, expand_composites=True)
    except (ValueError, TypeError) as error:
        raise TypeError(
            "tf.cond: both functions must return the same structure. true_fn returned "
            f"{true}, false_fn {false}\nThe difference: {error}"
        ) from None
    return nest.map_structure(
        lambda a, b: None if a is None and b is None else select_v2(pred, a, b),
        true,
        false,
        expand_composites=True,
    )


# -- case -------------------------------------------------------------------------------------


@deferring("pred_fn_pairs", 0)
@scoped("case")
def case(
    pred_fn_pairs: Any,
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str | None = "case",
) -> Any:
    """Call the function of the first pair whose predicate holds, else `default`.

    Args:
        pred_fn_pairs: A list of pairs of a bool scalar tensor and a function without arguments.
        default: Called if no predicate holds; by default that is an error.
        exclusive: Whether to raise InvalidArgumentError if two predicates or more hold.
        strict: Accepted for compatibility and ignored.
        name: Name of the op in a graph.

    Returns:
        The result of the function that is called.

    Raises:
        TypeError: An entry is no such pair.
        ValueError: There are no pairs.

    Example:

        >>> x = tf.constant(3)
        >>> pairs = [(x < 2, lambda: 1), (x < 5, lambda: 2)]
        >>> tf.case(pairs, default=lambda: 3)
        2
    """
    pairs = _checked_pairs(pred_fn_pairs)
    if default is not None and not callable(default):
        raise TypeError("'false_fn' must be callable.")
    predicates = [predicate for predicate, _ in pairs]
    checked = at_most_one(predicates) if exclusive else None
    if default is None:
        *pairs, (last, function) = pairs
        default = _if_holds(last, function, predicates)
    branch = default
    for predicate, function in reversed(pairs):
        branch = _nested_cond(predicate, function, branch)
    with after(checked):
        return branch()


@contextmanager
def after(assertion: Any) -> Iterator[None]:
    """Add a control dependency on an assertion, if it is an operation, to the ops of the block."""
    if assertion is None:
        yield
    else:
        with assertion.graph.control_dependencies([assertion]):
            yield


def _checked_pairs(pred_fn_pairs: Any) -> list[tuple[Any, Branch]]:
    if not isinstance(pred_fn_pairs, (list, tuple)):
        raise TypeError(
            f"pred_fn_pairs must be a list of pairs, received {type(pred_fn_pairs).__name__}."
        )
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"An entry of pred_fn_pairs must be a pair (predicate, function), received {pair}."
            )
        predicate, function = pair
        if not isinstance(predicate, Tensor):
            raise TypeError(f"A predicate must be a tensor, received {predicate!r}")
        if predicate.dtype is not dtypes.bool:
            raise TypeError(f"A predicate must be a bool tensor, received {predicate}")
        if not callable(function):
            raise TypeError(f"fn for pred {predicate} must be callable.")
    if not pred_fn_pairs:
        raise ValueError("tf.case needs at least one pair of a predicate and a function, got none.")
    return list(pred_fn_pairs)


def _nested_cond(predicate: Any, function: Branch, otherwise: Branch) -> Branch:
    return lambda: cond(predicate, function, otherwise)


def _if_holds(predicate: Any, function: Branch, predicates: list[Any]) -> Branch:
    """Call the last function after asserting that its predicate holds."""

    def branch() -> Any:
        holds = Assert(
            predicate,
            [
                "tf.case: no predicate is True and there is no default. The predicates:",
                pack(predicates, axis=0),
            ],
            summarize=len(predicates),
        )
        with after(holds):
            return function()

    return branch


def at_most_one(predicates: list[Any]) -> Any:
    """Return the assertion, if it is an operation, that no more than one predicate holds."""
    predicates = [dispatch.convert(p, dtypes.bool) for p in predicates]
    names = ", ".join(getattr(p, "name", "?") if tracing() else "?" for p in predicates)
    count = add_n([cast(p, DstT=dtypes.int32) for p in predicates])
    return Assert(
        less_equal(count, scalar_int(1)),
        [
            f"tf.case: exclusive=True, but more than 1 predicate of ({names}) is True:",
            pack(predicates, axis=0),
        ],
        summarize=len(predicates),
    )


# -- switch_case ------------------------------------------------------------------------------


@deferring("branch_index", 0)
@scoped("switch_case")
def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Branch | None = None,
    name: str | None = "switch_case",
) -> Any:
    """Call function number `branch_index` and return its result.

    Args:
        branch_index: An integer scalar tensor.
        branch_fns: Functions without arguments: a list, a dict or pairs of index and function.
        default: Called if there is no such index; by default the last function.
        name: Name of the op in a graph.

    Returns:
        The result of the function that is called.

    Raises:
        TypeError: The index is not an integer tensor, or a function not callable.
        ValueError: The indices are not 0, 1, 2 and so on.

    Example:

        >>> tf.switch_case(tf.constant(1), [lambda: "a", lambda: "b"])
        'b'
    """
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(
            f"branch_index must be an integer tensor (int32), received {branch_index.dtype.name}."
        )
    functions = _checked_branches(branch_fns, default)
    if tracing():
        index = branch_index
        if index.dtype is not dtypes.int32:
            index = cast(index, DstT=dtypes.int32)
        return graph.switch_case(index, functions)
    chosen = int(dispatch.convert(branch_index))
    return functions[chosen if 0 <= chosen < len(functions) else -1]()


def _checked_branches(branch_fns: Any, default: Branch | None) -> list[Branch]:
    """Validate the functions and return them in order, the default last."""
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError(
            "branch_fns must list functions (or be a dict of them), received "
            f"{type(branch_fns).__name__}."
        )
    if isinstance(branch_fns, dict):
        pairs: Sequence[Any] = list(branch_fns.items())
    elif all(callable(function) for function in branch_fns):
        pairs = list(enumerate(branch_fns))
    else:
        pairs = branch_fns
    if not pairs:
        raise ValueError("branch_fns must contain one function or more, received none.")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"An entry of branch_fns must be a pair (index, function), received {pair}."
            )
        index, function = pair
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(f"An index in branch_fns must be a Python int, received {index!r}.")
        if not callable(function):
            raise TypeError(f"fn for key {index} must be callable.")
    indices = sorted(index for index, _ in pairs)
    if indices != list(range(len(pairs))):
        raise ValueError(
            f"The indices of branch_fns must be 0 to {len(pairs) - 1}, each of them once, received "
            f"{indices}."
        )
    functions = [function for _, function in sorted(pairs, key=lambda pair: pair[0])]
    if default is not None:
        if not callable(default):
            raise TypeError("'default' must be callable.")
        functions.append(default)
    return functions
