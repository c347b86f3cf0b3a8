"""Compile a syntax tree to a function that shares the original's globals, closure and defaults.

The code carries the names and lines of the user's file.
"""

from __future__ import annotations

import ast
import copy
import inspect
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from tapeflow._src.autograph.registry import register
from tapeflow._src.autograph.sources import FUTURES, Definition

OPERATORS = "ag__"
# The flags of code for generators, coroutines and asynchronous generators.
GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


@dataclass(frozen=True)
class Blocks:
    """Which nested functions of a converted one are its blocks, rather than the user's own."""

    # Their names, or those of their first parameter.
    names: set[str]
    # The lines with the user's own lambdas without parameters, like those for operands.
    own_lambdas: set[int]

    def include(self, code: CodeType) -> bool:
        """Whether code is that of a block."""
        if code.co_name != "<lambda>":
            return code.co_name in self.names or code.co_name in _COMPREHENSIONS
        if not code.co_argcount:
            return code.co_firstlineno not in self.own_lambdas
        return code.co_varnames[0] in self.names


def lines_of_lambdas(tree: ast.AST) -> set[int]:
    """Return the lines of a tree with lambdas without parameters."""
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return {node.lineno for node in lambdas if not node.args.args and not node.args.posonlyargs}


def compiled(definition: Definition, original: CodeType, blocks: Blocks) -> CodeType:
    """Return the code of a converted definition, to replace `original`."""
    function = _stripped(definition.node)
    module = ast.fix_missing_locations(_wrap_in_factory(function, definition.class_name, original))
    flags = original.co_flags & FUTURES
    code = compile(module, original.co_filename, "exec", flags=flags, dont_inherit=True)
    depth = 2 if definition.class_name is None else 3
    for _ in range(depth):
        code = next(each for each in code.co_consts if isinstance(each, CodeType))
    return _named(code, original.co_name, original.co_qualname, blocks, block=False)


def _stripped(node: Any) -> Any:
    """Return the function without decorators, defaults and annotations, already evaluated."""
    stripped = copy.copy(node)
    stripped.args = arguments = copy.deepcopy(node.args)
    arguments.defaults, arguments.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg):
            each.annotation = None
    if not isinstance(stripped, ast.Lambda):
        stripped.decorator_list, stripped.returns, stripped.type_params = [], None, []
    return stripped


def _wrap_in_factory(function: Any, class_name: str | None, original: CodeType) -> ast.Module:
    """Wrap the function in one that owns its free variables, inside its class.

    The class defines private names (`__x`) and the class of `super()`.
    """
    free = [name for name in (*original.co_freevars, OPERATORS) if name != "__class__"]
    if class_name is None and "__class__" in original.co_freevars:
        free.append("__class__")
    outer = ast.parse(f"def outer({', '.join(free)}): pass")
    definition = ast.Expr(function) if isinstance(function, ast.Lambda) else function
    outer.body[0].body = [definition]  # type: ignore[attr-defined]
    if class_name is None:
        return outer
    module = ast.parse("class Owner: pass")
    module.body[0].name = class_name  # type: ignore[attr-defined]
    module.body[0].body = outer.body  # type: ignore[attr-defined]
    return module


def _named(code: CodeType, name: str, qualname: str, blocks: Blocks, *, block: bool) -> CodeType:
    """Return code under the user's names: a block has the name of its function."""
    constants = []
    for each in code.co_consts:
        if isinstance(each, CodeType) and not _is_generator(each):
            if blocks.include(each):
                each = _named(each, name, qualname, blocks, block=True)
            else:
                inner = f"{qualname}.<locals>.{each.co_name}"
                each = _named(each, each.co_name, inner, blocks, block=False)
        constants.append(each)
    renamed = code.replace(co_name=name, co_qualname=qualname, co_consts=tuple(constants))
    register(renamed, block=block)
    return renamed


def _is_generator(code: CodeType) -> bool:
    """Whether code is that of a nested generator or coroutine, which is not converted."""
    return bool(code.co_flags & GENERATORS) and not code.co_name.startswith("<")


def instantiate(code: CodeType, function: FunctionType, operators: Any) -> FunctionType:
    """Return a function with that code, otherwise like `function`."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[OPERATORS] = CellType(operators)
    closure = tuple(cells[name] for name in code.co_freevars)
    name = f"tf__{_identifier(function)}"
    converted = FunctionType(code, function.__globals__, name, function.__defaults__, closure)
    converted.__kwdefaults__ = function.__kwdefaults__
    return converted


def _identifier(function: FunctionType) -> str:
    name = function.__name__
    return "lam" if name == "<lambda>" else name
