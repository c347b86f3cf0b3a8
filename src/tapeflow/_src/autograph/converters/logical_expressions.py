"""`and`, `or` and `not`."""

from __future__ import annotations

import ast
from typing import Any

from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter, binds
from tapeflow._src.autograph.converters.templates import expression


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Convert logical expressions to calls of operators."""
    return _LogicalExpressions(context).visit(tree)


class _LogicalExpressions(Converter):
    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        self.generic_visit(node)
        if any(map(binds, node.values[1:])):
            return node
        operator = "and_" if isinstance(node.op, ast.And) else "or_"
        first, *others = node.values
        call = expression(f"ag__.{operator}(FIRST)", node, FIRST=first)
        later = [expression("lambda: VALUE", value, VALUE=value) for value in others]
        call.args.extend(later)
        return call

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return expression("ag__.not_(VALUE)", node, VALUE=node.operand)
