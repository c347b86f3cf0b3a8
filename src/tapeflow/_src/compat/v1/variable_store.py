"""Where `get_variable` looks: stores of variables by name, and the variable scopes in force.

A graph has a store and scopes of its own; functions use those of the graph around them. Eagerly
there is no store, and every call creates a variable, unless one is entered with `use_store`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.compat.v1.graphs import GraphKeys, get_default_graph
from tapeflow._src.core import dispatch
from tapeflow._src.core.thread_state import inherited
from tapeflow._src.core.types import Identifier
from tapeflow._src.graph.graph import FuncGraph, Graph
from tapeflow._src.sessions.default_graph import program_graph

_STORE, _SCOPES = "_variable_store", "_variable_scope"


class VariableStore:
    """Variables by their full names."""

    # Whether a variable that exists is shared even where the scope does not ask for it.
    always_reuse = False

    def __init__(self) -> None:
        self._by_name: dict[str, Any] = {}

    @property
    def variables_by_name(self) -> dict[str, Any]:
        """The variables; new ones are added to this dict."""
        return self._by_name

    def regularize(self, variable: Any, name: str, regularizer: Identifier) -> None:
        """Add the penalty of a new variable to the regularization losses of the graph."""
        add_penalty(variable, name, regularizer)


def add_penalty(variable: Any, name: str, regularizer: Any) -> None:
    """Add `regularizer(variable)` to the collection of regularization losses."""
    graph = get_default_graph()
    with graph.name_scope(f"{name}/Regularizer/"):
        loss = regularizer(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


class _EnteredStores(threading.local):
    """The stores that are entered with `use_store`, and scopes that hide those of the graph."""

    def __init__(self) -> None:
        self.stores: list[VariableStore] = []
        self.scopes: list[list[Any]] = []


_entered = inherited(_EnteredStores())


@contextmanager
def use_store(store: VariableStore, fresh_scopes: bool = False) -> Iterator[None]:
    """Look up variables of `get_variable` in `store` inside the block.

    fresh_scopes: whether the variable scopes around the block do not count inside it.
    """
    _entered.stores.append(store)
    if fresh_scopes:
        _entered.scopes.append([])
    try:
        yield
    finally:
        _entered.stores.pop()
        if fresh_scopes:
            _entered.scopes.pop()


def current_store() -> VariableStore | None:
    """Return the store in force, or None: then nothing is shared."""
    if _entered.stores:
        return _entered.stores[-1]
    graph = _enclosing_graph()
    if graph is None:
        return None
    stores = graph.get_collection_ref(_STORE)
    if not stores:
        stores.append(VariableStore())
    store: VariableStore = stores[0]
    return store


def entered_store() -> VariableStore | None:
    """Return the innermost store that is entered with `use_store`."""
    return _entered.stores[-1] if _entered.stores else None


def scopes() -> list[Any]:
    """Return the variable scopes that are open, the innermost last."""
    if _entered.scopes:
        return _entered.scopes[-1]
    graph = _enclosing_graph()
    return (program_graph() if graph is None else graph).get_collection_ref(_SCOPES)


def _enclosing_graph() -> Graph | None:
    """Return the graph that is built, from inside its functions too; None for eager execution."""
    graph: Graph | None = dispatch.current_graph()
    while isinstance(graph, FuncGraph):
        graph = graph.outer
    return graph
