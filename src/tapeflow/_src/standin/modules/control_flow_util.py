"""`tensorflow.python.ops.control_flow_util`: where control flow is built."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.graph.xla_context import XlaContext, enclosing_xla_context

ENABLE_CONTROL_FLOW_V2 = True


def GraphOrParentsInXlaContext(graph: Any) -> bool:
    """Whether a graph is traced to be compiled by XLA, itself or inside another graph."""
    return enclosing_xla_context(graph) is not None


def get_enclosing_xla_context() -> XlaContext | None:
    """Return the context of the graph being traced to be compiled by XLA, or None."""
    return enclosing_xla_context(dispatch.current_graph())
