"""`tf.compat.v1.assert_*`: assertions on tensors, whose data and message come in another order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.debugging import comparisons

_Assertion = Callable[..., Any]


def _of_two(assertion: _Assertion) -> _Assertion:
    def check(
        x: Any,
        y: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        return assertion(x, y, message=message, summarize=summarize, name=name)

    return _named(check, assertion)


def _of_one(assertion: _Assertion) -> _Assertion:
    def check(
        x: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        return assertion(x, message=message, summarize=summarize, name=name)

    return _named(check, assertion)


def _named(check: _Assertion, assertion: _Assertion) -> _Assertion:
    check.__name__ = check.__qualname__ = assertion.__name__
    check.__doc__ = assertion.__doc__
    return check


assert_equal = _of_two(comparisons.assert_equal)
assert_greater = _of_two(comparisons.assert_greater)
assert_greater_equal = _of_two(comparisons.assert_greater_equal)
assert_less = _of_two(comparisons.assert_less)
assert_less_equal = _of_two(comparisons.assert_less_equal)
assert_none_equal = _of_two(comparisons.assert_none_equal)
assert_negative = _of_one(comparisons.assert_negative)
assert_non_negative = _of_one(comparisons.assert_non_negative)
assert_non_positive = _of_one(comparisons.assert_non_positive)
assert_positive = _of_one(comparisons.assert_positive)
