"""From a syntax tree to a function: it shares the original's globals, closure and defaults.

The code carries the names and lines of the user's file.
"""

from __future__ import annotations

import ast
import copy
from types import CellType, CodeType, FunctionType
from typing import Any

from tapeflow.autograph.registry import register
from tapeflow.autograph.sources import FUTURES, Definition

OPERATORS = "ag__"


def compiled(definition: Definition, original: CodeType, blocks: set[str]) -> CodeType:
    """The code of a converted definition, to be used in place of `original`.

    blocks: the functions that stand for blocks of the function around them.
    """
    function = _stripped(definition.node)
    module = ast.fix_missing_locations(_around(function, definition.class_name, original))
    flags = original.co_flags & FUTURES
    code = compile(module, original.co_filename, "exec", flags=flags, dont_inherit=True)
    depth = 2 if definition.class_name is None else 3
    for _ in range(depth):
        code = next(each for each in code.co_consts if isinstance(each, CodeType))
    return _named(code, original.co_name, original.co_qualname, blocks, block=False)


def _stripped(node: Any) -> Any:
    """The function without what is evaluated where it is defined: it has been, already."""
    made = copy.copy(node)
    made.args = arguments = copy.deepcopy(node.args)
    arguments.defaults, arguments.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg):
            each.annotation = None
    if not isinstance(made, ast.Lambda):
        made.decorator_list, made.returns, made.type_params = [], None, []
    return made


def _around(function: Any, class_name: str | None, original: CodeType) -> ast.Module:
    """The function inside one that owns its free variables, inside its class.

    The class gives private names (`__x`) their meaning, and `super()` its class.
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


def _named(code: CodeType, name: str, qualname: str, blocks: set[str], *, block: bool) -> CodeType:
    """Code under the user's names: a block goes by the name of its function."""
    constants = []
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_name in blocks:
                each = _named(each, name, qualname, blocks, block=True)
            else:
                inner = f"{qualname}.<locals>.{each.co_name}"
                each = _named(each, each.co_name, inner, blocks, block=False)
        constants.append(each)
    named = code.replace(co_name=name, co_qualname=qualname, co_consts=tuple(constants))
    register(named, block=block)
    return named


def instantiate(code: CodeType, function: FunctionType, operators: Any) -> FunctionType:
    """A function with that code, which is otherwise like `function`."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[OPERATORS] = CellType(operators)
    closure = tuple(cells[name] for name in code.co_freevars)
    name = f"tf__{_identifier(function)}"
    made = FunctionType(code, function.__globals__, name, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _identifier(function: FunctionType) -> str:
    name = function.__name__
    return "lam" if name == "<lambda>" else name
