"""Event files of TensorBoard, for libraries that write them."""

from __future__ import annotations

from typing import Any

from tapeflow.core import protos
from tapeflow.summary.event_file import EventFile as EventFile


def event_from(data: bytes) -> Any:
    """The `Event` message that is written as these bytes."""
    return protos.Event.FromString(data)
