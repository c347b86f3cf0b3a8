"""Reads of variables that stand where a tensor is wanted: they are named after who takes them.

`tf.matmul(x, variable)` reads the variable before anybody knows what for. The read is given a name
at once, and another, `MatMul/ReadVariableOp`, when the first operation takes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tapeflow._src.graph.names import Names

if TYPE_CHECKING:
    from tapeflow._src.graph.operation import Operation


class Reads:
    """The reads of a graph that nobody has taken yet, each with the input made for its handle."""

    __slots__ = ("_names", "_waiting")

    def __init__(self, names: Names) -> None:
        self._names = names
        self._waiting: dict[int, list[Operation]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def note(self, made: list[Operation]) -> None:
        """These operations were made for a conversion: a read, after what it needed, if so."""
        if made and made[-1].type == "ReadVariableOp":
            self._waiting[id(made[-1])] = made

    def take(self, inputs: Iterable[Any], scope: str) -> None:
        """An operation called `scope` takes these inputs: name the reads among them after it."""
        taken = []
        for value in inputs:
            for tensor in value if type(value) is tuple else (value,):
                found = self._waiting.pop(id(getattr(tensor, "op", None)), None)
                if found is not None:
                    taken.append(found)
        for made in reversed(taken):
            for node in made:
                self._names.release(node.name)
        for made in taken:
            *before, read = made
            read.name = self._names.unique(f"{scope}{read.type}")
            for node in before:
                node.name = self._names.unique(f"{read.name}/resource")
