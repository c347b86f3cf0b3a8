"""Names of `tf.compat.v1` that are names of TensorFlow 2: the same functions, often moved.

`aliases.txt` lists them (`tests/parity/record_v1_aliases.py` records it). Functions whose
signature has changed are not among them; they have definitions of their own in this package.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tapeflow._src.core.lazy import load_module, missing_name

_FILE = Path(__file__).with_name("aliases.txt")
_ROOT = "tapeflow"
_PACKAGE = f"{_ROOT}.compat.v1"


@functools.cache
def recorded() -> dict[str, dict[str, str]]:
    """Return the names of each namespace, and what each is called in TensorFlow 2."""
    spaces: dict[str, dict[str, str]] = {}
    for line in _FILE.read_text("utf-8").splitlines():
        space, *names = line.split()
        space = "" if space == "." else space
        pairs = (name.partition("=") for name in names)
        spaces[space] = {own: to or f"{space}.{own}".lstrip(".") for own, _, to in pairs}
    return spaces


def _resolved(name: str) -> Any:
    value: Any = load_module(_ROOT)
    for part in name.split("."):
        value = getattr(value, part)
    return value


def aliases(
    package: str, namespace: dict[str, Any], modules: dict[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a namespace of `tf.compat.v1`.

    Args:
        package: The module's `__name__`.
        namespace: Its globals: what it defines itself.
        modules: The modules in which further names are defined, or which they are.
    """
    space = package.removeprefix(_PACKAGE).lstrip(".")
    further = modules or {}

    def load(name: str) -> Any:
        if name in further:
            module = load_module(further[name])
            value = module if further[name] == f"{package}.{name}" else getattr(module, name)
        elif name in recorded().get(space, ()):
            value = _resolved(recorded()[space][name])
        elif name == "__all__":
            return [each for each in names() if each[0] != "_"]
        else:
            raise missing_name(package, name, names())
        namespace[name] = value
        return value

    def names() -> list[str]:
        return sorted({*namespace, *further, *recorded().get(space, ())})

    return load, names


def namespace(space: str) -> ModuleType:
    """Return a namespace of `tf.compat.v1` that has aliases only."""
    module = ModuleType(f"{_PACKAGE}.{space}", f"`tf.compat.v1.{space}`: names of TensorFlow 2.")
    module.__getattr__, module.__dir__ = aliases(module.__name__, module.__dict__)  # type: ignore
    return module
