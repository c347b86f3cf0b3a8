"""Why a function was retraced: the argument that changed, from what to what, and the repair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from tapeflow._src.core.log import logger
from tapeflow._src.core.source import Location
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.trace_type import TraceType
from tapeflow._src.function.function_type import FunctionType
from tapeflow._src.function.trace_types import Literal, Structure, Weakref
from tapeflow._src.function.variable_type import VariableSpec

# The number of recent traces that a new one is compared with.
_COMPARED = 16


def explain(request: FunctionType, previous: Sequence[FunctionType]) -> str | None:
    """Explain in one line why no existing trace serves the request; None if there is no trace.

    The comparison is with the trace that differs in the fewest arguments, the latest of them.
    """
    if not previous:
        return None
    nearest = min(reversed(previous[-_COMPARED:]), key=lambda other: _distance(other, request))
    return " | ".join(_differences(nearest, request))


def _distance(old: FunctionType, new: FunctionType) -> int:
    """Return the number of arguments that differ."""
    before, after = dict(_by_name(old)), dict(_by_name(new))
    both = before.keys() & after.keys()
    differing = sum(not after[name].is_subtype_of(before[name]) for name in both)
    return differing + len(before.keys() ^ after.keys())


def _differences(old: FunctionType, new: FunctionType) -> Iterator[str]:
    before, after = dict(_by_name(old)), dict(_by_name(new))
    for name in before.keys() - after.keys():
        yield f"argument `{name}`: no longer given"
    for name, type_ in after.items():
        if name not in before:
            yield f"argument `{name}`: given for the first time"
        elif not type_.is_subtype_of(before[name]):
            yield from _changes(name, before[name], type_, new)


def _by_name(function_type: FunctionType) -> list[tuple[str, TraceType]]:
    return [(name, type_) for name, _, type_ in function_type.typed]


def _changes(path: str, old: TraceType, new: TraceType, whole: FunctionType) -> Iterator[str]:
    """Describe what differs between two types, one line per argument or component."""
    if isinstance(old, Structure) and isinstance(new, Structure) and old._alike(new):
        parts = zip(new.paths(), old.components, new.components)
        for step, before, after in parts:
            if not after.is_subtype_of(before):
                yield from _changes(path + step, before, after, whole)
    else:
        change, repair = _describe_change(path, old, new, whole)
        yield f"argument `{path}`: {change}; {repair}"


def _describe_change(
    path: str, old: TraceType, new: TraceType, whole: FunctionType
) -> tuple[str, str]:
    if isinstance(old, TensorSpec) and isinstance(new, TensorSpec):
        return _tensor_change(path, old, new, whole)
    if isinstance(old, Literal) and isinstance(new, Literal):
        change = f"Python value {old.value!r} -> {new.value!r}"
        return change, _literal_repair(new.value)
    if isinstance(old, VariableSpec) and isinstance(new, VariableSpec):
        if (old.shape, old.dtype) == (new.shape, new.dtype):
            return (
                "another pattern of variables",
                "a variable passed twice has a trace of its own, as has one not trained",
            )
        change = f"variable of {old.dtype.name}{old.shape} -> {new.dtype.name}{new.shape}"
        return change, "pass reduce_retracing=True if only the shape differs"
    if isinstance(old, Weakref) and isinstance(new, Weakref):
        return (
            "another object",
            "objects are compared by identity: pass the same one again, or define "
            "`__tf_tracing_type__` in its class",
        )
    if isinstance(old, Literal) and isinstance(new, TypeSpec):
        return f"Python value {old.value!r} -> {new}", "pass a tensor each time"
    if isinstance(old, TypeSpec) and isinstance(new, Literal):
        return f"{old} -> Python value {new.value!r}", _literal_repair(new.value)
    return f"{old} -> {new}", "pass the same structure each time"


def _tensor_change(
    path: str, old: TensorSpec, new: TensorSpec, whole: FunctionType
) -> tuple[str, str]:
    if old.dtype is not new.dtype:
        change = f"dtype {old.dtype.name} -> {new.dtype.name}"
        return change, f"cast it before the call: tf.cast({path}, tf.{old.dtype.name})"
    if old.shape == new.shape:
        return f"name {old.name!r} -> {new.name!r}", "give the spec the same name"
    change = f"shape {old.shape} -> {new.shape}"
    common = old.shape.most_specific_common_supertype([new.shape])
    return change, f"{_signature_repair(path, new, common, whole)} or reduce_retracing=True"


def _signature_repair(path: str, new: TensorSpec, shape: Any, whole: FunctionType) -> str:
    """Return the `input_signature` that would have served both, if there is one."""
    relaxed = spec_text(shape, new.dtype.name)
    parts = []
    for name, type_ in _by_name(whole):
        if name == path:
            parts.append(relaxed)
        elif isinstance(type_, TensorSpec):
            parts.append(spec_text(type_.shape, type_.dtype.name))
        elif isinstance(type_, Literal):
            break  # a value with a default needs no spec, and nothing after it does
        else:
            return f"relax it to {relaxed} in an input_signature"
    return f"pass input_signature=[{', '.join(parts)}]"


def spec_text(shape: Any, dtype: str) -> str:
    """Return the code of a tf.TensorSpec."""
    sizes = None if shape.rank is None else shape.as_list()
    return f"tf.TensorSpec({sizes}, tf.{dtype})"


def _literal_repair(value: Any) -> str:
    if isinstance(value, (int, float, complex)) and not isinstance(value, bool):
        return f"pass a tensor: tf.constant({value!r})"
    return "each Python value has a trace of its own"


class Detector:
    """Counts calls and traces of one code object, and warns when most calls retrace."""

    WINDOW = 50
    THRESHOLD = 5
    WARNINGS = 2

    __slots__ = ("__weakref__", "_calls", "_warned")

    def __init__(self) -> None:
        # For each trace, the number of calls from it up to the next.
        self._calls: list[int] = []
        self._warned = 0

    def traced(self, function: Any, calls_between: int, reason: str | None) -> None:
        """Count a trace that follows this many calls without one."""
        if self._calls:
            self._calls[-1] += calls_between
        self._calls.append(1)
        while sum(self._calls) - self._calls[0] > self.WINDOW:
            self._calls.pop(0)
        if len(self._calls) < self.THRESHOLD or self._warned >= self.WARNINGS:
            return
        self._warned += 1
        logger.warning(
            "%d of the last %d calls of %s%s were traced again (retracing). Tracing is expensive: "
            "a function should be traced once and called often. %s",
            len(self._calls),
            sum(self._calls),
            function,
            _definition(function),
            _cause(reason),
        )


def _cause(reason: str | None) -> str:
    if reason is None:
        return (
            "Each of these calls was the first of a new tf.function: make the function once, "
            "outside of the loop."
        )
    return f"What changed last: {reason}"


def _definition(function: Any) -> str:
    """Return where a function is defined; the logger adds where it is being called."""
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    return f", defined at {Location(code.co_filename, code.co_firstlineno, '').short()},"


_detectors: WeakKeyDictionary[Any, Detector] = WeakKeyDictionary()


def detector_for(function: Any) -> Detector:
    """Return the detector of the function's code object, shared by all functions of that code."""
    code = getattr(function, "__code__", None)
    if code is None:
        return Detector()
    return _detectors.setdefault(code, Detector())
