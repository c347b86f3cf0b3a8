"""Where the inputs of a graph go among the arguments of its compiled form, and what they become."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import jax
import numpy as np

from tapeflow._src.backends.jax_lists import DenseList
from tapeflow._src.core.resource import Cell
from tapeflow._src.core.tensor_list import TensorList
from tapeflow._src.executors.signatures import list_form
from tapeflow._src.executors.xla_state import Box, random_nodes, stream_identity, written_inputs
from tapeflow._src.graph.body import Body, attributes


class Layout:
    """The arguments are: arrays and lists, variables only read, variables changed, streams."""

    def __init__(self, body: Body, arrays: Sequence[Any]) -> None:
        self.plain = [i for i, a in enumerate(arrays) if not isinstance(a, Cell)]
        self.lists = {i: list_form(a) for i, a in enumerate(arrays) if isinstance(a, TensorList)}
        first_place: dict[int, int] = {}
        for i, a in enumerate(arrays):
            if isinstance(a, Cell):
                first_place.setdefault(id(a), i)
        # A variable may be passed twice: it is one all the same.
        self._same_as = {
            i: first_place[id(a)] for i, a in enumerate(arrays) if id(a) in first_place
        }
        changed = {self._same_as[i] for i in written_inputs(body)}
        self.read = [i for i in first_place.values() if i not in changed]
        self.written = sorted(changed)
        self.variables = [*self.read, *self.written]
        nodes = {stream_identity(node): node for node in random_nodes(body)}
        self.streams: list[Hashable] = list(nodes)
        self.stream_attrs = [attributes(node) for node in nodes.values()]
        self.first_written = len(self.plain) + len(self.read)
        self.first_stream = self.first_written + len(self.written)

    def samples(self, arrays: Sequence[Any]) -> list[Any]:
        """What describes the arguments to the compiler."""
        described = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.arguments(arrays)]
        return described + [jax.ShapeDtypeStruct((6,), np.uint32)] * len(self.streams)

    def arguments(self, arrays: Sequence[Any]) -> list[Any]:
        """All arguments but the streams, for a call."""
        arguments = [arrays[i] for i in self.plain]
        for i in self.lists:
            arguments[self.plain.index(i)] = _stacked(arrays[i])
        arguments += [arrays[i].held() for i in self.variables]
        return arguments

    def values(self, body: Body, arrays: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        """The inputs of the body, for tracing. Captured constants are known."""
        of = {
            i: argument if body.inputs[i]._static is None else body.inputs[i]._static
            for i, argument in zip(self.plain, arguments)
        }
        for i, (length, dims, _) in self.lists.items():
            given = arrays[i]
            items = None if dims is None else of[i]
            of[i] = DenseList(given.value_dtype, given.element_shape, length, items)
        for i, argument in zip((*self.read, *self.written), arguments[len(self.plain) :]):
            of[i] = Box(argument, arrays[i])
        return [of[self._same_as.get(i, i)] for i in range(len(arrays))]


def _stacked(given: TensorList) -> np.ndarray:
    """The elements of a list in one array."""
    length, dims, dtype = list_form(given)
    if dims is None:
        return np.zeros(0, dtype)
    result = np.zeros((length, *dims), dtype)
    for i, item in given.items().items():
        result[i] = item
    return result
