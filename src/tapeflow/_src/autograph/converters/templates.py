"""Code from quoted templates: names written in capitals are filled in.

A part is an expression or a name (a string); for a capital alone on a line a list of statements,
and for `STATE=STATE` in a call a list of keyword arguments.
"""

from __future__ import annotations

import ast
import textwrap
from functools import cache
from typing import Any


def statements(template: str, at: ast.AST, **parts: Any) -> list[ast.stmt]:
    """The statements of a template, standing where `at` stands."""
    fill = _Fill(parts, at)
    made: list[ast.stmt] = fill.all(_parsed(template))
    return made


def expression(template: str, at: ast.AST, **parts: Any) -> Any:
    """The expression of a template, standing where `at` stands."""
    (statement,) = statements(template, at, **parts)
    if not isinstance(statement, ast.Expr):
        raise TypeError(f"The template is not an expression: {template}")
    return statement.value


def locate(node: Any, at: ast.AST) -> Any:
    """A new node, standing where `at` stands."""
    return ast.copy_location(node, at)


def names(identifiers: Any, at: ast.AST) -> ast.Tuple:
    """The values of variables, as a tuple."""
    elements: list[ast.expr] = [locate(ast.Name(name, ast.Load()), at) for name in identifiers]
    tuple_: ast.Tuple = locate(ast.Tuple(elements, ast.Load()), at)
    return tuple_


@cache
def _parsed(template: str) -> list[ast.stmt]:
    return ast.parse(textwrap.dedent(template)).body


class _Fill:
    """A copy of a template's nodes, with the parts in their places."""

    def __init__(self, parts: dict[str, Any], at: ast.AST) -> None:
        self._parts = parts
        self._at = at

    def all(self, nodes: list[Any]) -> list[Any]:
        """Copies of nodes; a part may be several."""
        made: list[Any] = []
        for node in nodes:
            part = self._part(node)
            made.extend(part) if isinstance(part, list) else made.append(self.one(node))
        return made

    def _part(self, node: Any) -> Any:
        match node:
            case ast.Expr(value=ast.Name(id=str(name))) | ast.keyword(arg=str(name)):
                return self._parts.get(name)
        return None

    def one(self, node: Any) -> Any:
        """A copy of a node, or the part that it stands for."""
        if not isinstance(node, ast.AST):
            return node
        if isinstance(node, ast.Name) and node.id in self._parts:
            part = self._parts[node.id]
            if not isinstance(part, str):
                return part
        made = type(node)()
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                copied: Any = self.all(value)
            elif isinstance(value, str) and not isinstance(node, ast.Constant):
                copied = self._named(value)
            else:
                copied = self.one(value)
            setattr(made, name, copied)
        return ast.copy_location(made, self._at)

    def _named(self, name: str) -> str:
        """A name, or what is to be there in its place."""
        part = self._parts.get(name, name)
        return part if isinstance(part, str) else name
