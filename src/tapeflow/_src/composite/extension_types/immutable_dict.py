"""A mapping that cannot be changed: what a field annotated with `Mapping` holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn


class ImmutableDict(Mapping[Any, Any]):
    """An immutable mapping."""

    __slots__ = ("_items",)

    _items: dict[Any, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        object.__setattr__(self, "_items", dict(*args, **kwargs))

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable: {name!r} cannot be set.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable: {name!r} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return type(self), (self._items,)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items})"
