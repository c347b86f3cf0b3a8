"""The control flow context of a graph: whether it is traced to be compiled by XLA.

Branches and loops are operations with graphs of their own, so this is the only context there is.
Libraries ask for it to choose between algorithms.
"""

from __future__ import annotations

from typing import Any


class XlaContext:
    """The context of the graph of a function with `jit_compile=True`."""

    outer_context = None

    def IsXLAContext(self) -> bool:
        """Return True."""
        return True

    def IsWhileContext(self) -> bool:
        """Return False: a loop is no context."""
        return False

    def IsCondContext(self) -> bool:
        """Return False: a branch is no context."""
        return False


def enclosing_xla_context(graph: Any) -> XlaContext | None:
    """Return the context of `graph`, or of the next enclosing graph that has one."""
    while graph is not None:
        context: XlaContext | None = graph._control_flow_context
        if context is not None:
            return context
        graph = getattr(graph, "outer", None)
    return None
