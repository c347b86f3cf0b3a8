"""Code from quoted templates: names in capitals are placeholders.

A part is an expression or a name (a string); for a capital alone on a line a list of statements,
and for `STATE=STATE` in a call a list of keyword arguments.
"""

from __future__ import annotations

import ast
import textwrap
from functools import cache
from typing import Any


def statements(template: str, at: ast.AST, **parts: Any) -> list[ast.stmt]:
    """Return the statements of a template, located at `at`."""
    fill = _Fill(parts, at)
    filled: list[ast.stmt] = fill.all(_parsed(template))
    return filled


def expression(template: str, at: ast.AST, **parts: Any) -> Any:
    """Return the expression of a template, located at `at`."""
    (statement,) = statements(template, at, **parts)
    if not isinstance(statement, ast.Expr):
        raise TypeError(f"The template is not an expression: {template}")
    return statement.value


def locate(node: Any, at: ast.AST) -> Any:
    """Return a new node, located at `at`."""
    return ast.copy_location(node, at)


def names(identifiers: Any, at: ast.AST) -> ast.Tuple:
    """Return the values of variables, as a tuple expression."""
    elements: list[ast.expr] = [locate(ast.Name(name, ast.Load()), at) for name in identifiers]
    tuple_: ast.Tuple = locate(ast.Tuple(elements, ast.Load()), at)
    return tuple_


@cache
def _parsed(template: str) -> list[ast.stmt]:
    return ast.parse(textwrap.dedent(template)).body


class _Fill:
    """Copies a template's nodes and fills in the parts."""

    def __init__(self, parts: dict[str, Any], at: ast.AST) -> None:
        self._parts = parts
        self._at = at

    def all(self, nodes: list[Any]) -> list[Any]:
        """Return copies of nodes; a part may be several."""
        copies: list[Any] = []
        for node in nodes:
            part = self._part(node)
            copies.extend(part) if isinstance(part, list) else copies.append(self.one(node))
        return copies

    def _part(self, node: Any) -> Any:
        match node:
            case ast.Expr(value=ast.Name(id=str(name))) | ast.keyword(arg=str(name)):
                return self._parts.get(name)
        return None

    def one(self, node: Any) -> Any:
        """Return a copy of a node, or the part that replaces it."""
        if not isinstance(node, ast.AST):
            return node
        if isinstance(node, ast.Name) and node.id in self._parts:
            part = self._parts[node.id]
            if not isinstance(part, str):
                return part
        clone = type(node)()
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                copied: Any = self.all(value)
            elif isinstance(value, str) and not isinstance(node, ast.Constant):
                copied = self._named(value)
            else:
                copied = self.one(value)
            setattr(clone, name, copied)
        return ast.copy_location(clone, self._at)

    def _named(self, name: str) -> str:
        """Return a name, or its replacement."""
        part = self._parts.get(name, name)
        return part if isinstance(part, str) else name
