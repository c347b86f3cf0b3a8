"""Finds the names of TensorFlow and Keras that Python code uses, by reading it."""

from __future__ import annotations

import ast
import json
import textwrap
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
        SyntaxError: if it cannot be parsed; for a notebook, after the cells that can be.
    """
    visitor = _Visitor(path)
    broken: SyntaxError | None = None
    try:
        for offset, text in _sources(path):
            try:
                with warnings.catch_warnings():
                    # About escapes in strings, for instance: running the program shows them.
                    warnings.simplefilter("ignore")
                    tree = ast.parse(text, path)
            except SyntaxError as error:
                error.lineno = (error.lineno or 1) + offset
                broken = broken or error
                continue
            visitor.visit(ast.increment_lineno(tree, offset))
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(f"{type(error).__name__}: {error}") from error
    yield from visitor.uses
    if broken is not None:
        raise broken


def _sources(path: str) -> Iterator[tuple[int, str]]:
    """Yield the parts that are parsed on their own, each after how many lines it begins."""
    if not path.endswith(".ipynb"):
        with tokenize.open(path) as file:
            yield 0, file.read()
        return
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    try:
        cells = [cell for cell in notebook.get("cells", ()) if cell.get("cell_type") == "code"]
        texts = [[line.rstrip("\n") for line in _lines(cell.get("source", ""))] for cell in cells]
    except (AttributeError, TypeError) as error:
        raise ValueError(f"expected the cells of a notebook: {error}") from error
    offset = 0
    for lines in texts:
        yield offset, "\n".join(_python_of(lines))
        offset += len(lines)


# Magics of cells whose other lines are Python.
_PYTHON_CELLS = ("%%time", "%%capture", "%%prun")


def _python_of(lines: list[str]) -> list[str]:
    """Return the lines of a cell with `pass` for the commands of notebooks."""
    first = next((line.strip() for line in lines if line.strip()), "")
    writes_python = first.startswith("%%writefile") and first.endswith(".py")
    if first.startswith("%%") and not (first.startswith(_PYTHON_CELLS) or writes_python):
        return [""] * len(lines)
    python, continued = [], False
    for line in textwrap.dedent("\n".join(lines)).split("\n"):
        code = line.lstrip()
        command = code.startswith(("!", "%")) or (code.endswith("?") and "#" not in code)
        if continued:
            python.append("")
        else:
            python.append(line[: len(line) - len(code)] + "pass" if command else line)
        continued = (continued or command) and line.endswith("\\")
    return python


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
