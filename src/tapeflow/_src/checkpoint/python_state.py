"""`PythonState`: state of Python's own in a checkpoint, as a string."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import string
from tapeflow._src.core.trackable import Trackable


class PythonState(Trackable, ABC):
    """An object that serializes itself to a string and restores itself from one."""

    _tpf_checkpoint_attribute = "py_state"

    @abstractmethod
    def serialize(self) -> str | bytes:
        """Return the state as a string."""

    @abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Restore the state that `serialize` returned."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"py_state": convert(self.serialize(), string)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        self.deserialize(restored_tensors["py_state"].numpy())
