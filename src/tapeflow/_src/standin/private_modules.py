"""Modules of TensorFlow's private parts that real libraries import.

Each name of such a module is an alias of something real here (`private_names` lists them). What is
not listed is refused: the message names it and what is nearest to it.
"""

from __future__ import annotations

import difflib
from types import ModuleType
from typing import Any

from tapeflow._src import core
from tapeflow._src.core import tensorflow_names
from tapeflow._src.core.lazy import load_module
from tapeflow._src.standin.private_names import PRIVATE, Private

_TOPS = ("python", "core", "compiler", "tsl", "security", "tools", "lite.python", "lite.tools")
_PACKAGES = frozenset(
    name.rsplit(".", count)[0] for name in PRIVATE for count in range(1, name.count(".") + 1)
) | frozenset(("core", "core.framework", "core.protobuf", "core.util", "core.example"))


def is_private(name: str) -> bool:
    """Whether a module belongs to the parts of TensorFlow that are not public."""
    return any(name == top or name.startswith(f"{top}.") for top in _TOPS)


def private_module(fullname: str, name: str) -> ModuleType:
    """Return the private module of that name.

    Raises:
        ModuleNotFoundError: it is not among those that are served.
    """
    if name == "core":
        # Python makes it an attribute of the root, where Tapeflow's own module must stay.
        return core
    listed = PRIVATE.get(name)
    if listed is None and name not in _PACKAGES:
        # Of another name than the module's: Python shows its own message otherwise.
        raise ModuleNotFoundError(refusal(fullname, name), name="tensorflow")
    if listed is not None and listed.module is not None:
        return load_module(listed.module)
    return PrivateModule(fullname, name, listed or Private())


class PrivateModule(ModuleType):
    """A module whose names are looked up when they are used."""

    def __init__(self, fullname: str, name: str, listed: Private) -> None:
        super().__init__(fullname, "A private module of TensorFlow, served by Tapeflow.")
        self.__path__: list[str] = []
        self._standin_name = name
        self._standin_listed = listed

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = _found(self._standin_listed, name)
        if value is _MISSING:
            raise AttributeError(refusal(f"{self.__name__}.{name}", f"{self._standin_name}.{name}"))
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._standin_listed.names})


_MISSING = object()


def _found(listed: Private, name: str) -> Any:
    """Return what a name of a private module is here."""
    target = listed.names.get(name)
    if target is not None:
        return resolved(target)
    for space in listed.spaces:
        value = getattr(resolved(space), name, _MISSING)
        if value is not _MISSING:
            return value
    return _MISSING


def resolved(target: str) -> Any:
    """Return what `module:attribute.attribute` names, or a public name below `tapeflow`."""
    module, _, attributes = target.partition(":")
    if not attributes:
        module, attributes = "tapeflow", module.partition(".")[2]
    value: Any = load_module(module)
    for attribute in attributes.split(".") if attributes else ():
        value = getattr(value, attribute)
    return value


def refusal(fullname: str, name: str) -> str:
    """Return what is said of a module or name that is not served."""
    if not is_private(name):
        known = tensorflow_names.hint(name)
        return f"No module named {fullname!r} in Tapeflow, which serves tensorflow. {known}".strip()
    near = _nearest(name)
    return (
        f"{fullname} is private to TensorFlow, and not among the private names that Tapeflow "
        f"serves.{near} The names served are listed in tapeflow._src.standin.private_names."
    )


def _nearest(name: str) -> str:
    """Return a sentence on the public name that is nearest to a private one."""
    own = name.rpartition(".")[2]
    spaces = tensorflow_names.recorded().spaces
    holders = [space for space in spaces if own in spaces[space]]
    public = [f"tf.{space}.{own}" if space else f"tf.{own}" for space in holders]
    if public:
        return f" Use the public {min(public, key=len)}."
    similar = difflib.get_close_matches(name, PRIVATE, 1, 0.75)
    return f" The nearest that is served: tensorflow.{similar[0]}." if similar else ""
