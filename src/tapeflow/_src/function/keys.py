"""The cache key of a call, computed directly from its arguments.

Trace types decide which trace a call uses; computing them takes longer than running a small graph.
So a call is first looked up by a key of plain hashable things (dtypes, shapes, classes, values),
gathered in one traversal that also collects the tensors. Equal keys have equal types. A class
precedes its contents, so that keys of different structure differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any
from weakref import WeakMethod, ref

from tapeflow._src.core import dispatch
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.function.trace_types import in_order
from tapeflow._src.function.value_types import KINDS, Kind, attrs_fields, from_value

Walk = Callable[[Any, list[Any], list[Any]], None]


def gather(values: Iterable[Any], key: list[Any], flat: list[Any]) -> None:
    """Append the parts of `values` to a call's key, and their tensors in order."""
    for value in values:
        if type(value) is EagerTensor:
            array = value._array
            key.append(array.dtype)
            key.append(array.shape)
            flat.append(value)
        else:
            WALKS[type(value)](value, key, flat)


def _tensor(value: Any, key: list[Any], flat: list[Any]) -> None:
    key.append(value.dtype)
    key.append(value.static_shape)
    flat.append(value)


def _variable(value: Any, key: list[Any], flat: list[Any]) -> None:
    if dispatch.state.recorders:
        dispatch.variable_accessed(value)
    handle = value.handle
    before = [index for index, tensor in enumerate(flat) if tensor is handle]
    key += (type(value), value.dtype, value.static_shape, value.trainable, *before[:1])
    flat.append(handle)


def _literal(value: Any, key: list[Any], flat: list[Any]) -> None:
    key.append(type(value))
    key.append(value)


def _array(value: Any, key: list[Any], flat: list[Any]) -> None:
    _tensor(dispatch.convert(value), key, flat)


def _typed(value: Any, key: list[Any], flat: list[Any]) -> None:
    trace_type = from_value(value)
    key.append(trace_type)
    flat += trace_type.to_tensors(value)


def _sequence(value: Any, key: list[Any], flat: list[Any]) -> None:
    key.append(type(value))
    key.append(len(value))
    gather(value, key, flat)


def _mapping(value: Any, key: list[Any], flat: list[Any]) -> None:
    names = in_order(value)
    key.append(type(value))
    key.append(tuple(names))
    gather([value[name] for name in names], key, flat)


def _attrs(value: Any, key: list[Any], flat: list[Any]) -> None:
    key.append(type(value))
    gather([getattr(value, name) for name in attrs_fields(type(value))], key, flat)


def _method(value: Any, key: list[Any], flat: list[Any]) -> None:
    key.append(MethodType)
    key.append(WeakMethod(value))


def _object(value: Any, key: list[Any], flat: list[Any]) -> None:
    # Weak references are equal if both objects live and are equal: an address may be reused.
    key.append(type(value))
    key.append(ref(value))


_BY_KIND: dict[Kind, Walk] = {
    Kind.TENSOR: _tensor,
    Kind.VARIABLE: _variable,
    Kind.LITERAL: _literal,
    Kind.ARRAY: _array,
    Kind.ARRAY_LIKE: _array,
    Kind.SAYS_ITSELF: _typed,
    Kind.COMPOSITE: _typed,
    Kind.LIST: _sequence,
    Kind.TUPLE: _sequence,
    Kind.NAMED_TUPLE: _sequence,
    Kind.MAPPING: _mapping,
    Kind.ATTRS: _attrs,
    Kind.CUSTOM: _typed,
    Kind.METHOD: _method,
    Kind.OBJECT: _object,
}


class _Traversals(dict[type, Walk]):
    """Class -> traversal; filled lazily."""

    CAPACITY = 4096

    def __missing__(self, cls: type) -> Walk:
        if len(self) >= self.CAPACITY:
            self.clear()
        walk = self[cls] = _BY_KIND[KINDS[cls]]
        return walk


WALKS = _Traversals()
