"""`variable_creator_scope`: functions that are asked for every variable that a block makes.

A scope holds where it was opened: in a graph for that graph and for the functions traced in it,
outside of graphs for eager code and for the functions traced from it. A graph of its own, opened
inside of the block, makes its variables without it. The graph is known here only as what the mode
says it is.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from tapeflow._src.core import dispatch

Creator = Callable[..., Any]


class _Scopes(threading.local):
    """The scopes that a thread is in, each with the graph it was opened in."""

    def __init__(self) -> None:
        self.open: tuple[tuple[Any, Creator], ...] = ()


_scopes = _Scopes()


@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Have `variable_creator(next_creator, **arguments)` make the variables of the block.

    It is given all arguments of `tf.Variable` by their names. What it returns is what the caller
    of `tf.Variable` gets; `next_creator(**arguments)` asks the scope around this one, and at last
    makes the variable.
    """
    outer = _scopes.open
    _scopes.open = (*outer, (_current_graph(), variable_creator))
    try:
        yield
    finally:
        _scopes.open = outer


def _current_graph() -> Any:
    return dispatch.current_graph()


def _in_force() -> list[Creator]:
    """The creators that a variable made now passes through, the outermost scope's first."""
    graph = _current_graph()
    around = [graph]
    while graph is not None and graph.building_function:
        graph = graph.outer
        around.append(graph)
    return [creator for opened_in, creator in _scopes.open if any(opened_in is g for g in around)]


class ThroughCreators(type):
    """The class of `Variable`: making one passes through the creators in force.

    The class says so in its own body with `_through_creators`; subclasses, which do not, are made
    as they are: a creator is asked for a variable, not for one of a kind.
    """

    # Type checkers are to see the signature of `Variable.__init__`.
    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            make = super().__call__
            if not _scopes.open or "_through_creators" not in vars(cls):
                return make(*args, **kwargs)
            signature = inspect.signature(cls)
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()

            def create(**arguments: Any) -> Any:
                # Creators may hand each other more than a variable takes.
                return make(**{k: v for k, v in arguments.items() if k in signature.parameters})

            for creator in _in_force():
                create = partial(creator, create)
            return create(**given.arguments)

    @property
    def __signature__(cls) -> inspect.Signature:
        # Without it, the signature would be that of `__call__` above.
        whole = inspect.signature(cls.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:])
