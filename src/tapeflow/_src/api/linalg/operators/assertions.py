"""Assertions of LinearOperators about their values, immediate or when the graph runs.

Each function returns what `tf.control_dependencies` waits for: an operation in a graph, None
outside of graphs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeflow._src.api.control_flow.grouping import group
from tapeflow._src.api.debugging.messages import check
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.axes import every_axis
from tapeflow._src.ops.math import comparison
from tapeflow._src.ops.math.arithmetic import absolute
from tapeflow._src.ops.math.complex_parts import imag, real
from tapeflow._src.ops.math.reduction import all_


def require(condition: Any, values: Any, message: str) -> Any:
    """Raise InvalidArgumentError, showing `values`, unless all elements of `condition` hold."""
    return check(
        all_(condition, every_axis(condition)),
        lambda: f"{message} Received {values.static_value}.",
        [message, values],
        None,
    )


def require_nonzero(values: TensorLike, message: str) -> Any:
    """Raise InvalidArgumentError if an element is zero."""
    modulus = absolute(values)
    return require(comparison.greater(modulus, convert(0, modulus.dtype)), values, message)


def require_positive(values: Any, message: str) -> Any:
    """Raise InvalidArgumentError unless all elements have a real part above zero."""
    part = real(values) if values.dtype.is_complex else values
    return require(comparison.greater(part, convert(0, part.dtype)), values, message)


def require_real(values: Any, message: str) -> Any:
    """Raise InvalidArgumentError unless all elements have an imaginary part of zero."""
    if not values.dtype.is_complex:
        return group()
    part = imag(values)
    return require(comparison.equal(part, convert(0, part.dtype)), values, message)


def all_of(assertions: Iterable[Any]) -> Any:
    """Group assertions into one."""
    return group(*assertions)
