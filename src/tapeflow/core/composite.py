"""Values made of several tensors that ops are given in place of one: ragged, sparse and the like.

An op takes tensors. Given a composite, the conversion of its inputs fails, and only then the
composites among them are asked for an answer: a call with nothing but tensors pays nothing for it.
This file knows how they are asked; what they answer is theirs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar


class Composite:
    """A value that consists of tensors."""

    __slots__ = ()

    dtype: Any

    # It has neither one shape nor one value that could be known in advance: see `Tensor`.
    _dims: ClassVar[Any] = None
    _static: ClassVar[Any] = None

    def _call_op(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
    ) -> Any:
        """What `op` gives for `inputs`, of which this is one; NotImplemented if nothing is known.

        The inputs are as the caller gave them, not yet converted.
        """
        return NotImplemented

    def _map_values(self, fn: Callable[[Any], Any]) -> Any:
        """The same, with `fn` of its values in their place."""
        raise not_a_tensor(self)


class NotATensor(ValueError):
    """A composite was to be converted to a tensor."""


def not_a_tensor(value: Composite) -> NotATensor:
    """The error for a composite where a tensor is needed."""
    return NotATensor(
        f"A {type(value).__name__} cannot be converted to a Tensor: it consists of several. "
        f"Received: {value!r}"
    )


def call_op(
    op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None, error: NotATensor
) -> Any:
    """What the first composite that has an answer gives; an error that names the op if none has."""
    asked = []
    for value in _composites(inputs):
        result = value._call_op(op, inputs, attrs, name)
        if result is not NotImplemented:
            return result
        asked.append(type(value).__name__)
    if not asked:
        raise error
    raise NotATensor(
        f"{op.name} does not take a {asked[0]}. Received: "
        + ", ".join(f"{n}={v!r}" for n, v in zip(op.input_names, inputs))
    ) from error


def _composites(inputs: tuple[Any, ...]) -> Iterator[Composite]:
    """One composite of each class among the inputs, and among the items of lists."""
    seen: set[type] = set()
    for value in inputs:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, Composite) and type(item) not in seen:
                seen.add(type(item))
                yield item
