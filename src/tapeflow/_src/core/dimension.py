"""`Dimension`: one size of a shape, which may be unknown, as in `TensorShape.dims`.

Indexing a shape returns plain ints and None; this class appears only in `dims`. An operation with
an unknown size has an unknown result: a comparison then is None, neither true nor false.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


def dimension_value(size: Any) -> int | None:
    """Return `size` as an int, or None if unknown; TypeError or ValueError if it is no size."""
    if size is None:
        return None
    if type(size) is not int:
        if isinstance(size, Dimension):
            return size.value
        try:
            size = int(operator.index(size))  # operator.index leaves True as it is
        except TypeError:
            raise TypeError(
                f"A dimension must be an int or None, received {size!r} of type "
                f"{type(size).__name__}."
            ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


class Dimension:
    """One size of a shape; `value` is an int, or None if unknown."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = dimension_value(value)

    @property
    def value(self) -> int | None:
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both can be the size of one dimension: equal, or one unknown."""
        other_value = dimension_value(other)
        return self._value is None or other_value is None or self._value == other_value

    def assert_is_compatible_with(self, other: Any) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Return the known one of both; ValueError if both are known and differ."""
        self.assert_is_compatible_with(other)
        return Dimension(other if self._value is None else self._value)

    def _apply(self, function: Callable[[int, int], int], other: Any, swap: bool = False) -> Any:
        try:
            value, other_value = self._value, dimension_value(other)
        except TypeError:
            return NotImplemented
        if value is None or other_value is None:
            return Dimension(None)
        return Dimension(function(other_value, value) if swap else function(value, other_value))

    def _compare(self, function: Callable[[int, int], bool], other: Any) -> Any:
        try:
            other_value = dimension_value(other)
        except TypeError:
            return NotImplemented
        if self._value is None or other_value is None:
            return None
        return function(self._value, other_value)

    def __add__(self, other: Any) -> Dimension:
        return self._apply(operator.add, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dimension:
        return self._apply(operator.sub, other)

    def __rsub__(self, other: Any) -> Dimension:
        return self._apply(operator.sub, other, swap=True)

    def __mul__(self, other: Any) -> Dimension:
        return self._apply(operator.mul, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Dimension:
        return self._apply(operator.floordiv, other)

    def __rfloordiv__(self, other: Any) -> Dimension:
        return self._apply(operator.floordiv, other, swap=True)

    def __mod__(self, other: Any) -> Dimension:
        return self._apply(operator.mod, other)

    def __rmod__(self, other: Any) -> Dimension:
        return self._apply(operator.mod, other, swap=True)

    def __truediv__(self, other: Any) -> Any:
        raise _no_fractions(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        raise _no_fractions(other, self)

    def __eq__(self, other: object) -> Any:
        return self._compare(operator.eq, other)

    def __ne__(self, other: object) -> Any:
        return self._compare(operator.ne, other)

    def __lt__(self, other: Any) -> Any:
        return self._compare(operator.lt, other)

    def __le__(self, other: Any) -> Any:
        return self._compare(operator.le, other)

    def __gt__(self, other: Any) -> Any:
        return self._compare(operator.gt, other)

    def __ge__(self, other: Any) -> Any:
        return self._compare(operator.ge, other)

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError("An unknown Dimension has no integer value.")
        return self._value

    def __int__(self) -> int:
        return self.__index__()

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __reduce__(self) -> tuple[Any, tuple[int | None]]:
        return Dimension, (self._value,)


def _no_fractions(a: Any, b: Any) -> TypeError:
    return TypeError(
        f"unsupported operand type(s) for /: {type(a).__name__!r} and {type(b).__name__!r}, "
        f"please use // instead"
    )
