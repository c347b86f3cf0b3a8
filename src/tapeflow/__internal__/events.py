"""Messages of TensorBoard, for libraries that write event files."""

from __future__ import annotations

from typing import Any

from tapeflow.core import protos


def new_event(**fields: Any) -> Any:
    """A new `Event` message."""
    return protos.Event(**fields)


def event_from(data: bytes) -> Any:
    """The `Event` message that is written as these bytes."""
    return protos.Event.FromString(data)
