"""The visitor that all converters share: which functions and parts of a tree are converted."""

from __future__ import annotations

import ast
from typing import Any

from tapeflow._src.autograph.analysis.scopes import walk_body
from tapeflow._src.autograph.converters.context import Context


def generators(tree: ast.AST) -> set[ast.AST]:
    """Return the generator functions of a tree."""
    return {
        function
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.Lambda)
        and any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk_body(function))
    }


def binds(node: ast.expr) -> bool:
    """Whether an expression binds a variable (`:=`), and so must stay in its function."""
    return any(isinstance(each, ast.NamedExpr) for each in ast.walk(node))


class Converter(ast.NodeTransformer):
    """Visits the bodies of functions. Decorators, annotations and the like stay unchanged.

    So do nested generators and coroutines: their code runs later, piece by piece. In a class only
    the functions are visited, because its own statements have variables that functions do not see.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if node not in self.context.generators:
            node.body = self.block(node.body)
            self.function(node)
        return node

    def function(self, node: ast.FunctionDef) -> None:
        """Change one function, in place, after those inside it."""

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        if node not in self.context.generators:
            node.body = self.visit(node.body)
        return node

    def block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements, each replaced by the result of its visit."""
        done: list[ast.stmt] = []
        for statement in block:
            new = self.visit(statement)
            if isinstance(new, list):
                done.extend(new)
            elif new is not None:
                done.append(new)
        return done or [ast.copy_location(ast.Pass(), block[0])]

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        for each in node.body:
            if isinstance(each, ast.FunctionDef | ast.ClassDef):
                self.visit(each)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node
