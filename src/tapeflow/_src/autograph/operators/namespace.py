"""`ag__`: the namespace of generated code, and the conversion of callees."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import cache, partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from tapeflow._src.autograph.errors import AutoGraphError
from tapeflow._src.autograph.factory import GENERATORS
from tapeflow._src.autograph.operators import branches, lists, logical, loops
from tapeflow._src.autograph.operators import builtins as overloads
from tapeflow._src.autograph.operators.printing import print_
from tapeflow._src.autograph.operators.variables import Attribute, Item
from tapeflow._src.autograph.options import Options
from tapeflow._src.autograph.policy import is_library
from tapeflow._src.autograph.registry import announce, is_converted, refuse
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger

# Needed only once a function is converted.
pipeline = LazyModule("tapeflow._src.autograph.pipeline", "AutoGraph")


class Namespace:
    """The operators, for conversions with the same options."""

    if_stmt = staticmethod(branches.if_stmt)
    if_exp = staticmethod(branches.if_exp)
    while_stmt = staticmethod(loops.while_stmt)
    for_stmt = staticmethod(loops.for_stmt)
    and_ = staticmethod(logical.and_)
    or_ = staticmethod(logical.or_)
    not_ = staticmethod(logical.not_)
    assert_stmt = staticmethod(logical.assert_stmt)
    list_append = staticmethod(lists.list_append)
    attribute = Attribute
    item = Item

    def __init__(self, options: Options) -> None:
        self.options = options
        self._overloads: dict[Any, Callable[..., Any]] = {
            **overloads.OVERLOADS,
            builtins.map: self._map,
            builtins.filter: self._filter,
        }
        if options.prints_values:
            self._overloads[builtins.print] = print_

    def call(self, function: Any) -> Any:
        """Return the callee for `function`: converted, unless it stays unchanged.

        A table by type decides how; there is no order of rules to know.
        """
        return _RESOLVERS.get(type(function), _convert_object)(self, function)

    def convert(self, function: FunctionType, *, warn: bool = True) -> FunctionType:
        """Return the converted function; the function itself, with a warning, if it cannot be."""
        if is_converted(function.__code__):
            return function
        try:
            return pipeline.convert(function, self.options, self)
        except RecursionError:
            raise
        except Exception as error:
            _refuse(function, error, warn)
            return function

    def _map(self, function: Any, *iterables: Any) -> Any:
        return overloads.map_(self.call(function), *iterables)

    def _filter(self, function: Any, iterable: Any) -> Any:
        return overloads.filter_(self.call(function) if function else function, iterable)


@cache
def namespace(options: Options) -> Namespace:
    """Return the operators for these options."""
    return Namespace(options)


def _refuse(function: FunctionType, error: Exception, warn: bool) -> None:
    """Warn once that a function is not converted, and why."""
    reason = str(error)
    if not isinstance(error, AutoGraphError):
        reason = f"of an error in AutoGraph, please report it: {type(error).__name__}: {error}"
    refuse(function.__code__, reason)
    if warn and announce(function.__code__):
        logger.warning(
            "AutoGraph could not convert %s; it runs as plain Python.\nCause: %s\nThe "
            "decorator @tf.autograph.experimental.do_not_convert does that without a warning",
            function,
            reason,
        )


# -- conversion by type of callable ------------------------------------------------------------


def _of_function(names: Namespace, function: FunctionType) -> Any:
    if not names.options.recursive or is_library(function.__globals__):
        return function
    # A generator runs piece by piece, on its own: it is not worth a warning.
    is_generator = bool(function.__code__.co_flags & GENERATORS)
    return names.convert(function, warn=not is_generator)


def _of_method(names: Namespace, method: MethodType) -> Any:
    function = method.__func__
    converted = names.call(function)
    return method if converted is function else MethodType(converted, method.__self__)


def _of_builtin(names: Namespace, function: Any) -> Any:
    return names._overloads.get(function, function)


def _of_partial(names: Namespace, function: partial[Any]) -> Any:
    return partial(names.call(function.func), *function.args, **function.keywords)


def _convert_object(names: Namespace, function: Any) -> Any:
    """Convert a callable object through its class; a class itself is not converted."""
    if isinstance(function, type):
        return function
    call = type(function).__call__
    if type(call) is FunctionType:
        converted = _of_function(names, call)
        return function if converted is call else MethodType(converted, function)
    wrapped = getattr(function, "__wrapped__", None)
    if type(wrapped) is FunctionType and not is_library(wrapped.__globals__):
        refuse(
            wrapped.__code__, f"{type(function).__qualname__} calls it, which is not Python code"
        )
    return function


_RESOLVERS: dict[type, Callable[[Namespace, Any], Any]] = {
    FunctionType: _of_function,
    MethodType: _of_method,
    BuiltinFunctionType: _of_builtin,
    type: _of_builtin,
    partial: _of_partial,
}
