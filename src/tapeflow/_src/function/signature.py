"""Binding calls: which argument belongs to which parameter, and whether it fits.

A `Binder` binds calls of a Python function, declared with or without an `input_signature`; a
`ConcreteSignature` binds calls of a trace, to the tensors its graph takes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapeflow._src.core import nest
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.trace_type import CastContext, TraceType, TracingContext
from tapeflow._src.eager.variable import Variable
from tapeflow._src.function.function_type import (
    CAPTURED_DEFAULT,
    KEYWORD_ONLY,
    POSITIONAL_ONLY,
    POSITIONAL_OR_KEYWORD,
    VAR_KEYWORD,
    VAR_POSITIONAL,
    FunctionType,
    Parameter,
)
from tapeflow._src.function.value_types import from_value
from tapeflow._src.graph.tensor import tracing


class Argument(NamedTuple):
    """One argument of a call in canonical form."""

    name: str
    kind: Any
    value: Any


class Binder:
    """Binds calls of a Python function to its parameters.

    In canonical form a call has each parameter once and in order, with defaults filled in,
    `*args` numbered and `**kwargs` sorted by name.
    """

    def __init__(self, function: Callable[..., Any], input_signature: Any = None) -> None:
        signature = inspect.signature(function)
        self.defaults = {
            p.name: p.default for p in signature.parameters.values() if p.default is not p.empty
        }
        declared = FunctionType.from_callable(function)
        self.input_signature: tuple[Any, ...] | None = None
        if input_signature is not None:
            check_input_signature(input_signature)
            self.input_signature = tuple(input_signature)
            declared = constrained(declared, self.defaults, self.input_signature)
        self.function_type = declared
        kinds = {p.kind for p in declared.parameters.values()}
        self._has_varargs = VAR_POSITIONAL in kinds
        # Calls with only positional arguments are in canonical order as they stand.
        self._layouts: dict[tuple[int, tuple[str, ...]], tuple[int, ...]] = {}

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Argument]:
        """Return the call in canonical form; TypeError if it does not fit."""
        try:
            bound = self.function_type.bind(*args, **kwargs).arguments
            arguments = self._canonical(bound)
            if self.input_signature is not None:
                arguments = [a._replace(value=self._cast(a)) for a in arguments]
        except (TypeError, ValueError) as error:
            raise _binding_error(error, args, kwargs, self.function_type) from None
        return arguments

    def _canonical(self, bound: dict[str, Any]) -> list[Argument]:
        arguments: list[Argument] = []
        for p in self.function_type.parameters.values():
            if p.kind is VAR_POSITIONAL:
                for index, value in enumerate(bound.get(p.name, ())):
                    arguments.append(Argument(f"{p.name}_{index}", POSITIONAL_ONLY, value))
            elif p.kind is VAR_KEYWORD:
                for name, value in sorted(bound.get(p.name, {}).items()):
                    arguments.append(Argument(name, KEYWORD_ONLY, value))
            else:
                value = bound[p.name] if p.name in bound else self.defaults[p.name]
                only = self._has_varargs and p.kind is POSITIONAL_OR_KEYWORD
                arguments.append(Argument(p.name, POSITIONAL_ONLY if only else p.kind, value))
        return arguments

    def _cast(self, argument: Argument) -> Any:
        type_ = self.function_type.parameters[argument.name].annotation
        return type_.cast(argument.value, _WITH_SPECS)

    def types_of(self, arguments: Sequence[Argument], context: TracingContext) -> FunctionType:
        """Return the type of the trace that these arguments require."""
        if self.input_signature is not None:
            return FunctionType.of(self.function_type.typed)
        return FunctionType.of(
            [(name, kind, from_value(value, context)) for name, kind, value in arguments]
        )

    def layout(self, count: int, names: tuple[str, ...]) -> tuple[int, ...]:
        """Return the order that brings `count` positional and then the named arguments into
        canonical form, as far as they are given.
        """
        cached = self._layouts.get((count, names))
        if cached is None:
            positions = list(range(count + len(names)))
            keywords = dict(zip(names, positions[count:]))
            bound = self.function_type.bind(*positions[:count], **keywords).arguments
            cached = tuple(index for _, index in self._numbered(bound))
            self._layouts[count, names] = cached
        return cached

    def _numbered(self, bound: dict[str, Any]) -> list[tuple[str, int]]:
        pairs: list[tuple[str, int]] = []
        for p in self.function_type.parameters.values():
            if p.name not in bound:
                continue
            value = bound[p.name]
            if p.kind is VAR_POSITIONAL:
                pairs += [(f"{p.name}_{i}", index) for i, index in enumerate(value)]
            elif p.kind is VAR_KEYWORD:
                pairs += sorted(value.items())
            else:
                pairs.append((p.name, value))
        return pairs


_WITH_SPECS = CastContext(allow_specs=True)
_VALUES_ONLY = CastContext()


def _binding_error(
    cause: Exception, args: Any, kwargs: Any, function_type: FunctionType
) -> TypeError:
    return TypeError(
        f"The arguments do not fit the function: {cause}. Received args {args} and kwargs "
        f"{kwargs}, expected {function_type}.{_signature_hint(str(cause))}"
    )


def _signature_hint(cause: str) -> str:
    """Return what to write instead of a call that an `input_signature` refuses, or ""."""
    dtypes = re.findall(r"dtype=tf\.(\w+)", cause)
    if len(dtypes) == 2 and dtypes[0] != dtypes[1]:
        return f" Convert the argument: tf.cast(x, tf.{dtypes[1]}), or change `input_signature`."
    if "TensorSpec" in cause:
        return (
            " Reshape the argument, or declare the axes that vary as None in `input_signature`: "
            "tf.TensorSpec([None, None], dtype)."
        )
    return ""


def check_input_signature(input_signature: Any) -> None:
    """Raise TypeError unless it is a tuple or list of possibly nested specs."""
    if not isinstance(input_signature, (tuple, list)):
        raise TypeError(
            "input_signature must be a tuple or list of specs, received "
            f"{type(input_signature).__name__}."
        )
    wrong = [leaf for leaf in nest.flatten(input_signature) if not isinstance(leaf, TypeSpec)]
    if wrong:
        raise TypeError(
            f"input_signature must contain tf.TensorSpec or other specs only, received {wrong} of "
            f"type {', '.join(type(leaf).__name__ for leaf in wrong)}."
        )


def constrained(
    declared: FunctionType, defaults: dict[str, Any], input_signature: Sequence[Any]
) -> FunctionType:
    """Return the type of a function whose positional arguments must match `input_signature`.

    Parameters beyond it keep their default values; those without a default must be in it.
    """
    remaining = list(input_signature)
    has_varargs = any(p.kind is VAR_POSITIONAL for p in declared.parameters.values())
    parameters: list[Parameter] = []

    def add(name: str, kind: Any, type_: TraceType, default: Any = Parameter.empty) -> None:
        parameters.append(Parameter(name, kind, annotation=type_, default=default))

    for p in declared.parameters.values():
        default: Any = CAPTURED_DEFAULT if p.name in defaults else Parameter.empty
        if p.kind is VAR_POSITIONAL:
            for index, spec in enumerate(remaining):
                add(f"{p.name}_{index}", POSITIONAL_ONLY, from_value(spec))
            remaining = []
        elif p.kind is KEYWORD_ONLY:
            if p.name not in defaults:
                raise TypeError(
                    f"With input_signature, keyword-only `{p.name}` needs a default value: "
                    "the signature lists positional parameters."
                )
            add(p.name, p.kind, from_value(defaults[p.name]), default)
        elif p.kind is not VAR_KEYWORD:
            kind = POSITIONAL_ONLY if has_varargs else p.kind
            if remaining:
                add(p.name, kind, from_value(remaining.pop(0)), default)
            elif p.name in defaults:
                add(p.name, kind, from_value(defaults[p.name]), default)
            else:
                raise TypeError(f"input_signature missing type constraint for {p.name}")
    if remaining:
        raise TypeError(f"input_signature contains {len(remaining)} extra type constraints.")
    return FunctionType(parameters)


class ShapeMismatch(list[Any]):
    """Tensors of other shapes than those of a trace."""


class ConcreteSignature:
    """Binds calls of one trace: to its parameters, or else to the tensors of its graph."""

    def __init__(self, function_type: FunctionType, name: str) -> None:
        self.function_type = function_type
        self.name = name
        self.flat_names = function_type.flat_names()
        self._flat_types = function_type.flat_inputs

    def flatten(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return the tensors to run the graph with; TypeError if the call fits neither way."""
        try:
            return self._structured(args, kwargs)
        except (TypeError, ValueError) as error:
            structured = _binding_error(error, args, kwargs, self.function_type)
        try:
            tensors = self._flat(args, kwargs)
        except TypeError as error:
            raise TypeError(
                f"{structured}\nNor do the arguments fit the flat list of tensors: {error}"
            ) from None
        pairs: Any = zip(tensors, self._flat_types)
        fit = all(t.shape.is_compatible_with(expected.shape) for t, expected in pairs)
        return tensors if fit else ShapeMismatch(tensors)

    def _structured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        bound = self.function_type.bind(*args, **kwargs).arguments
        return [
            tensor
            for name, _, type_ in self.function_type.typed
            for tensor in type_.to_tensors(type_.cast(bound[name], _VALUES_ONLY))
        ]

    def _flat(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        names, label = self.flat_names, f"{self.name}({', '.join(self.flat_names)})"
        if len(args) > len(names):
            raise TypeError(f"{label} takes {len(names)} positional arguments, got {len(args)}.")
        by_name = dict(zip(names, args))
        doubled = [name for name in kwargs if name in by_name]
        if doubled:
            raise TypeError(f"{label} got two values for {', '.join(doubled)}.")
        unexpected = sorted(set(kwargs) - set(names))
        if unexpected:
            raise TypeError(f"{label} got unexpected keyword arguments: {', '.join(unexpected)}.")
        by_name.update(kwargs)
        missing = [name for name in names if name not in by_name]
        if missing:
            raise TypeError(f"{label} missing required arguments: {', '.join(missing)}.")
        return [self._tensor(i, by_name[name], label) for i, name in enumerate(names)]

    def _tensor(self, index: int, value: Any, label: str) -> Any:
        expected: Any = self._flat_types[index]
        if isinstance(value, Variable):
            value = value.handle if expected.dtype.name == "resource" else value.value()
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{label}: argument #{index} must be a Tensor, received {type(value).__name__}: "
                f"{value}."
            )
        if value.dtype is not expected.dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"cannot compute {self.name} as input #{index}(zero-based) was expected to be a "
                f"{expected.dtype.name} tensor but is a {value.dtype.name} tensor",
            )
        # Eagerly, the kernels check this themselves.
        if tracing() and not value.shape.is_compatible_with(expected.shape):
            received = TensorSpec(value.shape, value.dtype)
            raise TypeError(f"{label}: Cannot convert {received} to {expected}")
        return value
