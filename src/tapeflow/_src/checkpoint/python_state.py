"""`PythonState`: state of Python's own in a checkpoint, as a string."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import string
from tapeflow._src.core.trackable import Trackable


class PythonState(Trackable, ABC):
    """An object that serializes itself to a string and restores itself from one.

    Subclass it to add state of Python's own, such as a counter, to a `tf.train.Checkpoint`.

    Example:
        >>> class Counter(tf.train.experimental.PythonState):
        ...     value = 0
        ...     def serialize(self):
        ...         return str(self.value)
        ...     def deserialize(self, string_value):
        ...         self.value = int(string_value)
        >>> counter = Counter()
        >>> counter.value = 3
        >>> path = tf.train.Checkpoint(counter=counter).write("counted")
        >>> counter.value = 0
        >>> status = tf.train.Checkpoint(counter=counter).read(path)
        >>> counter.value
        3
    """

    _tpf_checkpoint_attribute = "py_state"

    @abstractmethod
    def serialize(self) -> str | bytes:
        """Return the state as a string."""

    @abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Restore the state that `serialize` returned.

        Args:
            string_value: The state as bytes.
        """

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"py_state": convert(self.serialize(), string)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        self.deserialize(restored_tensors["py_state"].numpy())
