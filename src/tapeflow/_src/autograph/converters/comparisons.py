"""Chained comparisons: `a < b < c` is `a < b and b < c`, with `b` evaluated once."""

from __future__ import annotations

import ast
import copy
from typing import Any

from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter, binds
from tapeflow._src.autograph.converters.templates import expression


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrite chains as conjunctions."""
    return _Comparisons(context).visit(tree)


class _Comparisons(Converter):
    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) == 1 or any(map(binds, node.comparators)):
            return node
        return self._chain(node.left, node.ops, node.comparators, node)

    def _chain(
        self, left: ast.expr, ops: list[ast.cmpop], right: list[ast.expr], at: ast.AST
    ) -> ast.expr:
        if len(ops) == 1:
            return ast.copy_location(ast.Compare(left, ops, right), at)
        middle = right[0]
        if isinstance(middle, ast.Name | ast.Constant):
            first = ast.Compare(left, ops[:1], [middle])
            rest = self._chain(copy.deepcopy(middle), ops[1:], right[1:], at)
            return expression("FIRST and REST", at, FIRST=first, REST=rest)
        low, high = self.context.block("left"), self.context.fresh("right")
        names = ast.Name(low, ast.Load()), ast.Name(high, ast.Load())
        inner = self._chain(names[0], ops, [names[1], *right[1:]], at)
        return expression(
            "(lambda LOW, HIGH: INNER)(LEFT, RIGHT)",
            at,
            LOW=low,
            HIGH=high,
            INNER=inner,
            LEFT=left,
            RIGHT=middle,
        )
