"""`tensorflow.python.trackable.data_structures`: containers that checkpoints follow."""

from __future__ import annotations

from typing import Any

from tapeflow.core.trackable import DictWrapper as _DictWrapper
from tapeflow.core.trackable import ListWrapper as ListWrapper

__all__ = ["ListWrapper", "NoDependency", "_DictWrapper", "sticky_attribute_assignment"]


class NoDependency:
    """A value that checkpoints do not follow."""

    def __init__(self, value: Any) -> None:
        self.value = value


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Return the value that becomes an attribute; the object tracks it by itself."""
    return value.value if isinstance(value, NoDependency) else value
