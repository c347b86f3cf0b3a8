"""When each variable was last written, as far as a traversal of a graph can tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import SPEAKS
from tapeflow._src.graph.body import EFFECTS, Body, bodies_of

_times = count(1)


class Writes:
    """The time of the last write, for handles whose variable is known."""

    def __init__(self) -> None:
        self._of: dict[int, int] = {}
        # The last write that may have been to any variable, and the last of all.
        self._to_any = 0
        self._last = 0

    def copy(self) -> Writes:
        copy = Writes()
        copy._of, copy._to_any, copy._last = dict(self._of), self._to_any, self._last
        return copy

    def note(self, op: Op, inputs: Sequence[Any]) -> None:
        """Record an operation with effects."""
        if SPEAKS in op.traits:
            return
        cells = cells_of(inputs)
        self._wrote(cells if op.effect == "writes" and cells else None)

    def note_bodies(self, bodies: Iterable[Body]) -> None:
        """Record the writes of bodies that may run."""
        for body in bodies:
            for node in body.nodes():
                self.note_bodies(bodies_of(node))
                if node.definition.effect in EFFECTS:
                    self.note(node.definition, node.inputs)

    def _wrote(self, cells: list[Any] | None) -> None:
        now = self._last = next(_times)
        if cells is None or None in cells:
            self._to_any = now
        else:
            self._of.update({id(cell): now for cell in cells})

    def last(self, inputs: Sequence[Any]) -> int:
        """Return the time since which reads through these handles have the same result."""
        time = self._to_any
        for cell in cells_of(inputs):
            time = max(time, self._last if cell is None else self._of.get(id(cell), 0))
        return time


def cells_of(inputs: Sequence[Any]) -> list[Any]:
    """Return the variables behind the handles among the inputs; None if unknown."""
    return [t.static_value for t in inputs if t is not None and t._dtype is dtypes.resource]
