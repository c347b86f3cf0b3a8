"""`a if test else b`."""

from __future__ import annotations

import ast
from typing import Any

from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter, binds
from tapeflow._src.autograph.converters.templates import expression


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Convert conditional expressions to calls of an operator."""
    return _ConditionalExpressions(context).visit(tree)


class _ConditionalExpressions(Converter):
    def visit_IfExp(self, node: ast.IfExp) -> Any:
        text = ast.Constant(ast.unparse(node.test))
        self.generic_visit(node)
        if binds(node.body) or binds(node.orelse):
            return node
        return expression(
            "ag__.if_exp(TEST, lambda: BODY, lambda: ORELSE, TEXT)",
            node,
            TEST=node.test,
            BODY=node.body,
            ORELSE=node.orelse,
            TEXT=text,
        )
