"""Explicit conversion: `tf.autograph.to_graph`, `to_code`, and the entry points of functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from tapeflow._src.autograph.context import converting, is_converting
from tapeflow._src.autograph.errors import AutoGraphError, ConversionError, UnsupportedFeature
from tapeflow._src.autograph.operators.namespace import Namespace, namespace
from tapeflow._src.autograph.options import Options
from tapeflow._src.core.lazy import LazyModule

# Needed only once a function is converted.
pipeline = LazyModule("tapeflow._src.autograph.pipeline", "AutoGraph")


def convert_entity(
    fn: Callable[..., Any], *, recursive: bool = True, optional_features: Any = None
) -> Callable[..., Any]:
    """Convert `fn` to a callable to be traced, or return it, with a warning, if impossible."""
    converted = _requested(fn, namespace(Options.of(recursive, optional_features)))
    if converted is fn:
        return fn

    def traced(*args: Any, **kwargs: Any) -> Any:
        with converting(True):
            return converted(*args, **kwargs)

    return traced


def _requested(fn: Any, operators: Namespace) -> Any:
    """Whether to convert: explicit requests include libraries' functions, but not our own code."""
    match fn:
        case FunctionType():
            ours = fn.__globals__.get("__name__", "").partition(".")[0] == "tapeflow"
            return fn if ours else operators.convert(fn)
        case MethodType():
            function = _requested(fn.__func__, operators)
            return fn if function is fn.__func__ else MethodType(function, fn.__self__)
        case partial():
            function = _requested(fn.func, operators)
            return fn if function is fn.func else partial(function, *fn.args, **fn.keywords)
    return operators.call(fn)


def convert_callback(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Convert a callback of one of our functions, such as `tf.map_fn`, if the caller's code was."""
    return namespace(Options()).call(fn) if is_converting() else fn


def do_not_convert(func: Any = None) -> Any:
    """Return a function that is not converted, nor what it calls, in converted code too.

    Args:
        func: The function; None for use with parentheses.

    Returns:
        The function.

    Example:
        >>> @tf.autograph.experimental.do_not_convert
        ... def double(x):
        ...     return x * 2
        >>> int(tf.function(double)(3))
        6
    """
    if func is None:
        return do_not_convert
    if not isinstance(func, FunctionType | MethodType | partial) and hasattr(
        func, "python_function"
    ):
        return func

    @functools.wraps(func, updated=())
    def as_it_is(*args: Any, **kwargs: Any) -> Any:
        with converting(False):
            return func(*args, **kwargs)

    return as_it_is


def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """Return a function like `entity` with its control flow converted to graph operations.

    Args:
        entity: A function or method.
        recursive: Whether functions that it calls are converted, too.
        experimental_optional_features: A `tf.autograph.experimental.Feature`, or several.

    Returns:
        The converted function.

    Example:
        >>> def absolute(x):
        ...     if x < 0:
        ...         x = -x
        ...     return x
        >>> converted = tf.autograph.to_graph(absolute)
        >>> int(tf.function(converted, autograph=False)(tf.constant(-3)))
        3
    """
    options = Options.of(recursive, experimental_optional_features)
    function = _code_of(entity)
    try:
        converted = pipeline.convert(function, options, namespace(options))
    except UnsupportedFeature:
        raise
    except AutoGraphError as error:
        raise ConversionError(f"converting {entity}: {type(error).__name__}: {error}") from None
    return converted if function is entity else MethodType(converted, entity.__self__)


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Return the Python source that `to_graph` generates for `entity`.

    Args:
        entity: A function or method.
        recursive: Whether functions that it calls are converted, too.
        experimental_optional_features: A `tf.autograph.experimental.Feature`, or several.

    Returns:
        The source, a string.

    Example:
        >>> def absolute(x):
        ...     if x < 0:
        ...         x = -x
        ...     return x
        >>> "def " in tf.autograph.to_code(absolute)
        True
    """
    options = Options.of(recursive, experimental_optional_features)
    function = _code_of(entity)
    try:
        return pipeline.generate(function, options).text() + "\n"
    except UnsupportedFeature:
        raise
    except AutoGraphError as error:
        raise ConversionError(f"converting {entity}: {type(error).__name__}: {error}") from None


def _code_of(entity: Any) -> FunctionType:
    function = entity.__func__ if isinstance(entity, MethodType) else entity
    if not isinstance(function, FunctionType):
        raise ConversionError(
            f"converting {entity}: it has no Python code to convert (no __code__), only functions "
            "and methods do. Of a tf.function, pass f.python_function."
        )
    return function
