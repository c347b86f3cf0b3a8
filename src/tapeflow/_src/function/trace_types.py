"""The trace types of plain Python values: literals, objects, and containers of other types.

Tensors and composites have specs as their types (`core.spec`), variables theirs
(`function.variable_type`); this file has the types of everything else. A container's type can take
values apart and rebuild them, in one way for all kinds of containers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from tapeflow._src.core.trace_type import TraceType


class Literal(TraceType):
    """A Python value, identified by its class and value: 1, 1.0 and True are three types."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        # Two NaNs are the same literal, though they are not equal.
        self._hash = hash((type(value), value if value == value else "nan"))

    def is_subtype_of(self, other: TraceType) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Return the value itself: it becomes a constant of the graph."""
        return self.value

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Return the value, which must be this one."""
        if type(value) is type(self.value) and self == Literal(value):
            return value
        raise TypeError(f"Cannot convert {value!r} to {self}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not Literal:
            return NotImplemented
        value, other_value = self.value, other.value
        if type(value) is not type(other_value):
            return False
        return bool(value == other_value) or (value != value and other_value != other_value)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


class Weakref(TraceType):
    """An object, identified by identity or, where its class defines that, by equality.

    It is not kept alive. A dead object equals nothing but itself: a new object at the same address
    is another type.
    """

    __slots__ = ("_hash", "_ref")

    def __init__(self, ref: Callable[[], Any]) -> None:
        self._ref = ref
        self._hash = hash(ref)

    def is_subtype_of(self, other: TraceType) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Return the object itself."""
        value = self._ref()
        if value is None:
            raise TypeError("An object that the function was to be traced with is no longer alive.")
        return value

    @property
    def dead(self) -> bool:
        return self._ref() is None

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Return the value, which must be this object or equal to it."""
        referent = self._ref()
        if referent is value or (type(referent) is type(value) and bool(referent == value)):
            return value
        raise TypeError(f"Cannot convert {value!r} to {self}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not Weakref:
            return NotImplemented
        if self._ref is other._ref:
            return True
        referent, other_referent = self._ref(), other._ref()
        if referent is None or other_referent is None or type(referent) is not type(other_referent):
            return False
        return referent is other_referent or bool(referent == other_referent)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Weakref[{self._ref!r}]"


class Structure(TraceType):
    """A container: `components` are the types of its contents, in the order of flattening."""

    __slots__ = ("_hash", "components")

    def __init__(self, components: Iterable[TraceType]) -> None:
        self.components = tuple(components)
        self._hash = hash((self._family(), self.components))

    @abstractmethod
    def _family(self) -> Any:
        """Return what two containers must have in common, besides their components."""

    @abstractmethod
    def _children(self, value: Any) -> Sequence[Any]:
        """Return the contents of `value`, in the order of `components`; TypeError if it differs."""

    @abstractmethod
    def _packed(self, children: Sequence[Any]) -> Any:
        """Return the container of `children`."""

    @abstractmethod
    def _with(self, components: Sequence[TraceType]) -> Self:
        """Return the same container with other component types."""

    def paths(self) -> list[str]:
        """Return how to reach each component in Python: `[0]`, `['key']` or `.field`."""
        return [f"[{index}]" for index in range(len(self.components))]

    def keys(self) -> list[str]:
        """Return the name of each component: its index, key or field."""
        return [str(index) for index in range(len(self.components))]

    def _alike(self, other: Any) -> bool:
        return (
            isinstance(other, Structure)
            and self._family() == other._family()
            and len(self.components) == len(other.components)
        )

    def is_subtype_of(self, other: TraceType) -> bool:
        return self._alike(other) and all(
            component.is_subtype_of(other_component)
            for component, other_component in zip(self.components, other.components)  # type: ignore[attr-defined]
        )

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        if not all(self._alike(other) for other in others):
            return None
        merged = []
        for index, component in enumerate(self.components):
            counterparts = [other.components[index] for other in others]  # type: ignore[attr-defined]
            common = component.most_specific_common_supertype(counterparts)
            if common is None:
                return None
            merged.append(common)
        return self._with(merged)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return self._packed([c.placeholder_value(placeholder_context) for c in self.components])

    def to_tensors(self, value: Any) -> list[Any]:
        children = self._children(value)
        pairs = zip(self.components, children, strict=True)
        return [tensor for type_, child in pairs for tensor in type_.to_tensors(child)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        return self._packed([c.from_tensors(tensors) for c in self.components])

    def flatten(self) -> list[TraceType]:
        return [leaf for component in self.components for leaf in component.flatten()]

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Return a container like this one with the contents of `value`, each cast to its type."""
        children = self._children(value)
        if len(children) != len(self.components):
            raise TypeError(
                f"Expected {len(self.components)} values for {self}, got {len(children)}: {value!r}"
            )
        return self._packed([t.cast(c, cast_context) for t, c in zip(self.components, children)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Structure):
            return NotImplemented
        return self._family() == other._family() and self.components == other.components

    def __hash__(self) -> int:
        return self._hash


class List(Structure):
    """A list; subclasses count as lists."""

    __slots__ = ()

    def _family(self) -> Any:
        return list

    def _children(self, value: Any) -> Sequence[Any]:
        if not isinstance(value, list):
            raise TypeError(f"Cannot convert {value!r} to list type.")
        return value

    def _packed(self, children: Sequence[Any]) -> Any:
        return list(children)

    def _with(self, components: Sequence[TraceType]) -> List:
        return List(components)

    def __repr__(self) -> str:
        return f"List[{', '.join(map(repr, self.components))}]"


class Tuple(Structure):
    """A tuple without names; subclasses count as tuples."""

    __slots__ = ()

    def _family(self) -> Any:
        return tuple

    def _children(self, value: Any) -> Sequence[Any]:
        if not isinstance(value, tuple):
            raise TypeError(f"Cannot convert {value!r} to tuple type.")
        return value

    def _packed(self, children: Sequence[Any]) -> Any:
        return tuple(children)

    def _with(self, components: Sequence[TraceType]) -> Tuple:
        return Tuple(components)

    def __repr__(self) -> str:
        return f"Tuple[{', '.join(map(repr, self.components))}]"


class Record(Structure):
    """A named tuple or an object of an attrs class: fields of a fixed class."""

    __slots__ = ("cls", "names")

    def __init__(self, cls: type, names: Sequence[str], components: Iterable[TraceType]) -> None:
        self.cls = cls
        self.names = tuple(names)
        super().__init__(components)

    def _family(self) -> Any:
        return self.cls.__name__, self.names

    def paths(self) -> list[str]:
        return [f".{name}" for name in self.names]

    def keys(self) -> list[str]:
        return list(self.names)

    def _children(self, value: Any) -> Sequence[Any]:
        if type(value).__name__ != self.cls.__name__:
            raise TypeError(f"Cannot convert {value!r} to type {self.cls.__name__}.")
        return [getattr(value, name) for name in self.names]

    def _packed(self, children: Sequence[Any]) -> Any:
        return self.cls(*children)

    def _with(self, components: Sequence[TraceType]) -> Record:
        return Record(self.cls, self.names, components)

    def __repr__(self) -> str:
        fields = (f"[{name!r}, {type_!r}]" for name, type_ in zip(self.names, self.components))
        return f"{self.cls.__name__}[{', '.join(fields)}]"


class Dict(Structure):
    """A mapping. Neither its class nor the order of its keys matters; the first seen are used."""

    __slots__ = ("_order", "cls", "sorted_keys")

    def __init__(self, mapping: Mapping[Any, TraceType], cls: type = dict) -> None:
        self._order = tuple(mapping)
        self.cls = cls
        self.sorted_keys = tuple(in_order(mapping))
        super().__init__(mapping[key] for key in self.sorted_keys)

    def _family(self) -> Any:
        return dict, frozenset(self._order)

    def paths(self) -> list[str]:
        return [f"[{key!r}]" for key in self.sorted_keys]

    def keys(self) -> list[str]:
        return [str(key) for key in self.sorted_keys]

    def _children(self, value: Any) -> Sequence[Any]:
        if not isinstance(value, Mapping):
            raise TypeError(f"Expected a dict, received {value!r}.")
        if value.keys() != set(self._order):
            raise TypeError(f"{value!r} has different keys with the TraceType {self!r}.")
        return [value[key] for key in self.sorted_keys]

    def _by_key(self) -> dict[Any, TraceType]:
        types = dict(zip(self.sorted_keys, self.components))
        return {key: types[key] for key in self._order}

    def _packed(self, children: Sequence[Any]) -> Any:
        values = dict(zip(self.sorted_keys, children))
        ordered = {key: values[key] for key in self._order}
        return ordered if self.cls in (dict, defaultdict) else self.cls(ordered)

    def _with(self, components: Sequence[TraceType]) -> Dict:
        types = dict(zip(self.sorted_keys, components))
        return Dict({key: types[key] for key in self._order}, self.cls)

    def __repr__(self) -> str:
        pairs = (f"[{key!r}, {type_!r}]" for key, type_ in self._by_key().items())
        return f"Dict[{', '.join(pairs)}]"


class CustomNest(Structure):
    """An object that defines its components by `__tf_flatten__` and `__tf_unflatten__`."""

    __slots__ = ("cls", "metadata")

    def __init__(self, cls: Any, metadata: Any, components: Iterable[TraceType]) -> None:
        self.cls = cls
        self.metadata = metadata
        super().__init__(components)

    def _family(self) -> Any:
        return self.cls, repr(self.metadata)

    def _children(self, value: Any) -> Sequence[Any]:
        if type(value) is not self.cls:
            raise TypeError(f"[{value!r}] is not an instance of type [{self.cls}].")
        metadata, children = value.__tf_flatten__()
        if metadata != self.metadata:
            raise TypeError(f"Mismatch of metadata between {value!r} and {self}.")
        return tuple(children)

    def _packed(self, children: Sequence[Any]) -> Any:
        return self.cls.__tf_unflatten__(self.metadata, tuple(children))

    def _with(self, components: Sequence[TraceType]) -> CustomNest:
        return CustomNest(self.cls, self.metadata, components)

    def __repr__(self) -> str:
        return f"{type(self).__name__} [metadata={self.metadata!r}, value={self.components!r}]"


def in_order(mapping: Mapping[Any, Any]) -> list[Any]:
    """Return the keys in the order of flattening: sorted, or as they are if they cannot be."""
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)
