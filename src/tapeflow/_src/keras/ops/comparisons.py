"""Comparisons, and logic on booleans."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.ops import sparse, specs
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import strongly_promoted, to_tensor

_binary = functools.partial(
    declare,
    family="numpy",
    call=("x1", "x2"),
    sparse=sparse.densified,
    output_spec=specs.broadcast(dtype="bool"),
)


@_binary()
def equal(x1: Any, x2: Any) -> Any:
    """Returns whether elements are equal."""
    return tf.equal(*strongly_promoted(x1, x2))


@_binary()
def not_equal(x1: Any, x2: Any) -> Any:
    """Returns whether elements differ."""
    return tf.not_equal(*strongly_promoted(x1, x2))


@_binary()
def greater(x1: Any, x2: Any) -> Any:
    """Returns whether elements of `x1` are greater than those of `x2`."""
    return tf.greater(*strongly_promoted(x1, x2, boolean="int32"))


@_binary()
def greater_equal(x1: Any, x2: Any) -> Any:
    """Returns whether elements of `x1` are greater than or equal to those of `x2`."""
    return tf.greater_equal(*strongly_promoted(x1, x2, boolean="int32"))


@_binary()
def less(x1: Any, x2: Any) -> Any:
    """Returns whether elements of `x1` are less than those of `x2`."""
    return tf.less(*strongly_promoted(x1, x2, boolean="int32"))


@_binary()
def less_equal(x1: Any, x2: Any) -> Any:
    """Returns whether elements of `x1` are less than or equal to those of `x2`."""
    return tf.less_equal(*strongly_promoted(x1, x2, boolean="int32"))


def _boolean(x: Any) -> Any:
    return to_tensor(x, "bool")


@_binary()
def logical_and(x1: Any, x2: Any) -> Any:
    """Computes the logical AND; what is not 0 counts as true."""
    return tf.logical_and(_boolean(x1), _boolean(x2))


@_binary()
def logical_or(x1: Any, x2: Any) -> Any:
    """Computes the logical OR; what is not 0 counts as true."""
    return tf.logical_or(_boolean(x1), _boolean(x2))


@_binary()
def logical_xor(x1: Any, x2: Any) -> Any:
    """Computes the exclusive OR; what is not 0 counts as true."""
    return tf.math.logical_xor(_boolean(x1), _boolean(x2))


@declare(family="numpy", sparse=sparse.densified)
def logical_not(x: Any) -> Any:
    """Computes the logical NOT; what is not 0 counts as true."""
    return tf.logical_not(_boolean(x))
