"""The conversion pipeline: this file lists the steps."""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from tapeflow._src.autograph import factory, sources
from tapeflow._src.autograph.converters import (
    asserts,
    calls,
    comparisons,
    conditional_expressions,
    control_flow,
    directives,
    lists,
    logical_expressions,
    loop_exits,
    returns,
    supers,
)
from tapeflow._src.autograph.converters.context import Context, bound_names, used_names
from tapeflow._src.autograph.converters.functions import generators
from tapeflow._src.autograph.errors import UnsupportedFeature
from tapeflow._src.autograph.options import Options
from tapeflow._src.autograph.registry import CodeTable
from tapeflow._src.autograph.verbosity import log, verbosity

Step = Callable[[ast.AST, Context], ast.AST]

STEPS: tuple[Step, ...] = (
    directives.convert,
    supers.convert,
    # Exits from blocks, until only branches and loops without jumps are left.
    returns.convert,
    loop_exits.convert,
    lists.convert,
    # Blocks become functions.
    control_flow.convert,
    # Parts of statements.
    asserts.convert,
    comparisons.convert,
    logical_expressions.convert,
    conditional_expressions.convert,
    calls.convert,
)


@dataclass(frozen=True)
class Generated:
    """Converted code, and the tree it was compiled from."""

    code: CodeType
    tree: ast.FunctionDef | ast.Lambda
    name: str

    def text(self) -> str:
        """Return the code as Python text."""
        if isinstance(self.tree, ast.Lambda):
            return f"{self.name} = {ast.unparse(self.tree)}"
        return ast.unparse(self.tree)


_cache: CodeTable[dict[Options, Generated]] = CodeTable()
_lock = threading.RLock()


def convert(function: FunctionType, options: Options, operators: Any) -> FunctionType:
    """Return the converted function. `operators` is `ag__` in its code."""
    return factory.instantiate(generate(function, options).code, function, operators)


def generate(function: FunctionType, options: Options) -> Generated:
    """Return the converted code of a function, cached for all functions with the same code."""
    code = function.__code__
    cached = _cache.get(code)
    if cached is not None and options in cached:
        return cached[options]
    with _lock:
        cached = _cache.get(code) or {}
        if options not in cached:
            cached[options] = _generate(function, options)
            _cache.set(code, cached)
        return cached[options]


def _generate(function: FunctionType, options: Options) -> Generated:
    definition = sources.definition_of(function)
    node = definition.node
    if isinstance(node, ast.AsyncFunctionDef):
        raise UnsupportedFeature("coroutines (async functions) cannot be converted", node)
    if node in generators(node):
        raise UnsupportedFeature("generators cannot be converted", node)
    code = function.__code__
    context = Context(
        options,
        function.__globals__,
        used_names(node),
        bound_names(node) | set(code.co_freevars),
        generators(node),
        definition.class_name,
    )
    own_lambdas = factory.lines_of_lambdas(node)
    tree = transform(node, context)
    name = f"tf__{getattr(tree, 'name', 'lam')}"
    if isinstance(tree, ast.FunctionDef):
        tree.name, tree.decorator_list = name, []
    blocks = factory.Blocks(context.blocks, own_lambdas)
    converted = factory.compiled(sources.Definition(tree, definition.class_name), code, blocks)
    generated = Generated(converted, tree, name)
    log(1, "converted %s", function)
    if verbosity() >= 10:
        log(10, "generated code:\n%s", generated.text())
    return generated


def transform(node: Any, context: Context) -> Any:
    """Apply all steps, in order."""
    for step in STEPS:
        node = step(node, context)
    return node
