"""Read the source of a calling line: the names it passes, and where these were bound.

Read only to explain something that has already gone wrong, so that it may take its time. Where
there is no source, as for code typed into a plain REPL, everything here is empty.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tapeflow._src.core.source import Location, is_library_file


class Binding(NamedTuple):
    """A statement that binds a name; `value` is the expression, None for loops and imports."""

    name: str
    line: int
    value: ast.expr | None


class CallSite:
    """The line of the user's code that is calling the library now."""

    def __init__(self, file: str, line: int, function: str) -> None:
        self.file = file
        self.line = line
        self.function = function
        lines = linecache.getlines(file)
        self._tree = _parsed("".join(lines)) if lines else None

    @classmethod
    def now(cls) -> CallSite | None:
        """Return the innermost call of this thread that is outside the library."""
        frame = sys._getframe(1)
        while frame is not None:
            code = frame.f_code
            if not is_library_file(code.co_filename):
                return cls(code.co_filename, frame.f_lineno, code.co_name)
            frame = frame.f_back  # type: ignore[assignment]
        return None

    def location(self, line: int) -> Location:
        """Return a line of the same file."""
        return Location(self.file, line, self.function)

    def arguments(self, method: str) -> list[ast.expr]:
        """Return the arguments of the call of `method` on this line, in the order written."""
        for node in self._walk(self._tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == method
                and node.lineno <= self.line <= (node.end_lineno or node.lineno)
            ):
                return [*node.args, *(keyword.value for keyword in node.keywords)]
        return []

    def receiver(self, method: str) -> str:
        """Return the name of the object whose `method` is called on this line; "" if none."""
        for node in self._walk(self._tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == method
                and isinstance(node.func.value, ast.Name)
                and node.lineno <= self.line <= (node.end_lineno or node.lineno)
            ):
                return node.func.value.id
        return ""

    def bindings(self, name: str) -> list[Binding]:
        """Return the statements of the same function, or module, that bind a name, in order."""
        bound = [
            Binding(name, node.lineno, _value(node))
            for node in self._own_statements()
            if isinstance(node, ast.stmt | ast.expr) and name in _targets(node)
        ]
        return sorted(bound, key=lambda binding: binding.line)

    def blocks(self, name: str) -> list[tuple[int, int]]:
        """Return the first and last lines of the `with` blocks that bind a name."""
        return [
            (node.lineno, node.end_lineno or node.lineno)
            for node in self._own_statements()
            if isinstance(node, ast.With | ast.AsyncWith)
            and any(
                isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == name
                for item in node.items
            )
        ]

    def _scope(self) -> ast.AST | None:
        """Return the innermost function around the line, or the module."""
        innermost: ast.AST | None = self._tree
        for node in self._walk(self._tree):
            if isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef
            ) and node.lineno <= self.line <= (node.end_lineno or node.lineno):
                innermost = node
        return innermost

    def _own_statements(self) -> Iterator[ast.AST]:
        """Yield the nodes of the scope, without those of functions defined in it."""
        scope = self._scope()
        waiting = [] if scope is None else list(ast.iter_child_nodes(scope))
        while waiting:
            node = waiting.pop()
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield node
                waiting += ast.iter_child_nodes(node)

    @staticmethod
    def _walk(tree: ast.AST | None) -> Iterator[ast.AST]:
        return iter(()) if tree is None else ast.walk(tree)


@lru_cache(maxsize=8)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _targets(node: ast.AST) -> set[str]:
    match node:
        case ast.Assign(targets=targets):
            return {name for target in targets for name in _names(target)}
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
            return set(_names(target))
        case ast.NamedExpr(target=target):
            return set(_names(target))
    return set()


def _names(target: ast.AST) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _names(element)


def _value(node: ast.AST) -> ast.expr | None:
    return getattr(node, "value", None)
