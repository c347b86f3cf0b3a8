"""Modules loaded at first use, so that `import tapeflow` stays cheap. Only this file does it."""

from __future__ import annotations

import importlib
import opcode
import os
import sys
from collections.abc import Callable, Collection
from types import ModuleType
from typing import Any, NamedTuple

from tapeflow._src.core import interrupts, probes


@interrupts.defers_interrupts
def _import(name: str) -> ModuleType:
    return importlib.import_module(name)


def load_module(name: str) -> ModuleType:
    """Import a module completely: a module half-imported at a Ctrl-C cannot be imported again."""
    interrupts.install()
    try:
        return _import(name)
    finally:
        if interrupts.pending:
            interrupts.deliver()


def loaded(name: str) -> ModuleType | None:
    """Return a module if it has been imported, None otherwise.

    Another thread may be importing it: until that is done it lacks names.
    """
    module = sys.modules.get(name)
    spec = getattr(module, "__spec__", None)
    return None if getattr(spec, "_initializing", False) else module


class LazyModule:
    """Stands for a module until one of its attributes is accessed."""

    def __init__(self, name: str, needed_for: str = "", install: str = "") -> None:
        self._name = name
        self._needed_for = needed_for
        self._install = install or name.partition(".")[0]
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            self._module = self._load()
        value = getattr(self._module, attribute)
        setattr(self, attribute, value)
        return value

    def _load(self) -> ModuleType:
        try:
            return load_module(self._name)
        except ImportError as error:
            purpose = f" for {self._needed_for}" if self._needed_for else ""
            raise ImportError(
                f"{self._name} is needed{purpose} and cannot be imported: {error}. "
                f"Install it with `pip install {self._install}`."
            ) from error

    def __repr__(self) -> str:
        return f"<lazy module {self._name}>"


_util = LazyModule("importlib.util")
_machinery = LazyModule("importlib.machinery")


class LazyExtension:
    """An extension module of a package, loaded from its file without importing the package.

    Importing `scipy.fft` takes 0.2 s, and loading the module that it calls 1 ms. `paths`: where
    releases of the package have it, without the suffix.
    """

    def __init__(self, package: str, *paths: str) -> None:
        self._package = package
        self._paths = paths

    def load(self) -> ModuleType | None:
        """Return the module, or None where the package or the module is missing."""
        package = _util.find_spec(self._package)
        if package is None or package.origin is None:
            return None
        root = os.path.dirname(package.origin)
        for path in self._paths:
            folder, name = os.path.split(os.path.join(root, path))
            spec = _machinery.PathFinder.find_spec(name, [folder])
            if spec is not None:
                module: ModuleType = _util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
        return None


probes.register(LazyModule, "_load", "import", lambda self: self._name)

_names = LazyModule("tapeflow._src.core.tensorflow_names")


class Table(NamedTuple):
    """The modules of the lazy names of a package: see `later`."""

    modules: dict[str, str]
    rest: str | None


# The tables of the loaded packages, by name; the stubs are generated from them.
TABLES: dict[str, Table] = {}


def later(
    package: str, namespace: dict[str, Any], modules: dict[str, str], rest: str | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a package with lazily loaded names.

    `namespace` holds the package's globals, `modules` the module that each name is, or is defined
    in; an entry that ends with a colon is a module that has the name in this package only. The
    public names of the module `rest` are all names of the package, too.
    """

    TABLES[package] = Table(modules, rest)
    for value in namespace.values():
        _explain_nested(value)

    def load(name: str) -> Any:
        source = modules.get(name)
        if source is None and rest is not None and (name == "__all__" or name[0] != "_"):
            if name == "__all__":
                return [each for each in names() if not each.startswith("_")]
            source = rest
        if source is None:
            raise missing_name(package, name, names())
        module = load_module(source.removesuffix(":"))
        itself = source.endswith(":") or source == f"{package}.{name}"
        if source == rest and not hasattr(module, name):
            raise missing_name(package, name, names())
        value = module if itself else getattr(module, name)
        _explain_nested(value)
        namespace[name] = value
        return value

    def names() -> list[str]:
        others = () if rest is None else dir(load_module(rest))
        return sorted({*namespace, *modules, *others})

    if rest is not None:
        return load, names
    # The names for `from package import *`.
    own = {name for name, value in namespace.items() if _is_defined_in_package(value)}
    namespace.setdefault("__all__", sorted(n for n in {*own, *modules} if not n.startswith("_")))
    return load, names


def explain_missing(path: str, module: ModuleType | None = None) -> None:
    """Make a public module say more of names that it does not have.

    Modules whose names are loaded lazily do it by themselves; the others call this at their end.
    It is invisible to type checkers, for whom a module with a `__getattr__` has every name.

    Args:
        path: The public name of the module.
        module: The module, if it has another name itself.
    """
    module = sys.modules[path] if module is None else module
    siblings = vars(module)

    def missing(name: str) -> Any:
        raise missing_name(path, name, tuple(siblings))

    module.__getattr__ = missing  # type: ignore[method-assign]
    for value in tuple(siblings.values()):
        _explain_nested(value)


def _explain_nested(value: Any) -> None:
    if not isinstance(value, ModuleType) or "__getattr__" in vars(value):
        return
    path = value.__name__
    if path.startswith("tapeflow.") and not path.startswith("tapeflow._src"):
        explain_missing(path)


_IMPORT_FROM = opcode.opmap["IMPORT_FROM"]


def missing_name(package: str, name: str, siblings: Collection[str]) -> Exception:
    """Return the error of a package's `__getattr__` for a name that it does not have.

    `from package import name` replaces an AttributeError by a message of its own: it receives an
    ImportError.
    """
    frame = sys._getframe(2)
    is_import = frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM
    if is_import and f"{package}.{name}" not in sys.modules:
        return _names.MissingImportError(package, name, siblings)
    return _names.MissingNameError(package, name, siblings)


def _is_defined_in_package(value: Any) -> bool:
    """Whether a value was not imported from another package."""
    home = None if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return not isinstance(home, str) or home.partition(".")[0] == "tapeflow"


_pkgutil = LazyModule("pkgutil")


def load_all(package: str) -> None:
    """Load every module of a package, recursively."""
    for module in _pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(module.name)
