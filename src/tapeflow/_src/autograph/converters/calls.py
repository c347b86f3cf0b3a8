"""Calls: the callee is converted first, or replaced by an operator, where that matters.

Functions of modules that are never converted, and built-in functions without an operator, are
recognised at conversion time and stay unchanged.
"""

from __future__ import annotations

import ast
from types import BuiltinFunctionType, ModuleType
from typing import Any

from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter
from tapeflow._src.autograph.converters.templates import expression
from tapeflow._src.autograph.policy import OVERLOADED, is_library


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Convert every callee."""
    return _Calls(context).visit(tree)


class _Calls(Converter):
    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if not self._stays(node.func):
            node.func = expression("ag__.call(FUNCTION)", node.func, FUNCTION=node.func)
        return node

    def _stays(self, function: ast.expr) -> bool:
        match function:
            case ast.Attribute(value=ast.Name(id="ag__")) | ast.Lambda():
                return True
            case ast.Attribute(value=owner):
                module = self.context.value_of(owner)
                return isinstance(module, ModuleType) and is_library(module.__dict__)
            case ast.Name():
                value = self.context.value_of(function)
                if value is print:
                    return not self.context.options.prints_values
                return _is_plain_builtin(value)
        return False


def _is_plain_builtin(value: Any) -> bool:
    is_builtin = isinstance(value, type | BuiltinFunctionType)
    return is_builtin and value.__module__ == "builtins" and value.__name__ not in OVERLOADED
