"""`FunctionType`: the parameters of a function with the trace types of its arguments.

A declared function has types where an `input_signature` requires them; a traced one has a type for
each parameter, with `*args` and `**kwargs` expanded, and the type of its result.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, cast

from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.trace_type import PlaceholderContext, TraceType
from tapeflow._src.function.trace_types import Literal, Structure

POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
POSITIONAL_OR_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD
VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD


class _CapturedDefault:
    """Stands for a default value, which is stored with the function, not with its type."""

    def __repr__(self) -> str:
        return "<captured_default_value>"


CAPTURED_DEFAULT = _CapturedDefault()


class UnknownArgument:
    """Stands for an argument that is neither a tensor nor a plain value."""


class Parameter(inspect.Parameter):
    """A parameter; its annotation is the type required of its argument, if any."""

    @property
    def optional(self) -> bool:
        return self.default is not self.empty

    @property
    def type_constraint(self) -> TraceType | None:
        return None if self.annotation is self.empty else self.annotation


class FunctionType(inspect.Signature):
    """The parameters of a function and their types.

    A subclass of `inspect.Signature`: the annotation of a parameter is the trace type of its
    argument, the return annotation that of the result.

    Args:
        parameters: The parameters.
        return_annotation: The trace type of the result.
        __validate_parameters__: Whether the order and names of parameters are checked.
    """

    @classmethod
    def from_callable(  # type: ignore[override]
        cls, obj: Any, *, follow_wrapped: bool = True
    ) -> FunctionType:
        """Return the parameters of a Python function, without its annotations.

        Args:
            obj: The function.
            follow_wrapped: Whether to look at the function that a decorator wrapped.

        Returns:
            A `FunctionType` without type constraints.

        Example:
            >>> def f(x, y=1): ...
            >>> tf.types.experimental.FunctionType.from_callable(f)
            <FunctionType (x, y=<captured_default_value>)>
        """
        signature = inspect.signature(obj, follow_wrapped=follow_wrapped)
        return cls(
            [
                Parameter(p.name, p.kind, default=p.empty if p.default is p.empty else _DEFAULT)
                for p in signature.parameters.values()
            ]
        )

    @classmethod
    def of(cls, typed: Iterable[tuple[str, Any, TraceType]], output: Any = None) -> FunctionType:
        """Return the type of a trace from those of its arguments and its result.

        Args:
            typed: Name, kind and trace type of each parameter.
            output: Trace type of the result; None if unknown.
        """
        parameters = [Parameter(name, kind, annotation=type_) for name, kind, type_ in typed]
        returned = cls.empty if output is None else output
        return cls(parameters, return_annotation=returned)

    @property
    def typed(self) -> list[tuple[str, Any, TraceType]]:
        """Name, kind and type of each parameter."""
        return [(p.name, p.kind, p.annotation) for p in self.parameters.values()]

    @cached_property
    def types(self) -> list[TraceType]:
        """The type of each parameter."""
        return [p.annotation for p in self.parameters.values()]

    @cached_property
    def _heads(self) -> list[tuple[str, Any]]:
        return [(p.name, p.kind) for p in self.parameters.values()]

    @property
    def output(self) -> Any:
        """The type of the result, or None if it is unknown."""
        return None if self.return_annotation is self.empty else self.return_annotation

    @property
    def flat_inputs(self) -> list[TraceType]:
        """The types of the tensors that are passed."""
        return [leaf for type_ in self.types for leaf in type_.flatten()]

    def accepts(self, request: FunctionType) -> bool:
        """Whether a trace of this type serves arguments of the requested one.

        Args:
            request: The type of the arguments of a call.
        """
        return self._heads == request._heads and all(
            request_type.is_subtype_of(type_)
            for type_, request_type in zip(self.types, request.types)
        )

    def common_with(self, other: FunctionType) -> FunctionType | None:
        """Return the most specific type whose trace serves both, or None.

        Args:
            other: The type of another trace.
        """
        if self._heads != other._heads:
            return None
        merged = []
        for (name, kind, type_), other_type in zip(self.typed, other.types):
            common = type_.most_specific_common_supertype([other_type])
            if common is None:
                return None
            merged.append((name, kind, common))
        return FunctionType.of(merged)

    # -- for tracing -------------------------------------------------------------------------

    def placeholders(self, make: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments to trace with; `make(dtype, dims, name)` creates the tensors.

        Args:
            make: Function that creates a placeholder tensor.
        """
        context = PlaceholderContext(make)
        values = []
        for name, _, type_ in self.typed:
            context.name = as_name(name)
            values.append(type_.placeholder_value(context))
        return self.split(values)

    def split(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Split the values of the parameters into positional and keyword arguments.

        Args:
            values: One value per parameter.
        """
        pairs = list(zip(self.parameters.values(), values))
        args = tuple(value for p, value in pairs if p.kind is not KEYWORD_ONLY)
        return args, {p.name: value for p, value in pairs if p.kind is KEYWORD_ONLY}

    def structured(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments with a named spec for each tensor and plain values unchanged."""
        return self.split([_with_specs(type_, name) for name, _, type_ in self.typed])

    def flat_names(self) -> list[str]:
        """Return a name for each tensor passed, under which a trace takes it as keyword."""
        used: set[str] = set()
        return [
            _unique(getattr(leaf, "name", None) or as_name(name), used)
            for name, _, type_ in self.typed
            for leaf in type_.flatten()
        ]

    def pretty(self, captures: Sequence[tuple[Any, Any]]) -> str:
        """Return the type as several lines, with the types of captured tensors.

        Args:
            captures: Key and type of each captured tensor.
        """
        inputs = [
            f"  {p.name} ({p.kind.name}): {None if p.annotation is p.empty else p.annotation!r}"
            for p in self.parameters.values()
        ]
        captured = [f"  {key}: {type_!r}" for key, type_ in captures] or ["  None"]
        return "\n".join(
            [
                "Input Parameters:",
                *inputs,
                "Output Type:",
                f"  {self.output!r}",
                "Captures:",
                *captured,
            ]
        )


_DEFAULT: Any = cast(Any, CAPTURED_DEFAULT)


def as_name(text: str) -> str:
    """Return `text` with characters that are invalid in operation names replaced."""
    return re.sub(r"[^A-Za-z0-9_.\-]", "_", text).lstrip("_") or "arg"


def _unique(name: str, used: set[str]) -> str:
    unique, count = name, 0
    while unique in used:
        count += 1
        unique = f"{name}_{count}"
    used.add(unique)
    return unique


def _with_specs(type_: TraceType, path: str) -> Any:
    if isinstance(type_, TensorSpec):
        return TensorSpec(type_.shape, type_.dtype, type_.name or as_name(path))
    if isinstance(type_, TypeSpec):
        return type_
    if isinstance(type_, Structure):
        keyed = zip(type_.components, type_.keys())
        return type_._packed([_with_specs(part, f"{path}_{key}") for part, key in keyed])
    return type_.value if isinstance(type_, Literal) else UnknownArgument()
