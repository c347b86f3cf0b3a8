"""`tf.autograph.experimental.set_loop_options(…)` in a loop: removed, and stored with the loop."""

from __future__ import annotations

import ast

from tapeflow._src.autograph.analysis.notes import note
from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter
from tapeflow._src.autograph.directives import LOOP_OPTIONS, set_loop_options


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Move the options of loops out of their bodies."""
    return _Directives(context).visit(tree)


class _Directives(Converter):
    def visit_For(self, node: ast.For) -> ast.For:
        self._take(node)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self._take(node)
        return node

    def _take(self, loop: ast.For | ast.While) -> None:
        keywords: list[ast.keyword] = []
        remaining: list[ast.stmt] = []
        for statement in loop.body:
            options = self._options(statement)
            if options is None:
                remaining.append(statement)
            else:
                keywords += options
        loop.body = self.block(remaining or [ast.copy_location(ast.Pass(), loop)])
        if loop.orelse:
            loop.orelse = self.block(loop.orelse)
        note(loop, options=keywords)

    def _is_directive(self, function: ast.expr) -> bool:
        """Whether it is the directive, also by name: it may be an enclosing variable."""
        match function:
            case ast.Attribute(attr="set_loop_options") | ast.Name(id="set_loop_options"):
                return True
        return self.context.value_of(function) is set_loop_options

    def _options(self, statement: ast.stmt) -> list[ast.keyword] | None:
        match statement:
            case ast.Expr(value=ast.Call(func=function, args=args, keywords=keywords)):
                if self._is_directive(function):
                    return [ast.keyword(*pair) for pair in zip(LOOP_OPTIONS, args)] + keywords
        return None
