"""The fields of an extension type: what their annotations allow, and how values are converted.

An annotation is read once and becomes a `Kind`, which then converts values. The same kinds check
the fields of specs, where a spec stands in for every tensor, and the defaults of fields.
"""

from __future__ import annotations

import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Any, ForwardRef

from tapeflow._src.composite.extension_types.immutable_dict import ImmutableDict
from tapeflow._src.core import dispatch
from tapeflow._src.core.containers import WITH_COMPOSITES
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TypeSpec
from tapeflow._src.core.tensor import Tensor

# Attributes that the types and their specs use, and that others read from them.
_RESERVED = frozenset(
    {
        "self",
        "Spec",
        "_type_spec",
        "_shape_invariant_to_type_spec",
        "_consumers",
        "value_type",
        "is_compatible_with",
        "most_specific_compatible_type",
        "_with_tensor_ranks_only",
        "_to_components",
        "_from_components",
        "_component_specs",
        "_to_tensor_list",
        "_from_tensor_list",
        "_from_compatible_tensor_list",
        "_flat_tensor_specs",
        "_serialize",
        "_deserialize",
        "_to_legacy_output_types",
        "_to_legacy_output_shapes",
        "_to_legacy_output_classes",
        "_call_op",
        "_keras_mask",
    }
)
RESERVED_PREFIX = "_tf_extension_type"


def is_reserved(name: str) -> bool:
    """Whether no field may have that name."""
    return name in _RESERVED or name.lower().startswith(RESERVED_PREFIX)


class Context(Enum):
    """Whether values or specs are being converted."""

    VALUE = auto()
    SPEC = auto()
    DEFAULT = auto()


class NoDefault:
    """Stands for the default of a field that has none."""

    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT = NoDefault()


class Field:
    """One field: its name, what it may hold, and its default."""

    __slots__ = ("annotation", "default", "kind", "name")

    def __init__(self, name: str, annotation: Any, kind: Kind, default: Any) -> None:
        self.name = name
        self.annotation = annotation
        self.kind = kind
        self.default = default


def field(name: str, annotation: Any, default: Any) -> Field:
    """Return the field of that annotation; TypeError if it is none that is supported."""
    try:
        kind = kind_of(annotation)
    except TypeError as error:
        raise TypeError(f"In field {name!r}: {error}") from error
    if default is not NO_DEFAULT:
        default = kind.convert(default, f"default value for {name}", Context.DEFAULT)
    return Field(name, annotation, kind, default)


def converted(fields: Sequence[Field], values: dict[str, Any], context: Context) -> dict[str, Any]:
    """Convert `values` to what their fields hold, in order."""
    if len(values) != len(fields) or any(each.name not in values for each in fields):
        _explain_names({each.name for each in fields}, set(values))
    return {each.name: each.kind.convert(values[each.name], each.name, context) for each in fields}


def _explain_names(names: set[str], received: set[str]) -> None:
    if extra := received - names:
        raise ValueError(f"Got unexpected fields: {extra}")
    raise ValueError(f"Missing required fields: {names - received}")


# -- kinds ------------------------------------------------------------------------------------


class Kind(ABC):
    """A type that an annotation allows."""

    @abstractmethod
    def convert(self, value: Any, path: str, context: Context) -> Any:
        """Convert `value` to the type of the field.

        Raise TypeError, naming `path`, if it does not fit.

        TypeError, which names `path`, if it does not fit.
        """


def _type_error(path: str, expected: str, value: Any) -> TypeError:
    return TypeError(f"{path}: expected {expected}, got {type(value).__name__!r}")


class _TensorKind(Kind):
    """A tensor, or a value that becomes one."""

    def convert(self, value: Any, path: str, context: Context) -> Any:
        if context is Context.SPEC:
            if isinstance(value, TypeSpec) and issubclass(value.value_type, Tensor):
                return value
            raise _type_error(path, "a TensorSpec", value)
        # A default becomes a tensor where it is used: each graph has its own constant.
        if isinstance(value, Tensor) or context is Context.DEFAULT:
            return value
        try:
            return dispatch.convert(value)
        except (ValueError, TypeError) as error:
            raise _type_error(path, "a Tensor", value) from error


class _CompositeKind(Kind):
    """A value of a class that consists of tensors."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def convert(self, value: Any, path: str, context: Context) -> Any:
        name = self._cls.__name__
        if context is not Context.SPEC:
            if isinstance(value, self._cls):
                return value
            raise _type_error(path, repr(name), value)
        if isinstance(value, TypeSpec) and issubclass(value.value_type, self._cls):
            return value
        raise _type_error(path, f"a TypeSpec for {name!r}", value)


class _PlainKind(Kind):
    """A Python value of one class."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def convert(self, value: Any, path: str, context: Context) -> Any:
        if isinstance(value, self._cls):
            return value
        raise _type_error(path, repr(self._cls.__name__), value)


