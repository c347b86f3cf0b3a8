"""`items.append(value)` inside branches and loops: a staged loop uses another kind of list.

Only for the function's own variables: a list that is referenced elsewhere must stay the same
object.
"""

from __future__ import annotations

import ast
from typing import Any

from tapeflow._src.autograph.analysis.activity import inside, parameters
from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter
from tapeflow._src.autograph.converters.templates import statements


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Convert appending to an assignment."""
    return _Lists(context).visit(tree)


def appended(block: list[ast.stmt]) -> set[str]:
    """Return the variables to which a converted block appends."""
    names = set()
    for statement in block:
        for node in ast.walk(statement):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="ag__"), attr="list_append"),
                    args=[ast.Name(id=name), _],
                ):
                    names.add(name)
    return names


class _Lists(Converter):
    _local_names: set[str] = set()
    _depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        outer = self._local_names, self._depth
        self._local_names, self._depth = (
            set(inside(node).local_names) - set(parameters(node.args)),
            0,
        )
        super().visit_FunctionDef(node)
        self._local_names, self._depth = outer
        return node

    def _inside(self, node: ast.stmt) -> Any:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node

    visit_If = visit_For = visit_While = _inside

    def visit_Expr(self, node: ast.Expr) -> Any:
        match node.value:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"),
                args=[value],
                keywords=[],
            ) if self._depth and name in self._local_names:
                template = "NAME = ag__.list_append(NAME, VALUE)"
                return statements(template, node, NAME=name, VALUE=value)
        return node
