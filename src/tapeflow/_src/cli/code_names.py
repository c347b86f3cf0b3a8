"""Finds the names of TensorFlow and Keras that Python code uses, by reading it."""

from __future__ import annotations

import ast
import json
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

# What stands for which namespace of `tf`, by the name that is imported.
PACKAGES = {"tensorflow": "", "tapeflow": "", "tf_keras": "keras", "keras": "keras"}
_SAME_AS_TF = ("compat.v2",)


@dataclass(frozen=True)
class Use:
    """A name that code uses, without `tf.`, with the keyword arguments of a call of it."""

    path: str
    line: int
    name: str
    keywords: tuple[str, ...] = ()


def uses(path: str) -> Iterator[Use]:
    """Yield the names that a Python file or notebook uses.

    Raises:
        SyntaxError: if it cannot be parsed.
    """
    visitor = _Visitor(path)
    try:
        with warnings.catch_warnings():
            # About escapes in strings, for instance: running the program shows them.
            warnings.simplefilter("ignore")
            visitor.visit(ast.parse(_source(path), path))
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(f"{type(error).__name__}: {error}") from error
    yield from visitor.uses


def _source(path: str) -> str:
    if not path.endswith(".ipynb"):
        with tokenize.open(path) as file:
            return file.read()
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    try:
        cells = [cell for cell in notebook.get("cells", ()) if cell.get("cell_type") == "code"]
        lines = [line.rstrip("\n") for cell in cells for line in _lines(cell.get("source", ""))]
    except (AttributeError, TypeError) as error:
        raise ValueError(f"expected the cells of a notebook: {error}") from error
    # Commands of notebooks are no Python.
    return "\n".join("pass" if line.lstrip().startswith(("!", "%")) else line for line in lines)


def _lines(source: str | list[str]) -> list[str]:
    return source.splitlines() if isinstance(source, str) else source


def tf_name(module: str) -> str | None:
    """Return the name below `tf` of a module, or None if it is of another package."""
    package, _, rest = module.partition(".")
    if package not in PACKAGES:
        return None
    name = ".".join(part for part in (PACKAGES[package], rest) if part)
    for prefix in _SAME_AS_TF:
        if name == prefix or name.startswith(f"{prefix}."):
            name = name[len(prefix) + 1 :]
    return name


class _Visitor(ast.NodeVisitor):
    """Follows imports and chains of attributes."""

    def __init__(self, path: str) -> None:
        self.uses: list[Use] = []
        self._path = path
        self._aliases: dict[str, str] = {}

    def _add(self, node: ast.AST, name: str, keywords: tuple[str, ...] = ()) -> None:
        if name:
            self.uses.append(Use(self._path, getattr(node, "lineno", 0), name, keywords))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = tf_name(alias.name)
            if name is None:
                continue
            self._add(node, name)
            if alias.asname:
                self._aliases[alias.asname] = name
            else:
                top = alias.name.partition(".")[0]
                self._aliases[top] = PACKAGES[top]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = None if node.level or node.module is None else tf_name(node.module)
        if module is None:
            return
        for alias in node.names:
            if alias.name == "*":
                self._add(node, module)
                continue
            name = f"{module}.{alias.name}" if module else alias.name
            self._add(node, name)
            self._aliases[alias.asname or alias.name] = name

    def visit_Call(self, node: ast.Call) -> None:
        name = self._name(node.func)
        if name is None:
            self.visit(node.func)
        else:
            keywords = tuple(keyword.arg for keyword in node.keywords if keyword.arg)
            self._add(node.func, name, keywords)
        for argument in (*node.args, *node.keywords):
            self.visit(argument)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self._name(node)
        if name is None:
            self.generic_visit(node)
        else:
            self._add(node, name)

    def _name(self, node: ast.expr) -> str | None:
        """Return the name below `tf` that a chain of attributes stands for."""
        if isinstance(node, ast.Name):
            return self._aliases.get(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        base = self._name(node.value)
        if base is None:
            return None
        return f"{base}.{node.attr}" if base else node.attr
