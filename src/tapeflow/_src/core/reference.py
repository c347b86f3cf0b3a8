"""`tensor.ref()`: tensors compare element-wise, so keys refer to them through this."""

from __future__ import annotations

from typing import Any


class Reference:
    """Hashable, and equal to another reference to the same object."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """Return the object referred to."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __lt__(self, other: object) -> bool:
        """Compare in some fixed order: dicts keyed by references are structures."""
        if not isinstance(other, Reference):
            return NotImplemented
        return id(self._wrapped) < id(other._wrapped)

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"
