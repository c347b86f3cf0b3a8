"""`assert` statements."""

from __future__ import annotations

import ast
from typing import Any

from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter
from tapeflow._src.autograph.converters.templates import statements


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Convert assertions to calls of an operator."""
    return _Asserts(context).visit(tree)


class _Asserts(Converter):
    def visit_Assert(self, node: ast.Assert) -> Any:
        if node.msg is None:
            return statements("ag__.assert_stmt(TEST)", node, TEST=node.test)
        template = "ag__.assert_stmt(TEST, lambda: MESSAGE)"
        return statements(template, node, TEST=node.test, MESSAGE=node.msg)
