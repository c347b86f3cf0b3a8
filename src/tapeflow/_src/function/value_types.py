"""From a value to its trace type.

Every class is examined once, and the result cached; a value is then one lookup and one call away
from its type.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from enum import Enum, auto
from types import MethodType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.trace_type import TraceType, TracingContext
from tapeflow._src.eager.variable import Variable
from tapeflow._src.function.trace_types import (
    CustomNest,
    Dict,
    List,
    Literal,
    Record,
    Tuple,
    Weakref,
)
from tapeflow._src.function.variable_type import type_of_variable


class Kind(Enum):
    """How values of a class are treated as arguments of a function."""

    TENSOR = auto()
    VARIABLE = auto()
    LITERAL = auto()
    ARRAY = auto()
    ARRAY_LIKE = auto()
    SAYS_ITSELF = auto()
    COMPOSITE = auto()
    LIST = auto()
    TUPLE = auto()
    NAMED_TUPLE = auto()
    MAPPING = auto()
    ATTRS = auto()
    CUSTOM = auto()
    METHOD = auto()
    OBJECT = auto()


_LITERALS = (str, bytes, bool, int, float, complex, type(None), type(...), range)
_BY_BASE: tuple[tuple[Any, Kind], ...] = (
    (Tensor, Kind.TENSOR),
    (Variable, Kind.VARIABLE),
    ((np.dtype, np.str_, np.bytes_), Kind.LITERAL),
    ((np.ndarray, np.generic), Kind.ARRAY),
)
_CONTAINERS: tuple[tuple[Any, Kind], ...] = (
    (list, Kind.LIST),
    (tuple, Kind.TUPLE),
    (Mapping, Kind.MAPPING),
)


def _classify(cls: type) -> Kind:
    if hasattr(cls, "__tf_tracing_type__"):
        return Kind.SAYS_ITSELF
    if cls in _LITERALS:
        return Kind.LITERAL
    for base, kind in _BY_BASE:
        if issubclass(cls, base):
            return kind
    if hasattr(cls, "_type_spec"):
        return Kind.COMPOSITE
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return Kind.NAMED_TUPLE
    for base, kind in _CONTAINERS:
        if issubclass(cls, base):
            return kind
    return _judge_object(cls)


def _judge_object(cls: type) -> Kind:
    """Return the kind of objects whose class is no container."""
    if hasattr(cls, "__attrs_attrs__"):
        return Kind.ATTRS
    if hasattr(cls, "__array__"):
        return Kind.ARRAY_LIKE
    if hasattr(cls, "__tf_flatten__") and hasattr(cls, "__tf_unflatten__"):
        return Kind.CUSTOM
    if issubclass(cls, MethodType):
        return Kind.METHOD
    return Kind.OBJECT if cls.__weakrefoffset__ else Kind.LITERAL


class _Kinds(dict[type, Kind]):
    """Class -> kind; filled lazily."""

    # Dynamically created classes must not be kept alive.
    CAPACITY = 4096

    def __missing__(self, cls: type) -> Kind:
        if len(self) >= self.CAPACITY:
            self.clear()
        kind = self[cls] = _classify(cls)
        return kind


KINDS = _Kinds()


def from_value(value: Any, context: TracingContext | None = None) -> TraceType:
    """Return the trace type of `value` as an argument of a call."""
    return _RULES[KINDS[type(value)]](value, TracingContext() if context is None else context)


def attrs_fields(cls: Any) -> list[str]:
    """Return the names of the fields of an attrs class."""
    return [attribute.name for attribute in cls.__attrs_attrs__]


def _tensor(value: Any, context: TracingContext) -> TraceType:
    return TensorSpec(value.shape, value.dtype)


def _array(value: Any, context: TracingContext) -> TraceType:
    return TensorSpec(TensorShape._from_tuple(value.shape), as_dtype(value.dtype))


def _array_like(value: Any, context: TracingContext) -> TraceType:
    return _array(np.asarray(value), context)


def _from_protocol(value: Any, context: TracingContext) -> TraceType:
    trace_type = value.__tf_tracing_type__(context)
    if not isinstance(trace_type, TraceType):
        raise TypeError(
            f"__tf_tracing_type__ of {value!r} must return a TraceType, received {trace_type!r}."
        )
    return trace_type


def _composite(value: Any, context: TracingContext) -> TraceType:
    spec: TraceType = value._type_spec
    return spec


def _list(value: Any, context: TracingContext) -> TraceType:
    return List(from_value(item, context) for item in value)


def _tuple(value: Any, context: TracingContext) -> TraceType:
    return Tuple(from_value(item, context) for item in value)


def _named_tuple(value: Any, context: TracingContext) -> TraceType:
    return Record(type(value), value._fields, [from_value(item, context) for item in value])


def _mapping(value: Any, context: TracingContext) -> TraceType:
    return Dict({key: from_value(item, context) for key, item in value.items()}, type(value))


def _attrs(value: Any, context: TracingContext) -> TraceType:
    names = attrs_fields(type(value))
    fields = [from_value(getattr(value, name), context) for name in names]
    return Record(type(value), names, fields)


def _custom(value: Any, context: TracingContext) -> TraceType:
    metadata, children = value.__tf_flatten__()
    return CustomNest(type(value), metadata, [from_value(child, context) for child in children])


def _literal(value: Any, context: TracingContext) -> TraceType:
    if isinstance(value, weakref.ref):
        raise TypeError(
            f"A weak reference cannot be an argument of tf.function: {value}. Pass the object "
            "itself."
        )
    try:
        return Literal(value)
    except TypeError:
        raise _no_type(value) from None


def _method(value: Any, context: TracingContext) -> TraceType:
    # A bound method is created at each access: the type lives as long as the object does.
    try:
        return Weakref(weakref.WeakMethod(value, context.on_death))
    except TypeError:
        raise _no_type(value) from None


def _object(value: Any, context: TracingContext) -> TraceType:
    try:
        return Weakref(weakref.ref(value, context.on_death))
    except TypeError:
        raise _no_type(value) from None


def _no_type(value: Any) -> TypeError:
    return TypeError(
        f"{value!r} cannot be an argument of tf.function: it must be hashable, so that its trace "
        "can be found again, or implement the tracing protocol: a method "
        "`__tf_tracing_type__(self, context)` that returns a tf.types.experimental.TraceType."
    )


_RULES: dict[Kind, Callable[[Any, TracingContext], TraceType]] = {
    Kind.TENSOR: _tensor,
    Kind.VARIABLE: type_of_variable,
    Kind.LITERAL: _literal,
    Kind.ARRAY: _array,
    Kind.ARRAY_LIKE: _array_like,
    Kind.SAYS_ITSELF: _from_protocol,
    Kind.COMPOSITE: _composite,
    Kind.LIST: _list,
    Kind.TUPLE: _tuple,
    Kind.NAMED_TUPLE: _named_tuple,
    Kind.MAPPING: _mapping,
    Kind.ATTRS: _attrs,
    Kind.CUSTOM: _custom,
    Kind.METHOD: _method,
    Kind.OBJECT: _object,
}
