"""AutoGraph for libraries that call functions of their users."""

from __future__ import annotations

from typing import Any

from tapeflow._src.autograph.api import convert_entity
from tapeflow._src.graph.tensor import tracing


class _Status:
    """Whether control flow is converted in the current context."""

    def __init__(self) -> None:
        self.status = tracing()


def control_status_ctx() -> _Status:
    """Return whether the code that calls is converted."""
    return _Status()


def tf_convert(
    f: Any, ctx: Any, convert_by_default: bool = True, user_requested: bool = False
) -> Any:
    """Return a function whose control flow on tensors is converted while a graph is traced."""
    return convert_entity(f) if convert_by_default and tracing() else f
