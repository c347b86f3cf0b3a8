"""`tf.explain.numerics`: the first operation of a call that computes NaN or infinity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tapeflow._src.api.debugging.numerics import (
    disable_check_numerics,
    enable_check_numerics,
    is_checking,
)
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.source import Location
from tapeflow._src.executors.numeric_checks import BadResult


@dataclass(frozen=True)
class NumericsExplanation:
    """The first result of a call that is not finite.

    Attributes:
        is_finite: Whether there is none.
        op: The op that computed it, None if there is none.
        output: The index of the bad output.
        location: The user's line that made the operation.
        note: "gradient of ..." for an operation of the backward pass, otherwise "".
        message: The whole message, with the inputs of the operation.
        result: What the call returned, None if it raised.

    Example:
        >>> why = tf.explain.numerics(lambda x: tf.math.log(x), tf.constant([0.0]))
        >>> why.is_finite, why.op
        (False, 'Log')
    """

    is_finite: bool
    op: str | None = None
    output: int | None = None
    location: Location | None = None
    note: str = ""
    message: str = ""
    result: Any = None

    @property
    def line(self) -> str | None:
        """The line, as "file:line"."""
        return None if self.location is None else self.location.short()

    def __str__(self) -> str:
        if self.is_finite:
            return "All results are finite."
        what = f"{self.op}, the {self.note}," if self.note else str(self.op)
        where = f" made by `{self.location.code()}` at {self.line}" if self.location else ""
        head = f"The first result that is not finite is output {self.output} of {what}{where}."
        return f"{head}\n{self.message.strip()}"

    __repr__ = __str__


def numerics(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> NumericsExplanation:
    """Run a function, and report the first operation that computes NaN or infinity.

    Eager operations, functions and the backward pass are checked, compiled code, too. The run is a
    real one: variables that were assigned before the bad value stay assigned.

    Args:
        fn: A `tf.function` or any callable.
        *args: Its arguments.
        **kwargs: Its keyword arguments.

    Returns:
        A `NumericsExplanation`, which prints as text.

    Example:
        >>> why = tf.explain.numerics(lambda x: tf.sqrt(tf.math.log(x)), tf.constant([0.0, 1.0]))
        >>> why.is_finite, why.op, why.output
        (False, 'Log', 0)
        >>> tf.explain.numerics(tf.math.log, tf.constant(1.0)).is_finite
        True
    """
    was_checking = is_checking()
    enable_check_numerics()
    try:
        return NumericsExplanation(True, result=fn(*args, **kwargs))
    except InvalidArgumentError as error:
        details = getattr(error, "numerics", None)
        if not isinstance(details, BadResult):
            raise
        location = details.location
        return NumericsExplanation(
            False,
            details.op,
            details.output,
            location,
            "" if location is None else location.note,
            str(error),
        )
    finally:
        if not was_checking:
            disable_check_numerics()