class _ShapeKind(Kind):
    """A shape, or what becomes one."""

    def convert(self, value: Any, path: str, context: Context) -> Any:
        try:
            return as_shape(value)
        except TypeError as error:
            raise _type_error(path, "'tf.TensorShape'", value) from error


class _DtypeKind(Kind):
    """A dtype, or what stands for one."""

    def convert(self, value: Any, path: str, context: Context) -> Any:
        try:
            return as_dtype(value)
        except TypeError as error:
            raise _type_error(path, "'tf.DType'", value) from error


class _SequenceKind(Kind):
    """Any number of values of one kind, stored as a tuple."""

    def __init__(self, item: Kind) -> None:
        self._item = item

    def convert(self, value: Any, path: str, context: Context) -> Any:
        if not isinstance(value, Sequence):
            raise _type_error(path, "tuple", value)
        return tuple(
            self._item.convert(item, f"{path}[{i}]", context) for i, item in enumerate(value)
        )


class _TupleKind(Kind):
    """A fixed number of values, each of its own kind."""

    def __init__(self, items: Sequence[Kind]) -> None:
        self._items = items

    def convert(self, value: Any, path: str, context: Context) -> Any:
        if not isinstance(value, Sequence):
            raise _type_error(path, "tuple", value)
        if len(value) != len(self._items):
            raise TypeError(
                f"{path}: expected tuple with length {len(self._items)}, got a "
                f"{type(value).__name__!r} with length {len(value)}"
            )
        pairs = zip(self._items, value)
        return tuple(
            kind.convert(item, f"{path}[{i}]", context) for i, (kind, item) in enumerate(pairs)
        )


class _MappingKind(Kind):
    """A mapping with keys of one kind and values of another."""

    def __init__(self, key: Kind, item: Kind) -> None:
        self._key = key
        self._item = item

    def convert(self, value: Any, path: str, context: Context) -> Any:
        if not isinstance(value, Mapping):
            raise _type_error(path, "mapping", value)
        return ImmutableDict(
            (
                self._key.convert(key, f"{path}[<key>]", context),
                self._item.convert(item, f"{path}[{key!r}]", context),
            )
            for key, item in value.items()
        )


class _UnionKind(Kind):
    """A value of the first of several kinds that it fits."""

    def __init__(self, annotation: Any, options: Sequence[Kind]) -> None:
        self._annotation = annotation
        self._options = options

    def convert(self, value: Any, path: str, context: Context) -> Any:
        for option in self._options:
            try:
                return option.convert(value, path, context)
            except TypeError:
                continue
        raise _type_error(path, repr(self._annotation), value)


class UnresolvedKind(Kind):
    """A name that is not yet defined: allowed when a class is created, not when a value is."""

    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation

    def convert(self, value: Any, path: str, context: Context) -> Any:
        raise TypeError(
            f"{path}: Unsupported type annotation {self._annotation!r}: that name is not defined."
        )


# -- from annotations to kinds ----------------------------------------------------------------

_PLAIN = (int, float, str, bytes, bool, type(None))
_UNIONS = (typing.Union, types.UnionType)


def kind_of(annotation: Any, in_key: bool = False) -> Kind:
    """Return the `Kind` of an annotation; raise TypeError if it is not supported.

    in_key: it stands in the key of a mapping, where nothing may consist of tensors.
    """
    if isinstance(annotation, (str, ForwardRef)):
        return UnresolvedKind(annotation)
    if annotation is None:
        return _PlainKind(type(None))
    origin = typing.get_origin(annotation)
    if origin is None and isinstance(annotation, type):
        return _kind_of_class(annotation, in_key)
    arguments = typing.get_args(annotation)
    if origin is tuple and annotation is not tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return _SequenceKind(kind_of(arguments[0], in_key))
        if arguments or annotation == tuple[()]:
            return _TupleKind([kind_of(each, in_key) for each in arguments])
    if origin in _UNIONS:
        return _UnionKind(annotation, [kind_of(each, in_key) for each in arguments])
    if origin is Mapping and len(arguments) == 2:
        return _MappingKind(kind_of(arguments[0], True), kind_of(arguments[1], in_key))
    raise TypeError(f"Unsupported type annotation {annotation!r}")


def _kind_of_class(cls: type, in_key: bool) -> Kind:
    if cls in _PLAIN:
        return _PlainKind(cls)
    if cls is DType:
        return _DtypeKind()
    kind: Kind | None = None
    if cls is TensorShape:
        kind = _ShapeKind()
    elif cls is Tensor:
        kind = _TensorKind()
    elif is_composite_class(cls):
        kind = _CompositeKind(cls)
    if kind is None:
        raise TypeError(f"Unsupported type annotation {cls.__name__!r}")
    if in_key:
        raise TypeError(f"Mapping had a key {cls.__name__!r} with type {type(cls).__name__!r}")
    return kind


def is_composite_class(cls: type) -> bool:
    """Whether values of a class are expanded into tensors."""
    container = WITH_COMPOSITES[cls]
    return container is not None and container.compatible is not None
