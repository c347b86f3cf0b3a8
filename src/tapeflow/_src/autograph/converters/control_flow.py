"""`if`, `while` and `for`: each block becomes a function, which an operator runs or stages.

The blocks share the function's variables (`nonlocal`), so that running them is exactly running the
statement. A variable that is neither live into a block nor out of it is local to it.
"""

from __future__ import annotations

import ast

from tapeflow._src.autograph.analysis.activity import parameters
from tapeflow._src.autograph.analysis.exits import blocks
from tapeflow._src.autograph.analysis.liveness import Liveness
from tapeflow._src.autograph.analysis.scopes import scope_of
from tapeflow._src.autograph.converters import branches, loops
from tapeflow._src.autograph.converters.blocks import Frame, shared
from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter

Block = list[ast.stmt]


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrite the control flow of all functions of a tree."""
    return _Functions(context).visit(tree)


class _Functions(Converter):
    """Visits the functions; the body of each is rewritten by its own `_Statements`."""

    def function(self, node: ast.FunctionDef) -> None:
        if not any(isinstance(each, ast.If | ast.While | ast.For) for each in ast.walk(node)):
            return
        scope = scope_of(node)
        frame = Frame(self.context, scope, Liveness(node.body, scope), _rewrite)
        documented = 1 if ast.get_docstring(node, clean=False) is not None else 0
        top, body = node.body[:documented], node.body[documented:]
        new = frame.outermost(body, {*parameters(node.args), *scope.outside}, node)
        node.body = top + shared(scope.globals, scope.nonlocals, node) + new


def _rewrite(statement: ast.stmt, frame: Frame) -> Block:
    """Return the statements that replace one; its blocks are rewritten, too."""
    match statement:
        case ast.If():
            return branches.convert(statement, frame)
        case ast.While():
            return loops.convert_while(statement, frame)
        case ast.For():
            return loops.convert_for(statement, frame)
        case ast.Global() | ast.Nonlocal():
            return []  # repeated in every function that needs it
        case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
            # Blocks may share the variable, and Python allows no annotation of a nonlocal one.
            return [ast.copy_location(ast.Assign([target], value), statement)]
    for block in blocks(statement):
        block[:] = frame.rewritten(block)
    return [statement]
