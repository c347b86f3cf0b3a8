"""Converting, tracing and running functions in the tests of AutoGraph."""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

import tapeflow as tf
from tapeflow._src.autograph import api, pipeline
from tapeflow._src.autograph.converters.context import Context, bound_names, used_names
from tapeflow._src.autograph.converters.functions import generators
from tapeflow._src.autograph.errors import explaining
from tapeflow._src.autograph.operators.namespace import namespace
from tapeflow._src.autograph.options import Options

_count = 0


def convert(function: Any) -> Any:
    """A function converted with the real operators."""
    return pipeline.convert(function, Options(), namespace(Options()))


def traced(function: Callable[..., Any], **options: Any) -> Any:
    """A function converted and made a `tf.function`, whatever the function layer does by itself."""
    converted = api.convert_entity(function)

    def run(*args: Any, **kwargs: Any) -> Any:
        with explaining():
            return converted(*args, **kwargs)

    run.__name__ = getattr(function, "__name__", "function")
    return tf.function(run, autograph=False, **options)


def define(text: str, **names: Any) -> Any:
    """The last function that a text defines, with the text in `linecache` as notebooks have it."""
    global _count
    _count += 1
    filename = f"<test {_count}>"
    text = textwrap.dedent(text)
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    scope: dict[str, Any] = {"tf": tf, "__name__": f"test_{_count}", **names}
    exec(compile(text, filename, "exec"), scope)
    return [value for value in scope.values() if isinstance(value, FunctionType)][-1]


def parsed(text: str) -> tuple[Any, Context]:
    """The tree of a function's text, and a context for converting it."""
    (node,) = ast.parse(textwrap.dedent(text)).body
    if isinstance(node, ast.Expr):
        node = node.value  # type: ignore[assignment]
    return node, Context(Options(), {}, used_names(node), bound_names(node), generators(node))


def stepped(step: Callable[[ast.AST, Context], ast.AST], text: str) -> str:
    """The text of a function after one step."""
    node, context = parsed(text)
    return ast.unparse(step(node, context))


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """What a call gives, or the type of what it raises."""
    try:
        return function(*args)
    except Exception as error:
        return type(error)
