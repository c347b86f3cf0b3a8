"""Composite values that ops accept in place of one tensor: ragged, sparse and the like.

An op takes tensors. For a composite, the conversion of its inputs fails, and only then the
composites among them handle the call: a call with only tensors pays nothing for it.
This file implements the dispatch; the handlers are the composites' own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar


class Dispatchable:
    """A value that is no tensor, and handles op calls itself."""

    __slots__ = ()

    def _call_op(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
    ) -> Any:
        """Handle a call of `op` with `inputs`, of which this is one, or return NotImplemented.

        The inputs are as the caller passed them, not yet converted.
        """
        return NotImplemented

    def _why_no_tensor(self) -> str:
        """Return the error message where a tensor is needed."""
        return (
            f"Cannot convert {self!r} of type {type(self).__name__} to a Tensor: it consists of "
            f"several."
        )

    def _refusal(self, op: Any, inputs: tuple[Any, ...]) -> ValueError:
        """Return the error for an op that none of `inputs` handles."""
        return ValueError(
            f"{op.name} is not defined for {self!r} of type {type(self).__name__}, and cannot "
            f"convert it to a Tensor: define it with @tf.experimental.dispatch_for_api."
        )


class Composite(Dispatchable):
    """A value that consists of tensors, and that functions accept in place of one."""

    __slots__ = ()

    dtype: Any

    # What to write where one tensor is needed.
    _repair: ClassVar[str] = "Pass one of its tensors."
    # It has neither one shape nor one static value: see `Tensor`.
    static_shape: ClassVar[Any] = None
    static_value: ClassVar[Any] = None

    def _why_no_tensor(self) -> str:
        return (
            f"A {type(self).__name__} cannot be converted to a Tensor: it consists of several. "
            f"Received: {self!r}. {self._repair}"
        )

    def _refusal(self, op: Any, inputs: tuple[Any, ...]) -> ValueError:
        return ValueError(
            f"{op.name} does not take a {type(self).__name__}. Received: "
            + ", ".join(f"{n}={v!r}" for n, v in zip(op.input_names, inputs))
            + f". {self._repair}"
        )

    def _map_values(self, fn: Callable[[Any], Any]) -> Any:
        """Return a copy with `fn` applied to its values."""
        raise not_a_tensor(self)


_ARGS: Any = vars(BaseException)["args"]


class UnsupportedValue(ValueError):
    """A Python value that cannot be converted to a tensor; users see a plain ValueError."""

    __module__ = "builtins"
    __qualname__ = "ValueError"


UnsupportedValue.__name__ = "ValueError"


class NotATensor(ValueError):
    """A composite was to be converted to a tensor.

    If no composite handles the call, it reaches the user as a plain ValueError. The message, which
    shows the value and may be large, is built only when it is read.
    """

    __module__ = "builtins"
    __qualname__ = "ValueError"

    def __init__(self, value: Dispatchable) -> None:
        super().__init__()
        self._value: Dispatchable | None = value

    @property
    def args(self) -> tuple[Any, ...]:
        if self._value is not None:
            self.args = (self._value._why_no_tensor(),)
        return _ARGS.__get__(self)

    @args.setter
    def args(self, args: tuple[Any, ...]) -> None:
        self._value = None
        _ARGS.__set__(self, args)

    def __str__(self) -> str:
        return str(*self.args)

    def __repr__(self) -> str:
        return f"ValueError({', '.join(map(repr, self.args))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ValueError, self.args


NotATensor.__name__ = "ValueError"


def not_a_tensor(value: Dispatchable) -> NotATensor:
    """Return the error for a composite where a tensor is needed."""
    return NotATensor(value)


def call_op(
    op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None, error: NotATensor
) -> Any:
    """Return the result of the first composite that handles the call; raise if none does."""
    declined = []
    for value in _composites(inputs):
        result = value._call_op(op, inputs, attrs, name)
        if result is not NotImplemented:
            return result
        declined.append(value)
    if not declined:
        raise error
    raise declined[0]._refusal(op, inputs) from error


def _composites(inputs: tuple[Any, ...]) -> Iterator[Dispatchable]:
    """Yield one composite of each class among the inputs, and among the items of lists."""
    seen: set[type] = set()
    for value in inputs:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, Dispatchable) and type(item) not in seen:
                seen.add(type(item))
                yield item
