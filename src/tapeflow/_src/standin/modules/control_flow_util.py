"""`tensorflow.python.ops.control_flow_util`: where control flow is built."""

from __future__ import annotations

from typing import Any

ENABLE_CONTROL_FLOW_V2 = True


def GraphOrParentsInXlaContext(graph: Any) -> bool:
    """Return False: compiled functions are traced as others are."""
    return False


def get_enclosing_xla_context() -> None:
    """Return None: compiled functions are traced as others are."""
