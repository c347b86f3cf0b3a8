"""`TraceType`: the part of an argument that a trace depends on, and its placeholder.

The interface, and the contexts that its methods receive. It knows neither tensors nor graphs: the
tracer defines through a context how a placeholder is created.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable


class TracingContext:
    """State shared by the types of one call's arguments.

    One variable passed twice must differ from two variables: `alias_of` numbers the distinct
    objects. `on_death` is called when an argument, held by a weak reference, dies.
    """

    __slots__ = ("_aliases", "on_death")

    def __init__(self, on_death: Callable[[Any], None] | None = None) -> None:
        self.on_death = on_death
        self._aliases: dict[int, int] = {}

    def alias_of(self, value: Any) -> int:
        """Return the number of `value`: equal for the same object, counted from 0."""
        return self._aliases.setdefault(id(value), len(self._aliases))


class PlaceholderContext:
    """Creates the placeholders of one trace.

    `name` is that of the current parameter; `placeholders` are those of things that several
    arguments share, by their number.
    """

    __slots__ = ("_make", "name", "placeholders")

    def __init__(self, make: Callable[[Any, Any, str], Any] | None = None, name: str = "") -> None:
        self._make = make
        self.name = name
        self.placeholders: dict[int, Any] = {}

    def placeholder(self, dtype: Any, dims: Any, name: str | None = None) -> Any:
        """Return a tensor of that dtype and shape whose value is passed later."""
        if self._make is None:
            raise ValueError(
                f"A placeholder for a {dtype.name} tensor of shape {dims} can only be made while "
                f"a function is traced."
            )
        return self._make(dtype, dims, name or self.name or "placeholder")


class CastContext:
    """How values are cast to a type: `allow_specs` lets a spec stand for a value of it."""

    __slots__ = ("allow_specs",)

    def __init__(self, allow_specs: bool = False) -> None:
        self.allow_specs = allow_specs


class TraceType(ABC):
    """The type of an argument, as far as the trace of a function depends on it.

    Two values of equal types share a trace. A call also uses the trace of a supertype of its own
    type, if there is one. Values define their own type with `__tf_tracing_type__`.
    """

    __slots__ = ()

    @abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Return whether a trace made for `other` serves this type as well.

        Args:
            other: Another type.
        """

    @abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """Return the most specific type whose trace serves this one and all `others`, or None.

        Args:
            others: Other types.
        """

    @abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Return the argument of the Python function while it is traced.

        Args:
            placeholder_context: Creates placeholders.
        """

    def to_tensors(self, value: Any) -> list[Any]:
        """Return the tensors in `value`, which is of this type.

        Args:
            value: The value.
        """
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Build a value of this type from as many of `tensors` as it takes.

        Args:
            tensors: An iterator of tensors.
        """
        return self.placeholder_value(PlaceholderContext())

    def flatten(self) -> list[TraceType]:
        """Return the types of the tensors that `to_tensors` returns."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Cast `value` to this type; TypeError if it does not fit.

        Args:
            value: The value.
            cast_context: How values are cast.
        """
        tracing_type = getattr(value, "__tf_tracing_type__", None)
        if tracing_type is None or not tracing_type(TracingContext()).is_subtype_of(self):
            raise TypeError(f"Cannot convert {value!r} to type {self!r}")
        return value

    @abstractmethod
    def __hash__(self) -> int: ...

    @abstractmethod
    def __eq__(self, other: object) -> bool: ...


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """A value that defines its own trace type."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """Return the type of this value."""
        ...
