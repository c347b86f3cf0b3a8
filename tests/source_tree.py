"""The sources of the library, parsed: what the tests of layering and house style look at."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "tapeflow"
LAZY = "tapeflow._src.core.lazy"


@dataclass(frozen=True)
class Import:
    """One module a file imports, by its full name, and where."""

    target: str
    line: int
    in_function: bool


@dataclass(frozen=True)
class Source:
    """One file: its path below the package, its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def module(self) -> str:
        parts = ["tapeflow", *Path(self.path).with_suffix("").parts]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        """What a relative import in this file starts from."""
        return self.module if self.path.endswith("__init__.py") else self.module.rpartition(".")[0]

    @cached_property
    def imports(self) -> list[Import]:
        """Every module imported, by statement or through the lazy-loading helper."""
        lazy_names = {
            alias.asname or alias.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if f"{self._origin(node)}.{alias.name}".startswith(LAZY)
        }
        return [
            Import(target, node.lineno, in_function)  # type: ignore[attr-defined]
            for node, in_function in _walk(self.tree)
            for target in self._targets(node, lazy_names)
        ]

    def _targets(self, node: ast.AST, lazy_names: set[str]) -> list[str]:
        match node:
            case ast.Import():
                return [alias.name for alias in node.names]
            case ast.ImportFrom():
                origin = self._origin(node)
                return [f"{origin}.{alias.name}" for alias in node.names]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id=name))) if (
                name in lazy_names
            ):
                return _named_modules(node)
        return []

    def _origin(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.package.split(".")
        base = parts[: len(parts) - node.level + 1]
        return ".".join([*base, node.module] if node.module else base)


def _named_modules(call: ast.Call) -> list[str]:
    """The modules that a call of the lazy-loading helper names: its first argument, or a table."""
    texts = [
        part.value
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        for part in _constants(argument)
        if isinstance(part.value, str)
    ]
    own = [text.rstrip(".:") for text in texts if text.startswith("tapeflow.")]
    return own or texts[:1]


def _constants(tree: ast.AST) -> Iterator[ast.Constant]:
    """The constants of an expression, without those inside f-strings."""
    if isinstance(tree, ast.Constant):
        yield tree
    elif not isinstance(tree, ast.JoinedStr):
        for child in ast.iter_child_nodes(tree):
            yield from _constants(child)


def _walk(tree: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every node in the order of the text, and whether it is inside a function."""
    stack = [(tree, False)]
    while stack:
        node, in_function = stack.pop()
        yield node, in_function
        inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        stack.extend((child, inside) for child in reversed(list(ast.iter_child_nodes(node))))


def parse(path: str, text: str) -> Source:
    return Source(path, text, ast.parse(text, path))


@cache
def sources() -> tuple[Source, ...]:
    """The files of the library, parsed once per process.

    They are a million objects that live as long as the process: the garbage collector would visit
    them again and again, while they are made and in every test that follows.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        parsed = tuple(
            parse(file.relative_to(PACKAGE).as_posix(), file.read_text(encoding="utf-8"))
            for file in sorted(PACKAGE.rglob("*.py"))
        )
        gc.freeze()
    finally:
        if enabled:
            gc.enable()
    return parsed
