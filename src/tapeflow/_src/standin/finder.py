"""The import hook: which module serves a name below `tensorflow`.

Public modules are Tapeflow's own, under another name. Private ones (`tensorflow.python`,
`tensorflow.core`, …) are those that `private_names` and `messages` list; all others are refused by
name, with what is nearest to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from tapeflow._src.core.lazy import load_module
from tapeflow._src.standin.distribution import StandInDistribution, names_tensorflow
from tapeflow._src.standin.messages import messages_module
from tapeflow._src.standin.private_modules import is_private, private_module, refusal

ROOT = "tensorflow"
_PUBLIC = "tapeflow"
# Other ways to the root: `tensorflow.compat.v2.keras` is `tensorflow.keras`.
_ALSO_ROOT = ("compat.v2", "_api.v2")
_ALSO_V1 = {"_api.v2.compat.v1": "compat.v1", "compat.v1.compat.v1": "compat.v1"}


class StandInFinder(MetaPathFinder):
    """Finds modules below `tensorflow`, and the metadata of the package."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how the module is loaded, or None for modules of other packages."""
        if fullname != ROOT and not fullname.startswith(f"{ROOT}."):
            return None
        return ModuleSpec(fullname, StandInLoader(), is_package=True)

    def find_distributions(
        self, context: metadata.DistributionFinder.Context | None = None
    ) -> Iterable[metadata.Distribution]:
        """Return the metadata of the interface that is served, so that version checks pass."""
        name = None if context is None else context.name
        return iter([StandInDistribution()] if names_tensorflow(name) else [])

    def invalidate_caches(self) -> None:
        """Nothing is cached."""


class StandInLoader(Loader):
    """Serves a module that exists already, or creates a private one."""

    def __init__(self) -> None:
        self._own_spec: Any = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module that serves a name."""
        module = served(spec.name)
        self._own_spec = getattr(module, "__spec__", None)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module back its own spec, which the import system has replaced."""
        if self._own_spec is not None:
            module.__spec__ = self._own_spec


def served(fullname: str) -> ModuleType:
    """Return the module for a name such as `tensorflow.keras.layers`.

    Raises:
        ModuleNotFoundError: nothing serves it.
    """
    name = _plain(fullname.partition(".")[2])
    if name.startswith("core.") and name.endswith("_pb2"):
        return messages_module(fullname)
    if is_private(name):
        return private_module(fullname, name)
    value: Any = load_module(_PUBLIC)
    for part in name.split(".") if name else ():
        value = getattr(value, part, None)
        if value is None:
            break
    if not isinstance(value, ModuleType):
        raise ModuleNotFoundError(refusal(fullname, name), name=ROOT)
    return value


def _plain(name: str) -> str:
    """Return the shortest name of a module below `tensorflow`."""
    for longer, shorter in _prefixes():
        if name == longer or name.startswith(f"{longer}."):
            return _plain((shorter + name[len(longer) :]).lstrip("."))
    return name


def _prefixes() -> Iterator[tuple[str, str]]:
    yield from _ALSO_V1.items()
    for longer in _ALSO_ROOT:
        yield longer, ""
