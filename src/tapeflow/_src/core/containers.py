"""The container types of nested structures, and how each is flattened and rebuilt.

Every type is classified once, by type alone, and cached: a traversal costs one dictionary lookup
per value. Knows nothing of traversals (see `nest`) and nothing of tensors: composites such as
ragged tensors register themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, MappingView, MutableMapping
from collections.abc import Sequence as AbstractSequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Steps: TypeAlias = Iterable[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Container:
    """How one type of container is flattened and rebuilt."""

    children: Callable[[Any], Iterable[Any]]
    rebuild: Callable[[Any, list[Any]], Any]
    """Given a container to imitate and new children in the order of `children`."""
    steps: Callable[[Any], Steps]
    """Return the path step to each child."""
    family: Any
    """Containers of one family are interchangeable where types are checked."""
    mapping: bool = False
    compatible: Callable[[Any, Any], bool] | None = None
    """For composites: whether two of them have the same structure inside."""
    describes: bool = False
    """Whether it is what describes a composite: it may stand for one in a structure."""


class ContainerTable(dict[type, Container | None]):
    """Type -> its `Container`, or None for a leaf; filled lazily."""

    # Dynamically created types (named tuples in a loop) must not be kept alive.
    CAPACITY = 4096

    def __init__(self, classify: Callable[[type], Container | None]) -> None:
        super().__init__()
        self._classify = classify

    def __missing__(self, cls: type) -> Container | None:
        container = self._classify(cls)
        if len(self) >= self.CAPACITY:
            self.clear()
        self[cls] = container
        return container


def sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """Return the keys in the order of flattening, whatever their insertion order."""
    try:
        return sorted(mapping)
    except TypeError as error:
        raise _unsortable(mapping, error) from error


def register_composite(
    cls: type,
    flatten: Callable[[Any], Iterable[Any]],
    unflatten: Callable[[Any, list[Any]], Any],
    compatible: Callable[[Any, Any], bool] | None = None,
    *,
    describes: bool = False,
) -> None:
    """Register `cls` and its subclasses for `expand_composites=True`.

    `flatten(value)` returns the components, `unflatten(value, components)` a new value like the old
    one. `compatible(first, second)` compares the structure of two composites; the default compares
    their types. `describes`: a `cls` is no composite, but describes one; its `compatible` is used
    for composites as well, and `unflatten` builds one.
    """
    if not isinstance(cls, type):
        raise TypeError(f"register_composite: expected a class, received {cls!r}")
    _composites[cls] = (flatten, unflatten, compatible or _same_type, describes)
    WITH_COMPOSITES.clear()


_Composite: TypeAlias = tuple[
    Callable[[Any], Iterable[Any]],
    Callable[[Any, list[Any]], Any],
    Callable[[Any, Any], bool],
    bool,
]
_composites: dict[type, _Composite] = {}


def _unsortable(mapping: Mapping[Any, Any], cause: TypeError) -> TypeError:
    return TypeError(
        f"nest: the keys of a {type(mapping).__name__} must be sortable to fix the order of its "
        f"values, received {list(mapping)}: {cause}"
    )


def _same_type(first: Any, second: Any) -> bool:
    return type(first) is type(second)


def _indices(value: Any) -> Steps:
    return ((index,) for index in range(len(value)))


def _sorted_values(mapping: Mapping[Any, Any]) -> Iterable[Any]:
    try:
        return map(mapping.__getitem__, sorted(mapping))
    except TypeError as error:
        raise _unsortable(mapping, error) from error


def _sorted_steps(mapping: Mapping[Any, Any]) -> Steps:
    return ((key,) for key in sorted_keys(mapping))


def _rebuild_dict(like: dict[Any, Any], children: list[Any]) -> dict[Any, Any]:
    rebuilt = dict.fromkeys(like)  # keeps the original order of the keys
    rebuilt.update(zip(sorted_keys(like), children))
    return rebuilt


def _rebuild_mutable_mapping(like: Any, children: list[Any]) -> Any:
    values = dict(zip(sorted_keys(like), children))
    is_defaultdict = type(like) is defaultdict
    rebuilt = defaultdict(like.default_factory) if is_defaultdict else type(like)()
    for key in like:
        rebuilt[key] = values[key]
    return rebuilt


def _rebuild_mapping(like: Any, children: list[Any]) -> Any:
    values = dict(zip(sorted_keys(like), children))
    try:
        return type(like)((key, values[key]) for key in like)
    except TypeError as error:
        raise TypeError(
            f"nest: cannot create a {type(like).__name__} like {like}: an immutable mapping must "
            f"be constructible from an iterable of key-value pairs. Cause: {error}"
        ) from error


def _mapping(cls: type, rebuild: Callable[[Any, list[Any]], Any]) -> Container:
    return Container(_sorted_values, rebuild, _sorted_steps, Mapping, mapping=True)


def _named_tuple(cls: type) -> Container:
    fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
    steps = [(field,) for field in fields]
    return Container(
        iter,
        lambda like, children: cls(*children),
        lambda value: steps,
        family=(cls.__name__, fields),
    )


def _attrs(cls: type) -> Container:
    names = [attribute.name for attribute in cls.__attrs_attrs__]  # type: ignore[attr-defined]
    steps = [(name,) for name in names]
    return Container(
        lambda value: [getattr(value, name) for name in names],
        lambda like, children: cls(*children),
        lambda value: steps,
        family=cls,
    )


def _custom(cls: type) -> Container:
    """Return the container of a class with `__tf_flatten__` and `__tf_unflatten__`."""

    def components(value: Any) -> tuple[Any, ...]:
        return tuple(value.__tf_flatten__()[1])

    def rebuild(like: Any, children: list[Any]) -> Any:
        metadata, _ = like.__tf_flatten__()
        return cls.__tf_unflatten__(metadata, tuple(children))  # type: ignore[attr-defined]

    return Container(components, rebuild, lambda value: _indices(components(value)), family=cls)


def _composite(cls: type, entry: _Composite) -> Container:
    flatten, unflatten, compatible, describes = entry

    def steps(value: Any) -> Steps:
        return ((cls.__name__, index) for index, _ in enumerate(flatten(value)))

    return Container(
        flatten, unflatten, steps, family=cls, compatible=compatible, describes=describes
    )


def _as_list(like: Any, children: list[Any]) -> list[Any]:
    return children


def _sequence(cls: type) -> Container:
    if cls is list or cls is range:
        rebuild: Callable[[Any, list[Any]], Any] = _as_list
    else:
        rebuild = lambda like, children: cls(children)  # noqa: E731
    return Container(iter, rebuild, _indices, family=list if issubclass(cls, list) else cls)


def _is_named_tuple(cls: type) -> bool:
    fields = getattr(cls, "_fields", None)
    return (
        issubclass(cls, tuple)
        and isinstance(fields, tuple)
        and all(isinstance(field, str) for field in fields)
    )


def _classify(cls: type) -> Container | None:
    if issubclass(cls, str | bytes):
        return None
    if cls is dict:
        return _mapping(cls, _rebuild_dict)
    if issubclass(cls, MutableMapping):
        return _mapping(cls, _rebuild_mutable_mapping)
    if issubclass(cls, Mapping):
        return _mapping(cls, _rebuild_mapping)
    if _is_named_tuple(cls):
        return _named_tuple(cls)
    if issubclass(cls, MappingView):
        return Container(iter, _as_list, _indices, family=cls)
    if hasattr(cls, "__attrs_attrs__"):
        return _attrs(cls)
    if hasattr(cls, "__tf_flatten__") and hasattr(cls, "__tf_unflatten__"):
        return _custom(cls)
    if issubclass(cls, AbstractSequence):
        return _sequence(cls)
    return None


def _classify_with_composites(cls: type) -> Container | None:
    for base in cls.__mro__:
        if base in _composites:
            return _composite(cls, _composites[base])
    return PLAIN[cls]


PLAIN = ContainerTable(_classify)
WITH_COMPOSITES = ContainerTable(_classify_with_composites)
