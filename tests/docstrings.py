"""How well the public API is documented, counted per source folder.

python -m tests.docstrings                          # the table
python -m tests.docstrings --missing api/math       # what those of one folder lack
"""

from __future__ import annotations

import argparse
import enum
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import tapeflow
from tests.public_api import NAMESPACES, comes_from_base, is_ours, names

SOURCE = Path(tapeflow.__file__).parent / "_src"
# Interfaces of TensorFlow 1 and of the raw ops: their users have other documents.
LEFT_OUT = ("tf.compat", "tf.raw_ops", "tf.keras.src", "tf.__internal__")
# Arguments that mean the same everywhere.
OBVIOUS = {"self", "cls", "name", "args", "kwargs"}
SECTION = {
    "args": re.compile(r"^ *Args:$", re.M),
    "returns": re.compile(r"^ *(Returns|Yields):$", re.M),
    "raises": re.compile(r"^ *Raises:$", re.M),
    "example": re.compile(r"^ *>>> ", re.M),
}


@dataclass(frozen=True)
class Entry:
    """A public function, class or method, where it is defined, and what its docstring holds."""

    path: str
    folder: str
    file: str
    line: int
    kind: str
    name: str
    text: str
    parameters: tuple[str, ...]

    @property
    def summary(self) -> bool:
        return bool(self.text.strip())

    def has(self, section: str) -> bool:
        return SECTION[section].search(self.text) is not None

    @property
    def arguments_documented(self) -> bool:
        """Whether every argument that has to be explained is, if there are any."""
        needed = [p for p in self.parameters if p not in OBVIOUS]
        return not needed or (
            self.has("args")
            and all(re.search(rf"^ *\**{re.escape(p)}\b", self.text, re.M) for p in needed)
        )

    @property
    def lacks(self) -> list[str]:
        missing = [] if self.summary else ["summary"]
        missing += [] if self.arguments_documented else ["args"]
        needs_returns = self.kind == "function"
        missing += ["returns"] if needs_returns and not self.has("returns") else []
        return missing + ([] if self.has("example") else ["example"])


def parameters_of(function: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def entry(path: str, value: Any, kind: str) -> Entry | None:
    """Describe `value`; None for what has no source of its own in the library."""
    code = inspect.unwrap(value) if not inspect.isclass(value) else value
    if inspect.isfunction(code):
        file, line = Path(code.__code__.co_filename), code.__code__.co_firstlineno
    elif inspect.isclass(code):
        # Finding the line of a class parses its file; the few thousand here would take minutes.
        file, line = Path(getattr(sys.modules.get(code.__module__), "__file__", None) or ""), 0
    else:
        return None
    if SOURCE not in file.parents:
        return None
    inside = file.relative_to(SOURCE)
    folder = "/".join(inside.parts[:2] if inside.parts[0] in ("api", "keras") else inside.parts[:1])
    text = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
    called = value.__init__ if inspect.isclass(value) else value
    parameters = () if inspect.isclass(value) and issubclass(value, enum.Enum) else called
    return Entry(
        path=path,
        folder=folder,
        file=str(inside),
        line=line,
        kind=kind,
        name=code.__qualname__,
        text=text or "",
        parameters=parameters and parameters_of(parameters),
    )


def members(path: str, cls: type) -> Iterator[Entry | None]:
    for name in sorted({n for base in cls.__mro__ if is_ours(base) for n in vars(base)}):
        member = inspect.getattr_static(cls, name)
        if name.startswith("_") or comes_from_base(cls, name, member):
            continue
        if isinstance(member, staticmethod | classmethod):
            member = member.__func__
        if inspect.isfunction(member):
            item = entry(f"{path}.{name}", member, "method")
            # What a method overrides documents it, as `help` and the API reference show.
            yield item and replace(item, text=inspect.getdoc(getattr(cls, name)) or "")


def walk(path: str, module: ModuleType) -> Iterator[Entry | None]:
    for name in names(module):
        here = f"{path}.{name}"
        if here.startswith(LEFT_OUT):
            continue
        value = getattr(module, name)
        if inspect.ismodule(value):
            if here in NAMESPACES:
                yield from walk(here, value)
        elif inspect.isclass(value):
            yield entry(here, value, "class")
            if not issubclass(value, BaseException):
                yield from members(here, value)
        elif callable(value):
            yield entry(here, value, "function")


def entries() -> list[Entry]:
    """Return one entry per definition, under the shortest of its public names."""
    shortest: dict[tuple[str, int, str], Entry] = {}
    for item in walk("tf", tapeflow):
        if item is not None:
            key = (item.file, item.line, item.name)
            held = shortest.get(key)
            if held is None or (len(item.path), item.path) < (len(held.path), held.path):
                shortest[key] = item
    return sorted(shortest.values(), key=lambda item: (item.file, item.line))


@dataclass
class Share:
    """How many of the entries of a folder have each part of a docstring."""

    total: int = 0
    summary: int = 0
    args: int = 0
    returns: int = 0
    example: int = 0

    def add(self, item: Entry) -> None:
        lacks = item.lacks
        self.total += 1
        self.summary += "summary" not in lacks
        self.args += "args" not in lacks
        self.returns += "returns" not in lacks
        self.example += "example" not in lacks


def shares(items: list[Entry]) -> dict[str, Share]:
    table: dict[str, Share] = defaultdict(Share)
    for item in items:
        table[item.folder].add(item)
        table["all"].add(item)
    return dict(sorted(table.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description="Count what public docstrings hold.")
    parser.add_argument("--missing", metavar="FOLDER", help="list what definitions there lack")
    folder = parser.parse_args().missing
    items = entries()
    if folder is None:
        for name, share in shares(items).items():
            print(
                f"{name:28} {share.total:5}  summary {share.summary:5}  args {share.args:5}  "
                f"returns {share.returns:5}  example {share.example:5}"
            )
        return
    for item in items:
        if item.file.startswith(folder) and item.lacks:
            print(f"{item.file}:{item.line} {item.path} ({item.kind}): {', '.join(item.lacks)}")


if __name__ == "__main__":
    main()
