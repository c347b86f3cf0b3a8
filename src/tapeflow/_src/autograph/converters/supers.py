"""`super()` without arguments, which depends on its frame: the call may move to another."""

from __future__ import annotations

import ast
from typing import Any

from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter
from tapeflow._src.autograph.converters.templates import expression


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Write out the arguments of `super()`."""
    return _Supers(context).visit(tree)


class _Supers(Converter):
    _first: str | None = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        outer = self._first
        arguments = [*node.args.posonlyargs, *node.args.args]
        self._first = arguments[0].arg if arguments else None
        super().visit_FunctionDef(node)
        self._first = outer
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        no_arguments = not node.args and not node.keywords
        if self._first and no_arguments and self.context.value_of(node.func) is super:
            return expression("super(__class__, FIRST)", node, FIRST=self._first)
        return node
