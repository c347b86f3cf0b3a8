"""The default graph: the one being built, or one for the whole program."""

from __future__ import annotations

from tapeflow._src.core import dispatch
from tapeflow._src.graph.graph import Graph
from tapeflow._src.graph.mode import TracingMode


class _Program:
    """State of the whole program."""

    graph: Graph | None = None
    # Whether ops outside of functions go into the default graph.
    building = False


def default_graph() -> Graph:
    """Return the graph that ops go into, or would if they did not run at once."""
    graph: Graph | None = dispatch.current_graph()
    return program_graph() if graph is None else graph


def program_graph() -> Graph:
    if _Program.graph is None:
        _Program.graph = Graph()
    return _Program.graph


def reset() -> None:
    """Start with an empty default graph."""
    current = dispatch.current_graph()
    if current is not None and current is not _Program.graph:
        raise AssertionError(
            "reset_default_graph clears the graph of the program, not the one of an enclosing "
            "`with graph.as_default():` block: leave the block first."
        )
    _Program.graph = None
    if _Program.building:
        dispatch.state.mode = TracingMode(program_graph())


def build_by_default() -> None:
    """Put the ops of this thread into the default graph, instead of running them."""
    if not _Program.building and dispatch.state.mode is dispatch.base_mode():
        _Program.building = True
        dispatch.state.mode = TracingMode(program_graph())


def run_by_default() -> None:
    """Run the ops of this thread at once again."""
    if _Program.building and dispatch.current_graph() is _Program.graph:
        dispatch.state.mode = dispatch.base_mode()
    _Program.building = False


def building_by_default() -> bool:
    return _Program.building
