"""`variable_creator_scope`: functions that intercept the creation of variables in a block.

A scope applies where it was opened: in a graph to that graph and to the functions traced in it,
outside of graphs to eager code and to the functions traced from it. It does not apply to another
graph that is opened inside of the block. The graph is known here only through the mode.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.thread_state import inherited

Creator = Callable[..., Any]


class _Scopes(threading.local):
    """The scopes that a thread is in, each with the graph it was opened in."""

    def __init__(self) -> None:
        self.open: tuple[tuple[Any, Creator], ...] = ()
        # Creates a variable on all devices of a strategy, from a function that creates it on one.
        self.distribute: Callable[[Callable[[], Any]], Any] | None = None


_scopes = inherited(_Scopes())


@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Create the variables of the block with `variable_creator(next_creator, **arguments)`.

    It receives all arguments of `tf.Variable` by name. Its result is returned to the caller of
    `tf.Variable`; `next_creator(**arguments)` calls the enclosing scope, and finally creates the
    variable.

    Args:
        variable_creator: Function `(next_creator, **arguments)` that returns a variable.

    Returns:
        A context manager. Scopes nest: the innermost creator is called first.

    Example:
        >>> def frozen(next_creator, **arguments):
        ...     return next_creator(**{**arguments, "trainable": False})
        >>> with tf.variable_creator_scope(frozen):
        ...     v = tf.Variable(1.0)
        >>> v.trainable
        False
    """
    outer = _scopes.open
    _scopes.open = (*outer, (_current_graph(), variable_creator))
    try:
        yield
    finally:
        _scopes.open = outer


@contextmanager
def distributing(distribute: Callable[[Callable[[], Any]], Any] | None) -> Iterator[None]:
    """Create the variables of the block through a function; None creates them as they are."""
    outer, _scopes.distribute = _scopes.distribute, distribute
    try:
        yield
    finally:
        _scopes.distribute = outer


def _current_graph() -> Any:
    return dispatch.current_graph()


def _in_force() -> list[Creator]:
    """Return the creators that apply to a new variable, the outermost scope's first."""
    graph = _current_graph()
    around = [graph]
    while graph is not None and graph.building_function:
        graph = graph.outer
        around.append(graph)
    return [creator for opened_in, creator in _scopes.open if any(opened_in is g for g in around)]


class ThroughCreators(type):
    """The metaclass of `Variable`: creating one passes through the current creators.

    A class opts in with `_through_creators` in its own body; subclasses, which do not, are created
    directly: a creator is for variables, not for one kind of them.
    """

    # Type checkers should see the signature of `Variable.__init__`.
    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            make = super().__call__
            if _scopes.distribute is not None:
                return _scopes.distribute(partial(_created, cls, make, args, kwargs))
            if not _scopes.open or "_through_creators" not in vars(cls):
                return make(*args, **kwargs)
            return _created(cls, make, args, kwargs)

    @property
    def __signature__(cls) -> inspect.Signature:
        # Without it, the signature would be that of `__call__` above.
        whole = inspect.signature(cls.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:])


def _created(cls: type, make: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Create a variable through the current creators."""
    if not _scopes.open or "_through_creators" not in vars(cls):
        return make(*args, **kwargs)
    signature = inspect.signature(cls)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()

    def create(**arguments: Any) -> Any:
        # Creators may pass each other more than a variable takes.
        return make(**{k: v for k, v in arguments.items() if k in signature.parameters})

    for creator in _in_force():
        create = partial(creator, create)
    return create(**bound.arguments)
