"""Assertions about the values of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.debugging.messages import (
    assert_later,
    check,
    error,
    name_of,
    settled,
    summary,
    texts,
)
from tapeflow._src.core import dispatch
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.axes import every_axis
from tapeflow._src.ops.graph import checks
from tapeflow._src.ops.math import comparison
from tapeflow._src.ops.math.arithmetic import absolute, add_v2, mul, sub
from tapeflow._src.ops.math.reduction import all_


def _all(condition: TensorLike) -> Any:
    return all_(condition, every_axis(condition))


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> Any:
    """Raise InvalidArgumentError, showing `data`, unless the condition holds.

    Args:
        condition: A boolean scalar.
        data: Tensors that the message shows.
        summarize: The number of elements of each tensor to show.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.Assert(tf.constant(True), ["never shown"])
    """
    static = condition.static_value if isinstance(condition, Tensor) else condition
    # In a graph, what is known to fail may stand in a branch that is never taken.
    if static is None or dispatch.state.mode is not dispatch.base_mode():
        return assert_later(condition, list(data), summarize, name)
    if not np.all(static) if np.ndim(static) == 0 else not len(static):
        raise error(
            f"Expected '{condition!s}' to be true. Summarized data: {summary(data, summarize)}"
        )
    return None


def _compare(
    sign: str,
    holds: Callable[[Any, Any], Any],
    operands: tuple[Any, Any],
    message: str | None,
    summarize: int | None,
) -> Any:
    x, y = convert(operands[0], name="x"), convert(operands[1], name="y")
    condition = holds(x, y)
    note = f"Condition x {sign} y did not hold"
    data = [f"{note} element-wise:", _label("x", x), x, _label("y", y), y]
    return check(
        _all(condition),
        lambda: _differences(f"{note}.", condition, x, y, message, summarize),
        [message, *data] if message else data,
        summarize,
    )


def _differences(
    note: str, condition: Any, x: Any, y: Any, message: str | None, summarize: int | None
) -> str:
    """Describe where a comparison failed, with the first elements of both sides."""
    limit = 3 if summarize is None else summarize
    holds, a, b = condition.static_value, x.static_value, y.static_value
    lines = [message] if message else []
    lines.append(note)
    if holds.ndim:
        failing = np.argwhere(~holds)
        shown = failing if limit < 0 else failing[:limit]
        key = tuple(shown.T)
        lines += [
            f"Indices of first {len(shown)} different values:",
            str(shown),
            "Corresponding x values:",
            str(np.broadcast_to(a, holds.shape)[key]),
            "Corresponding y values:",
            str(np.broadcast_to(b, holds.shape)[key]),
        ]
    for label, array in (("x", a), ("y", b)):
        flat = array.reshape(-1)
        first = flat if limit < 0 else flat[:limit]
        lines += [f"First {len(first)} elements of {label}:", str(first)]
    return "\n".join(lines)


def assert_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x == y` everywhere.

    Args:
        x: A tensor of numbers.
        y: Numbers that broadcast with `x`.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_equal([1, 2], [1, 2])
    """
    same, result = _settled_if_same(x, y, name)
    return result if same else _assert_equal(x, y, message, summarize, name)


# TensorFlow opens the scope twice: what is compared is found in `assert_equal_1`.
@scoped("assert_equal")
def _settled_if_same(x: TensorLike, y: TensorLike, name: str | None) -> tuple[bool, Any]:
    return (True, settled()) if x is y else (False, None)


@scoped("assert_equal")
def _assert_equal(
    x: TensorLike, y: TensorLike, message: str | None, summarize: int | None, name: str | None
) -> Any:
    return _compare("==", comparison.equal, (x, y), message, summarize)


@scoped("assert_none_equal")
def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x != y` everywhere.

    Args:
        x: A tensor of numbers.
        y: Numbers that broadcast with `x`.
        summarize: How many elements the error shows; 3 by default.
        message: Text that the error begins with.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_none_equal([1, 2], [3, 4])
    """
    return _compare("!=", comparison.not_equal, (x, y), message, summarize)


@scoped("assert_less")
def assert_less(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x < y` everywhere.

    Args:
        x: A tensor of numbers.
        y: Numbers that broadcast with `x`.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_less([1, 2], 3)
    """
    return _compare("<", comparison.less, (x, y), message, summarize)


@scoped("assert_less_equal")
def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x <= y` everywhere.

    Args:
        x: A tensor of numbers.
        y: Numbers that broadcast with `x`.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_less_equal([1, 2], 2)
    """
    return _compare("<=", comparison.less_equal, (x, y), message, summarize)


