"""Scopes of a layer's build and call: names, `training`, and the dtype of computations.

Each thread has its own. A value of None means that nobody has said anything.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.library_hooks import inherited


class _Calls(threading.local):
    """The calls of layers that are under way."""

    def __init__(self) -> None:
        # The outermost layer that is being called.
        self.entry: Any = None
        self.training: Any = None
        # The dtype that floating-point variables are read in.
        self.autocast: Any = None
        # The names of the layers that are being built or called, from the outermost on.
        self.names: tuple[str, ...] = ()
        self.owners: tuple[Any, ...] = ()
        # The `StatelessScope` that is entered, whose values variables have.
        self.stateless: Any = None
        # Whether the graph that is traced goes to a file: it must consist of TensorFlow's ops.
        self.portable = False
        # The innermost `SymbolicScope`, and all `RematScope`s.
        self.symbolic: Any = None
        self.remat: tuple[Any, ...] = ()
        # What KerasTensors stand for in functions that `tf.cond` and the like call.
        self.captures: Any = None


calls = inherited(_Calls())


def current_path() -> str:
    """The names of the layers that are being built or called, as variables bear them."""
    return "/".join(calls.names)


class name_scope:
    """Context whose name is part of the paths of variables that are created in it.

    Args:
        name: Name of the scope, without "/".
        caller: Whose scope it is: entered again by the same, it is not nested.
        override_parent: Path to use instead of that of outer scopes; None uses theirs.

    Raises:
        ValueError: `name` is not a string, or has a "/".

    Example:
        >>> with tf.keras.name_scope("encoder"):
        ...     variable = tf.keras.Variable([1.0], name="scale")
        >>> variable.path
        'encoder/scale'
    """

    def __init__(self, name: str, caller: Any = None, override_parent: Any = None) -> None:
        if not isinstance(name, str) or "/" in name:
            raise ValueError(
                f"The name of a scope must be a string without '/': open nested scopes one by "
                f"one. Received: name={name!r}"
            )
        self.name = name
        self.caller = caller
        self.override_parent = override_parent
        self._outer: list[Any] = []

    def __enter__(self) -> name_scope:
        names, owners = calls.names, calls.owners
        scope: Any = None
        if self.override_parent is not None:
            names, owners = (self.override_parent,) if self.override_parent else (), (None,)
        if self.caller is None or not owners or owners[-1] is not self.caller:
            names, owners = (*names, self.name), (*owners, self.caller)
            if not tf.executing_eagerly():
                scope = tf.name_scope(self.name)
                scope.__enter__()
        self._outer.append((calls.names, calls.owners, scope))
        calls.names, calls.owners = names, owners
        return self

    def __exit__(self, *error: Any) -> None:
        calls.names, calls.owners, scope = self._outer.pop()
        if scope is not None:
            scope.__exit__(*error)


class CallableNameScope(tf.name_scope):
    """The name scope of a layer or metric; calling it returns the prefix, as in Keras 2."""

    def __call__(self) -> str:
        return f"{self.name}/"


@contextmanager
def autocast_scope(dtype: Any) -> Iterator[None]:
    """Read floating-point variables in `dtype` in the block; None reads them in their own."""
    outer = calls.autocast
    calls.autocast = None if dtype is None else tf.as_dtype(dtype)
    try:
        yield
    finally:
        calls.autocast = outer
