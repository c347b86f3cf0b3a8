"""The layout of compiled arguments: which inputs go where, and in which form."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import jax
import numpy as np

from tapeflow._src.backends.jax_lists import DenseList
from tapeflow._src.core.resource import Cell, mesh_value
from tapeflow._src.core.tensor_list import TensorList
from tapeflow._src.executors.signatures import list_form
from tapeflow._src.executors.xla_state import Box, random_nodes, stream_identity, written_inputs
from tapeflow._src.graph.body import Body, attributes


class Layout:
    """The arguments are: arrays and lists, variables only read, variables changed, streams.

    constants: positions of arrays whose values are known while tracing.
    """

    def __init__(self, body: Body, arrays: Sequence[Any], constants: Sequence[int] = ()) -> None:
        self._constants = constants
        self.plain = [i for i, a in enumerate(arrays) if not isinstance(a, Cell)]
        self.lists = {i: list_form(a) for i, a in enumerate(arrays) if isinstance(a, TensorList)}
        first_place: dict[int, int] = {}
        for i, a in enumerate(arrays):
            if isinstance(a, Cell):
                first_place.setdefault(id(a), i)
        # A variable may be passed twice: it is one argument.
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
        """Return descriptions of the arguments for the compiler."""
        described = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.arguments(arrays)]
        return described + [jax.ShapeDtypeStruct((6,), np.uint32)] * len(self.streams)

    def arguments(self, arrays: Sequence[Any], on_mesh: bool = False) -> list[Any]:
        """Return all arguments of a call except the streams, for one device or a mesh."""
        arguments = [arrays[i] for i in self.plain]
        for i in self.lists:
            arguments[self.plain.index(i)] = _stacked(arrays[i])
        if on_mesh:
            return arguments + [mesh_value(arrays[i]) for i in self.variables]
        arguments += [arrays[i].device_value() for i in self.variables]
        return arguments

    def values(self, body: Body, arrays: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        """Return the inputs of the body, for tracing. Captured constants are static."""
        of = {
            i: argument if body.inputs[i].static_value is None else body.inputs[i].static_value
            for i, argument in zip(self.plain, arguments)
        }
        of.update((i, arrays[i]) for i in self._constants)
        for i, (length, dims, _) in self.lists.items():
            value = arrays[i]
            items = None if dims is None else of[i]
            of[i] = DenseList(value.value_dtype, value.element_shape, length, items)
        for i, argument in zip((*self.read, *self.written), arguments[len(self.plain) :]):
            of[i] = Box(argument, arrays[i])
        return [of[self._same_as.get(i, i)] for i in range(len(arrays))]


def _stacked(tensor_list: TensorList) -> np.ndarray:
    """Stack the elements of a list into one array."""
    length, dims, dtype = list_form(tensor_list)
    if dims is None:
        return np.zeros(0, dtype)
    result = np.zeros((length, *dims), dtype)
    for i, item in tensor_list.items().items():
        result[i] = item
    return result
