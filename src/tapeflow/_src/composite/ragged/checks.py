"""Validation of row partitions: immediate, or when the graph runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.composite.ragged.sizes import lengths_of
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.ops.array.shape import shape_of, static_ints
from tapeflow._src.ops.graph.checks import assert_op
from tapeflow._src.ops.math.comparison import equal, greater_equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.reduction import all_


def require(holds: Any, message: str, *data: Any) -> None:
    """Raise if the scalar `holds` is false; a graph does so when it runs, unless it is known."""
    static = holds.static_value
    if static is None:
        assert_op(holds, [message, *data])
    elif not static:
        values = [getattr(item, "static_value", item) for item in data]
        received = ". Received: " + ", ".join(str(value) for value in values) if values else "."
        raise InvalidArgumentError(None, None, message + received)


def every(condition: Any) -> Any:
    """Whether all of a vector of booleans hold."""
    return all_(condition, static_ints((0,)))


def require_equal(a: Any, b: Any, message: str) -> None:
    """Raise unless two tensors of one dtype have the same shape and elements."""
    if a is b:
        return
    if a.shape.rank == b.shape.rank == 1:
        require(every(equal(shape_of(a), shape_of(b))), message, a, b)
    same = equal(a, b)
    require(every(same) if same.shape.rank else same, message, a, b)


def require_sorted(splits: Any, message: str) -> None:
    """Raise if an element of a vector is smaller than the one before it."""
    lengths = lengths_of(splits)
    require(every(greater_equal(lengths, scalar(0, lengths))), message, splits)


def require_not_negative(values: Any, message: str) -> None:
    """Raise if an element of a vector, or a scalar, is negative."""
    holds = greater_equal(values, scalar(0, values))
    require(every(holds) if values.shape.rank != 0 else holds, message, values)


def require_nested(xp: Any, levels: Sequence[Any], count: int, *, whole: bool = False) -> None:
    """Raise unless splits, outermost first, match each other and the number of values.

    Each starts at 0, never falls, and ends at most (`whole`: just) where the next level ends.
    """
    for splits, count_below in zip(levels, [*(len(s) - 1 for s in levels[1:]), count], strict=True):
        ends = splits[-1] == count_below if whole else splits[-1] <= count_below
        # The message prints the splits, so it is written only when it is needed.
        if not (splits[0] == 0 and np.all(splits[1:] >= splits[:-1]) and ends):
            xp.require(
                False,
                f"Invalid row split size: splits rise from 0 to "
                f"{'' if whole else 'at most '}{count_below}, got {splits}",
            )
