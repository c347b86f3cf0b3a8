"""The public API as text: every public name of the package, with signatures, sorted.

python -m tests.public_api            # show what has changed
python -m tests.public_api --update   # record it, after a deliberate change
"""

from __future__ import annotations

import argparse
import difflib
import enum
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import tapeflow

GOLDEN = Path(__file__).parent / "public_api.txt"
TENSORFLOW = Path(__file__).parent / "golden" / "tensorflow_signatures.json"
# A module that is no namespace of TensorFlow's is how the library is made; nobody imports it.
NAMESPACES = set(json.loads(TENSORFLOW.read_text(encoding="utf-8"))["modules"])
# The namespaces that Tapeflow has beyond TensorFlow.
NAMESPACES |= {"tf.explain"}
# What the parts of the engine ask of any tensor; users have `shape` and `tf.get_static_value`.
ENGINE = {"static_shape", "static_value"}
PLAIN = bool | int | float | complex | str | bytes | None


def signature(function: Any, *, skip_first: bool = False) -> str:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return "(...)"
    shown = [
        p.replace(annotation=p.empty, default=p.default if p.default is p.empty else Default(p))
        for p in parameters[1 if skip_first else 0 :]
    ]
    return str(inspect.Signature(shown))


class Default:
    """A default value that prints the same in every process."""

    def __init__(self, parameter: inspect.Parameter) -> None:
        self.value = parameter.default

    def __repr__(self) -> str:
        if isinstance(self.value, PLAIN):
            return repr(self.value)
        if isinstance(self.value, tuple | list) and all(isinstance(v, PLAIN) for v in self.value):
            return repr(self.value)
        name = getattr(self.value, "name", None) or getattr(self.value, "__name__", None)
        return name if isinstance(name, str) else f"<{type(self.value).__name__}>"


def is_ours(value: Any) -> bool:
    module = getattr(value, "__module__", None)
    return not isinstance(module, str) or module.split(".")[0] == "tapeflow"


def names(module: ModuleType) -> list[str]:
    """What a module offers: `__all__`, or what it holds that is its own."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    return sorted(
        name
        for name in dir(module)
        if not name.startswith("_") and name != "annotations" and is_ours(getattr(module, name))
    )


def constructor(cls: type) -> str:
    """How a class is called; nothing where it says nothing of its own about that."""
    if issubclass(cls, enum.Enum):
        return ""
    if cls.__init__ is not object.__init__:
        return signature(cls.__init__, skip_first=True)
    if "__new__" in vars(cls):
        return signature(cls.__new__, skip_first=True)
    return ""


def comes_from_base(cls: type, name: str, member: Any) -> bool:
    """Whether Keras lists the member already, with one of the many classes' common bases."""
    return any(
        base.__module__.startswith("tapeflow._src.keras.")
        and not base.__name__.startswith("_")
        and inspect.getattr_static(base, name, None) is member
        for base in cls.__mro__[1:]
    )


def describe_class(path: str, cls: type) -> Iterator[str]:
    yield path + constructor(cls)
    if issubclass(cls, BaseException):
        return
    for name in sorted({n for base in cls.__mro__ if is_ours(base) for n in vars(base)}):
        member = inspect.getattr_static(cls, name)
        if name.startswith("_") or name in ENGINE or comes_from_base(cls, name, member):
            continue
        if isinstance(member, staticmethod | classmethod):
            yield f"{path}.{name}{signature(getattr(cls, name))}"
        elif inspect.isfunction(member):
            yield f"{path}.{name}{signature(member, skip_first=True)}"
        else:
            yield f"{path}.{name}"


def describe(path: str, module: ModuleType) -> Iterator[str]:
    for name in names(module):
        value = getattr(module, name)
        here = f"{path}.{name}"
        if inspect.ismodule(value):
            if here in NAMESPACES:
                yield f"{here}: module"
                yield from describe(here, value)
        elif inspect.isclass(value):
            yield from describe_class(here, value)
        elif callable(value):
            yield f"{here}{signature(value)}"
        else:
            yield f"{here}: {type(value).__name__}"


def current() -> list[str]:
    return sorted(describe("tf", tapeflow))


def difference() -> list[str]:
    recorded = GOLDEN.read_text(encoding="utf-8").splitlines() if GOLDEN.exists() else []
    lines = difflib.unified_diff(recorded, current(), "recorded", "current", lineterm="", n=0)
    return [line for line in lines if not line.startswith("@@")]


def main() -> None:
    parser = argparse.ArgumentParser(description="Show or record the public API.")
    parser.add_argument("--update", action="store_true")
    if parser.parse_args().update:
        GOLDEN.write_text("\n".join(current()) + "\n", encoding="utf-8")
        print(f"{len(current())} lines -> {GOLDEN.name}")
    else:
        print("\n".join(difference()) or "no change")


if __name__ == "__main__":
    main()
