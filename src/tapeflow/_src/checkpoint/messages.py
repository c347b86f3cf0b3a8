"""Protobuf messages of files, which may be damaged."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.errors import DataLossError
from tapeflow._src.core.lazy import LazyModule

protobuf = LazyModule("google.protobuf.message", "the files of checkpoints and SavedModels")


def parsed(kind: Any, data: bytes, where: str) -> Any:
    """Parse a message; DataLossError names `where` it was read if it cannot be one."""
    message = kind()
    try:
        message.ParseFromString(data)
    except protobuf.DecodeError as error:
        raise DataLossError(
            None, None, f"{where}: expected a {message.DESCRIPTOR.name} message: {error}"
        ) from None
    return message