@scoped("assert_greater")
def assert_greater(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x > y` everywhere.

    Args:
        x: A tensor of numbers.
        y: Numbers that broadcast with `x`.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_greater([1, 2], 0)
    """
    return _compare(">", comparison.greater, (x, y), message, summarize)


@scoped("assert_greater_equal")
def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x >= y` everywhere.

    Args:
        x: A tensor of numbers.
        y: Numbers that broadcast with `x`.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_greater_equal([1, 2], 1)
    """
    return _compare(">=", comparison.greater_equal, (x, y), message, summarize)


@scoped("assert_near")
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `|x - y| < atol + rtol * |y|` everywhere.

    Args:
        x: A tensor of numbers.
        y: Numbers that broadcast with `x`.
        rtol: Relative tolerance; 10 epsilons of the dtype by default.
        atol: Absolute tolerance; 10 epsilons of the dtype by default.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_near([1.0], [1.0 + 1e-7])
    """
    x = convert(x, name="x")
    y = convert(y, x.dtype, name="y")
    kind = x.dtype.real_dtype
    if not kind.is_floating:
        raise ValueError(f"assert_near compares floats, got {x.dtype.name}.")
    # Below float32 TF's default stays the same number of steps.
    step = 10 * float(np.finfo(kind.np).eps) if kind.np.kind == "f" else 10 * 2.0**-7
    relative = convert(step if rtol is None else rtol, kind)
    limit = convert(step if atol is None else atol, kind)
    bound = add_v2(limit, mul(relative, absolute(y)))
    holds = _all(comparison.less(absolute(sub(x, y)), bound))
    data = [
        f"{message}.  " if message else "",
        f"x and y are not equal within the tolerance rtol = {relative!s}, atol = {limit!s}",
        _label("x", x),
        x,
        _label("y", y),
        y,
    ]
    return check(
        holds,
        lambda: f"Expected '{holds!s}' to be true. Summarized data: {summary(data, summarize)}",
        data,
        summarize,
    )


def _label(name: str, tensor: Any) -> str:
    known_as = name_of(tensor) or f"shape={tensor.shape} dtype={tensor.dtype.name}"
    return f"{name} ({known_as}) = "


# -- signs ------------------------------------------------------------------------------------


def _sign(sign: str, x: Any, message: str | None, summarize: int | None) -> Any:
    x = convert(x)
    zero = convert(0, x.dtype)
    label = _label("x", x)
    note = f"Condition x {sign} 0 did not hold for all elements:"
    first = f"{message}.  " if message else ""

    def explain() -> str:
        array = x.static_value
        shown = texts(array, 3 if summarize is None else summarize) if array.ndim else array
        return f"{first}\n{note}\n{label}\n{shown}"

    sides = (zero, x) if sign.startswith(">") else (x, zero)
    ordered = _at_most if sign.endswith("=") else _check_less
    return ordered(sides, explain, [first, note, label, x], summarize)


@scoped("assert_less")
def _check_less(sides: Any, explain: Any, data: list[Any], summarize: int | None) -> Any:
    return check(_all(comparison.less(*sides)), explain, data, summarize)


@scoped("assert_less_equal")
def _at_most(sides: Any, explain: Any, data: list[Any], summarize: int | None) -> Any:
    return check(_all(comparison.less_equal(*sides)), explain, data, summarize)


@scoped("assert_positive")
def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError unless `x > 0` everywhere.

    Args:
        x: A tensor of numbers.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_positive([1, 2])
    """
    return _sign(">", x, message, summarize)


@scoped("assert_negative")
def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError unless `x < 0` everywhere.

    Args:
        x: A tensor of numbers.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_negative([-1, -2])
    """
    return _sign("<", x, message, summarize)


@scoped("assert_non_negative")
def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError unless `x >= 0` everywhere.

    Args:
        x: A tensor of numbers.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_non_negative([0, 2])
    """
    return _sign(">=", x, message, summarize)


@scoped("assert_non_positive")
def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError unless `x <= 0` everywhere.

    Args:
        x: A tensor of numbers.
        message: Text that the error begins with.
        summarize: How many elements the error shows; 3 by default.

    Returns:
        An operation in a graph; None in eager mode.

    Example:
        >>> tf.debugging.assert_non_positive([0, -2])
    """
    return _sign("<=", x, message, summarize)


# -- finite -----------------------------------------------------------------------------------


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Return `tensor`; raise InvalidArgumentError if it contains NaN or infinity.

    Args:
        tensor: Tensor of floats.
        message: Text that the error begins with.

    Returns:
        The tensor.

    Example:
        >>> tf.debugging.check_numerics([1.0, 2.0], "loss").numpy()
        array([1., 2.], dtype=float32)
    """
    return checks.check_numerics(tensor, message=message, name=name)


@scoped("VerifyFinite")
def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Return `x`; raise InvalidArgumentError if it contains NaN or infinity.

    Args:
        x: Tensor of floats.
        message: Text that the error begins with.

    Returns:
        The tensor.

    Example:
        >>> tf.debugging.assert_all_finite([1.0, 2.0], "loss").numpy()
        array([1., 2.], dtype=float32)
    """
    return checks.check_numerics(x, message=message)
