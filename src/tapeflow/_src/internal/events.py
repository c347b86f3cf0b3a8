"""Event files of TensorBoard, for libraries that write them."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import protos
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.summary.event_file import EventFile as EventFile
from tapeflow._src.summary.writer import SummaryWriter


class SharedWriter(SummaryWriter):
    """Has `tf.summary` write to an event file that belongs to another object, which closes it."""

    def __init__(self, file: EventFile) -> None:
        self._file = file
        self._tensor = EagerTensor(file)  # type: ignore[arg-type]
        # Whether a summary was written, or traced: functions hold the file then.
        self.used = False

    @property
    def _handle(self) -> Any:
        self.used = True
        return self._tensor


def event_from(data: bytes) -> Any:
    """Return the `Event` message that is written as these bytes."""
    return protos.Event.FromString(data)
