"""Code from quoted templates: names written in capitals are filled in.

A part is an expression or a name (a string); for a capital alone on a line a list of statements,
and for `STATE=STATE` in a call a list of keyword arguments.
"""

from __future__ import annotations

import ast
import copy
import textwrap
from functools import cache
from typing import Any


def statements(template: str, at: ast.AST, **parts: Any) -> list[ast.stmt]:
    """The statements of a template, standing where `at` stands."""
    tree = copy.deepcopy(_parsed(template))
    filled = _Fill(parts).visit(tree)
    return [locate(each, at) for each in filled.body]


def expression(template: str, at: ast.AST, **parts: Any) -> ast.expr:
    """The expression of a template, standing where `at` stands."""
    (statement,) = statements(template, at, **parts)
    if not isinstance(statement, ast.Expr):
        raise TypeError(f"The template is not an expression: {template}")
    return statement.value


def locate(node: Any, at: ast.AST) -> Any:
    """Give every node without a place in the file the place of `at`."""
    for each in ast.walk(node):
        if "lineno" in each._attributes and not hasattr(each, "lineno"):
            ast.copy_location(each, at)
    return node


def names(identifiers: Any, at: ast.AST) -> ast.Tuple:
    """The values of variables, as a tuple."""
    elements: list[ast.expr] = [ast.Name(name, ast.Load()) for name in identifiers]
    tuple_: ast.Tuple = locate(ast.Tuple(elements, ast.Load()), at)
    return tuple_


@cache
def _parsed(template: str) -> ast.Module:
    tree = ast.parse(textwrap.dedent(template))
    for node in ast.walk(tree):
        for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(node, attribute):
                delattr(node, attribute)
    return tree


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: dict[str, Any]) -> None:
        self._parts = parts

    def _name(self, name: str) -> Any:
        part = self._parts.get(name, name)
        if not isinstance(part, str):
            raise TypeError(f"{name} must be filled with a name, not {type(part).__name__}")
        return part

    def visit_Name(self, node: ast.Name) -> Any:
        part = self._parts.get(node.id)
        if part is None:
            return node
        return ast.Name(part, node.ctx) if isinstance(part, str) else part

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Name):
            part = self._parts.get(node.value.id)
            if isinstance(part, list):
                return part
        return self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> Any:
        part = self._parts.get(node.arg or "")
        return part if isinstance(part, list) else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.name = self._name(node.name)
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> Any:
        node.arg = self._name(node.arg)
        return node
