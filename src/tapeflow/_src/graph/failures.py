"""What is said of an operation that failed: its name in the graph, and the user's line."""

from __future__ import annotations

from tapeflow._src.core.errors import OpError
from tapeflow._src.graph.operation import Operation


def located(error: Exception, node: Operation) -> Exception:
    """The error with the name of the node and the user's line in its message, told once."""
    if not isinstance(error, OpError) or node.source is None or hasattr(error, "_located"):
        return error
    where = node.source
    text = (
        f"{error.message}\n\nDetected at node {node.name!r} defined at:\n  {where}\n"
        f"    {where.code()}"
    )
    told = type(error).__new__(type(error))
    told.__dict__.update(error.__dict__)
    told._message = text
    told._located = True  # type: ignore[attr-defined]
    told.args = (text,)
    return told
