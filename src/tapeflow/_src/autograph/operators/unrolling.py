"""A warning when a Python loop adds very many operations to a graph."""

from __future__ import annotations

from tapeflow._src.core.log import logger
from tapeflow._src.graph.subgraphs import current_graph
from tapeflow._src.graph.tensor import tracing

MANY = 50_000


class Unrolling:
    """Counts the iterations of a Python loop that is run while tracing."""

    __slots__ = ("_count", "_nodes")

    def __init__(self) -> None:
        self._count = 0
        self._nodes = 0

    def count(self) -> None:
        """Count one iteration."""
        self._count += 1
        if self._count == MANY and tracing():
            self._nodes = len(current_graph().nodes)
        elif self._count == MANY + 1 and tracing() and len(current_graph().nodes) > self._nodes:
            logger.warning(
                "Large unrolled loop: after %d iterations a Python loop still adds operations to "
                "the graph. Loop over tf.range or a dataset to have one loop in the graph "
                "instead.",
                self._count,
            )
