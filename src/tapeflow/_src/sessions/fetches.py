"""Fetches of a session: a structure of tensors and operations, and its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.graph.graph import Graph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.sessions.values import pack_composite, parts_of

# Packs the flat values of fetched tensors into the requested structure.
Pack = Callable[[Iterator[Any]], Any]


class Fetches:
    """The tensors and operations in a structure, each once in its order."""

    def __init__(self, graph: Graph, structure: Any) -> None:
        self._graph = graph
        self.tensors: list[SymbolicTensor] = []
        self.operations: list[Operation] = []
        self._pack = self._add(structure)

    def packed(self, values: list[Any]) -> Any:
        """Return the structure with the values of `tensors` in it, None for operations."""
        return self._pack(iter(values))

    def _add(self, fetch: Any) -> Pack:
        if fetch is None:
            raise TypeError(
                f"Argument `fetch` = {fetch} has invalid type 'NoneType'. Cannot be None"
            )
        if isinstance(fetch, (list, tuple)):
            return self._add_sequence(fetch)
        if isinstance(fetch, Mapping):
            return self._add_mapping(fetch)
        parts = parts_of(fetch)
        if parts is not None:
            return self._add_parts(fetch, parts)
        return self._add_element(fetch)

    def _add_sequence(self, fetch: Any) -> Pack:
        packs, kind = [self._add(item) for item in fetch], type(fetch)
        if hasattr(kind, "_fields"):
            return lambda values: kind(*[pack(values) for pack in packs])
        return lambda values: kind([pack(values) for pack in packs])

    def _add_mapping(self, fetch: Any) -> Pack:
        keys, kind = list(fetch), type(fetch)
        packs = [self._add(fetch[key]) for key in keys]
        return lambda values: kind([(key, pack(values)) for key, pack in zip(keys, packs)])

    def _add_parts(self, fetch: Any, parts: list[Any]) -> Pack:
        packs = [self._add_part(part) for part in parts]
        return lambda values: pack_composite(fetch, [pack(values) for pack in packs])

    def _add_part(self, part: Any) -> Pack:
        """Return a part of a composite may be missing, or be known already."""
        if part is None:
            return lambda values: None
        if isinstance(part, EagerTensor):
            return lambda values: part.numpy()
        return self._add(part)

    def _add_element(self, fetch: Any) -> Pack:
        element = element_of(self._graph, fetch)
        if not self._graph.is_fetchable(element):
            raise TypeError(
                f"{getattr(element, 'op', element).name} cannot be fetched: it belongs to a "
                "branch, a loop body or a function. Return its value from there, and fetch that."
            )
        if isinstance(element, Operation):
            self.operations.append(element)
            return lambda values: None
        self.tensors.append(element._origin)
        return next


def element_of(graph: Graph, item: Any) -> Any:
    """Return the tensor or operation of the graph that is fetched or fed as `item`."""
    if isinstance(item, Variable):
        if item._declared is None:
            raise TypeError(
                f"{item!r} is an eager variable, which no session has a value of: read it with "
                f"`numpy()`, or make it in the graph."
            )
        item = item._declared.value
    try:
        return graph.as_graph_element(item)
    except TypeError as error:
        raise TypeError(
            f"Cannot fetch {item!r} of type {type(item).__name__!r}: expected a tensor, an "
            f"operation or a name. ({error})"
        ) from None
    except (ValueError, KeyError) as error:
        raise ValueError(
            f"Fetch argument {item!r} cannot be interpreted as a Tensor. ({error})"
        ) from None
