"""Reads of variables that are used as tensors: they are named after their first consumer.

`tf.matmul(x, variable)` reads the variable before its consumer is known. The read gets a name at
once, and another, `MatMul/ReadVariableOp`, when the first operation takes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tapeflow._src.graph.names import Names
from tapeflow._src.ops.state.variables import read_variable

if TYPE_CHECKING:
    from tapeflow._src.graph.operation import Operation


class Reads:
    """The reads of a graph without a consumer, each with the input for its handle."""

    __slots__ = ("_names", "_waiting")

    def __init__(self, names: Names) -> None:
        self._names = names
        self._waiting: dict[int, list[Operation]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def note(self, operations: list[Operation]) -> None:
        """Record the operations of a conversion: maybe a read, after what it needed."""
        if operations and operations[-1].definition is read_variable:
            self._waiting[id(operations[-1])] = operations

    def take(self, inputs: Iterable[Any], scope: str) -> None:
        """Name the reads among these inputs after the operation `scope` that takes them."""
        reads = []
        for value in inputs:
            for tensor in value if type(value) is tuple else (value,):
                waiting = self._waiting.pop(id(getattr(tensor, "op", None)), None)
                if waiting is not None:
                    reads.append(waiting)
        for operations in reversed(reads):
            for node in operations:
                self._names.release(node.name)
        for operations in reads:
            *before, read = operations
            read.name = self._names.unique(f"{scope}{read.type}")
            for node in before:
                node.name = self._names.unique(f"{read.name}/resource")
