"""Stubs of the namespaces whose names are loaded when they are used.

Type checkers and editors do not see names that `core.lazy.later` loads, so each such package has a
`__init__.pyi` that imports them, made from the package's own table.

    python -m tests.stubs            says which stubs differ from the tables
    python -m tests.stubs --update   writes them
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

from tapeflow._src.core.lazy import TABLES, Table
from tests.source_tree import PACKAGE

HEADER = "# Made by `make stubs` from the table in the module of the same name.\n"
WIDTH = 100
# Namespaces of TensorFlow 1 and of its own internals, whose tables name modules in loose ways.
WITHOUT = ("tapeflow.compat.v1", "tapeflow.__internal__")


def packages() -> dict[str, Path]:
    """Load every package that has a table; its name, and the stub that it is to have."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "__getattr__, __dir__ =" in path.read_text(encoding="utf-8"):
            relative = path.relative_to(PACKAGE.parent).with_suffix("")
            name = ".".join(relative.parts).removesuffix(".__init__")
            if name != "tapeflow._src.core.lazy":
                importlib.import_module(name)
    found = {}
    for name in sorted(n for n in TABLES if not n.startswith(WITHOUT)):
        folder = PACKAGE.parent.joinpath(*name.split("."))
        module = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        if module.exists() and not _defines(module):
            found[name] = module.with_suffix(".pyi")
    return found


def _defines(module: Path) -> bool:
    """Whether a module has public functions or classes of its own, which a stub would hide."""
    return any(
        isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
        for node in ast.parse(module.read_text(encoding="utf-8")).body
    )


def text_of(package: str, stub: Path) -> str:
    """What the stub of a package has to say."""
    tree = ast.parse(stub.with_suffix(".py").read_text(encoding="utf-8"))
    lines = [line for node in tree.body for line in _imported(node)]
    lines += _loaded(package, TABLES[package])
    return HEADER + "\n" + "\n".join(sorted(set(lines))) + "\n"


def _imported(node: ast.stmt) -> list[str]:
    """The public names that a statement imports."""
    if not isinstance(node, ast.ImportFrom) or node.module in ("__future__", "typing"):
        return []
    return [
        _line(str(node.module), alias.name, alias.asname or alias.name)
        for alias in node.names
        if not (alias.asname or alias.name).startswith("_") or (alias.asname or "")[:2] == "__"
    ]


def _loaded(package: str, table: Table) -> list[str]:
    lines = []
    for name, entry in table.modules.items():
        module = entry.removesuffix(":")
        if entry.endswith(":") or entry == f"{package}.{name}":
            parent, _, last = module.rpartition(".")
            lines.append(_line(parent, last, name) if parent else f"import {last} as {name}")
        else:
            lines.append(_line(module, name, name))
    if table.rest is not None:
        lines.append(f"from {table.rest} import *")
    return lines


def _line(module: str, name: str, alias: str) -> str:
    line = f"from {module} import {name} as {alias}"
    return line if len(line) <= WIDTH else f"from {module} import (\n    {name} as {alias},\n)"


def main() -> None:
    update = "--update" in sys.argv[1:]
    stale = 0
    for package, stub in packages().items():
        text = text_of(package, stub)
        if stub.exists() and stub.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(stub.relative_to(PACKAGE.parent))
        if update:
            stub.write_text(text, encoding="utf-8")
    if stale and not update:
        sys.exit("These stubs differ from the tables: run `make stubs`.")


if __name__ == "__main__":
    main()
