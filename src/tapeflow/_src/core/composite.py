"""Values made of several tensors that ops are given in place of one: ragged, sparse and the like.

An op takes tensors. Given a composite, the conversion of its inputs fails, and only then the
composites among them are asked for an answer: a call with nothing but tensors pays nothing for it.
This file knows how they are asked; what they answer is theirs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar


class Answering:
    """A value that is asked what an op gives for it, as it is no tensor."""

    __slots__ = ()

    def _call_op(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
    ) -> Any:
        """What `op` gives for `inputs`, of which this is one; NotImplemented if nothing is known.

        The inputs are as the caller gave them, not yet converted.
        """
        return NotImplemented

    def _why_no_tensor(self) -> str:
        """What the error says where a tensor is needed."""
        return (
            f"Cannot convert {self!r} of type {type(self).__name__} to a Tensor: it consists of "
            f"several."
        )

    def _refusal(self, op: Any, inputs: tuple[Any, ...]) -> ValueError:
        """The error for an op that none of `inputs` has an answer for."""
        return ValueError(
            f"{op.name} is not defined for {self!r} of type {type(self).__name__}, and cannot "
            f"convert it to a Tensor: define it with @tf.experimental.dispatch_for_api."
        )


class Composite(Answering):
    """A value that consists of tensors, and that functions take in place of one."""

    __slots__ = ()

    dtype: Any

    # It has neither one shape nor one value that could be known in advance: see `Tensor`.
    _dims: ClassVar[Any] = None
    _static: ClassVar[Any] = None

    def _why_no_tensor(self) -> str:
        return (
            f"A {type(self).__name__} cannot be converted to a Tensor: it consists of several. "
            f"Received: {self!r}"
        )

    def _refusal(self, op: Any, inputs: tuple[Any, ...]) -> ValueError:
        return ValueError(
            f"{op.name} does not take a {type(self).__name__}. Received: "
            + ", ".join(f"{n}={v!r}" for n, v in zip(op.input_names, inputs))
        )

    def _map_values(self, fn: Callable[[Any], Any]) -> Any:
        """The same, with `fn` of its values in their place."""
        raise not_a_tensor(self)


_ARGS: Any = vars(BaseException)["args"]


class UnsupportedValue(ValueError):
    """A Python value that no tensor can be made of; users know it as a plain ValueError."""

    __module__ = "builtins"
    __qualname__ = "ValueError"


UnsupportedValue.__name__ = "ValueError"


class NotATensor(ValueError):
    """A composite was to be converted to a tensor.

    Where nobody has an answer for it, it reaches the user, who knows it as a plain ValueError.
    Until then nobody reads it: it shows the value, which may be large, only when it is asked to.
    """

    __module__ = "builtins"
    __qualname__ = "ValueError"

    def __init__(self, value: Answering) -> None:
        super().__init__()
        self._value: Answering | None = value

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


def not_a_tensor(value: Answering) -> NotATensor:
    """The error for a composite where a tensor is needed."""
    return NotATensor(value)


def call_op(
    op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None, error: NotATensor
) -> Any:
    """What the first composite that has an answer gives; an error that names the op if none has."""
    asked = []
    for value in _composites(inputs):
        result = value._call_op(op, inputs, attrs, name)
        if result is not NotImplemented:
            return result
        asked.append(value)
    if not asked:
        raise error
    raise asked[0]._refusal(op, inputs) from error


def _composites(inputs: tuple[Any, ...]) -> Iterator[Answering]:
    """One composite of each class among the inputs, and among the items of lists."""
    seen: set[type] = set()
    for value in inputs:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, Answering) and type(item) not in seen:
                seen.add(type(item))
                yield item
