"""Assertions as TensorFlow 1 has them: `data` is shown when one fails."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tapeflow import debugging, math
from tapeflow._src.api.debugging.messages import showing
from tapeflow._src.compat.v1.reordered import reordered
from tapeflow._src.core.types import TensorLike

_Check = Callable[..., Any]


def _failing(new: _Check, holds: Any, data: Any, message: Any, summarize: Any, name: Any) -> Any:
    """Return an assertion that shows `data` when it fails."""
    header = message or f"{new.__name__} failed."
    return debugging.Assert(math.reduce_all(holds), [header, *data], summarize, name)


def _of_two(new: _Check, holds: _Check) -> _Check:
    def check(
        x: TensorLike,
        y: TensorLike,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        if data is None:
            return new(x, y, message=message, summarize=summarize, name=name)
        return _failing(new, holds(x, y), data, message, summarize, name)

    return _named(check, new)


def _of_one(new: _Check, holds: _Check) -> _Check:
    def check(
        x: TensorLike,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        if data is None:
            return new(x, message=message, summarize=summarize, name=name)
        return _failing(new, holds(x, 0), data, message, summarize, name)

    return _named(check, new)


def _with_data(new: _Check, parameters: str) -> _Check:
    """Return an assertion that shows `data` when it fails in a graph, or for values."""
    plain = reordered(new, parameters)

    @functools.wraps(plain)
    def check(*args: Any, **kwargs: Any) -> Any:
        arguments = {**dict(zip(parameters.split(), args, strict=False)), **kwargs}
        with showing(arguments.get("data"), arguments.get("summarize")):
            return plain(*args, **kwargs)

    return check


def _named(function: _Check, new: _Check) -> _Check:
    function.__name__ = function.__qualname__ = new.__name__
    function.__doc__ = new.__doc__
    return function


assert_equal = _of_two(debugging.assert_equal, math.equal)
assert_none_equal = _of_two(debugging.assert_none_equal, math.not_equal)
assert_less = _of_two(debugging.assert_less, math.less)
assert_less_equal = _of_two(debugging.assert_less_equal, math.less_equal)
assert_greater = _of_two(debugging.assert_greater, math.greater)
assert_greater_equal = _of_two(debugging.assert_greater_equal, math.greater_equal)
assert_positive = _of_one(debugging.assert_positive, math.greater)
assert_negative = _of_one(debugging.assert_negative, math.less)
assert_non_negative = _of_one(debugging.assert_non_negative, math.greater_equal)
assert_non_positive = _of_one(debugging.assert_non_positive, math.less_equal)
assert_rank = _with_data(debugging.assert_rank, "x rank data summarize message name")
assert_rank_at_least = _with_data(
    debugging.assert_rank_at_least, "x rank data summarize message name"
)
assert_rank_in = _with_data(debugging.assert_rank_in, "x ranks data summarize message name")
assert_scalar = reordered(debugging.assert_scalar, "tensor name message")
assert_type = reordered(debugging.assert_type, "tensor tf_type message name")
assert_integer = reordered(debugging.assert_integer, "x message name")
assert_near = _with_data(debugging.assert_near, "x y rtol atol data summarize message name")
assert_shapes = reordered(debugging.assert_shapes, "shapes data summarize message name")
assert_all_finite = reordered(
    debugging.assert_all_finite, "t msg name x message", {"t": "x", "msg": "message"}
)
verify_tensor_all_finite = assert_all_finite
