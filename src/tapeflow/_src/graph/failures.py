"""Error messages of failed operations: the node's name in the graph, and the user's line."""

from __future__ import annotations

from tapeflow._src.core.errors import OpError
from tapeflow._src.graph.operation import Operation


def located(error: Exception, node: Operation) -> Exception:
    """Return the error with the node's name and the user's line in its message, added once."""
    if not isinstance(error, OpError) or node.source is None or hasattr(error, "_located"):
        return error
    made = f" ({node.source.note})" if node.source.note else ""
    text = f"{error.message}\nDetected at node {node.name!r}{made} in {node.source.function}"
    copy = type(error).__new__(type(error))
    copy.__dict__.update(error.__dict__)
    copy._message = text
    copy._location = node.source
    copy._located = True  # type: ignore[attr-defined]
    copy.args = (text,)
    return copy
