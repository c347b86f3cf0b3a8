"""Values passed to ops in place of tensors, which handle the calls themselves.

Libraries also register dispatchers, which are called when a function has refused its arguments.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapeflow._src.composite.extension_types.overrides import overrides_of
from tapeflow._src.core.composite import Dispatchable as Dispatchable
from tapeflow._src.core.composite import not_a_tensor as not_a_tensor
from tapeflow._src.core.registry import find
from tapeflow._src.internal.public_functions import OPERATORS, public_function, tensor_functions
from tapeflow._src.ops.operators import set_fallback


def only_computes(op_name: str) -> bool:
    """Whether there is an op of this name that has no effect, and reaches no files or functions."""
    op = find(op_name)
    return op is not None and op.effect in (None, "random") and op.access is None


class OpDispatcher:
    """Computes one function for arguments that it refused."""

    NOT_SUPPORTED = NotImplemented

    def handle(self, args: Any, kwargs: Any) -> Any:
        """Return the result, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Ask this dispatcher when `op` refuses its arguments."""
        registered = getattr(op, "_dispatchers", None)
        if registered is not None:
            registered.append(self)
        else:
            overrides_of(inspect.unwrap(getattr(op, "__func__", op))).add_fallback(self.handle)


class GlobalOpDispatcher:
    """Computes any function for arguments that it refused."""

    NOT_SUPPORTED = NotImplemented

    def handle(self, op: Any, args: Any, kwargs: Any) -> Any:
        """Return the result, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Ask this dispatcher when a public function or an operator refuses its arguments."""
        if not _global_dispatchers:
            for function in tensor_functions():
                ask = functools.partial(_ask_all, function)
                overrides_of(function).add_fallback(ask, last=True)
            set_fallback(_ask_for_operator)
        _global_dispatchers.append(self)


_global_dispatchers: list[GlobalOpDispatcher] = []


def _ask_all(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    for dispatcher in _global_dispatchers:
        result = dispatcher.handle(function, args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _ask_for_operator(name: str, operands: tuple[Any, ...]) -> Any:
    function = public_function(OPERATORS[name])
    for fallback in overrides_of(function).fallbacks:
        result = fallback(operands, {})
        if result is not NotImplemented:
            return result
    return NotImplemented


def add_dispatch_support(target: Any = None, iterable_parameters: Any = None) -> Any:
    """Decorate a function of a library: dispatchers are called when it refuses its arguments."""
    if target is None:
        return functools.partial(add_dispatch_support, iterable_parameters=iterable_parameters)
    dispatchers: list[OpDispatcher] = []

    @functools.wraps(target)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            for dispatcher in dispatchers:
                result = dispatcher.handle(args, kwargs)
                if result is not NotImplemented:
                    return result
            result = _ask_all(call, args, kwargs)
            if result is NotImplemented:
                raise
            return result

    call._dispatchers = dispatchers  # type: ignore[attr-defined]
    return call


def dispatch_for_types(op: Any, *types: type) -> Callable[[Any], Any]:
    """Decorate a function that computes `op` where an argument is of one of the types."""

    class ByType(OpDispatcher):
        """Calls the function if there is an argument, or an item of a list, of the types."""

        def __init__(self, function: Any) -> None:
            self._function = function

        def handle(self, args: Any, kwargs: Any) -> Any:
            """Call the function."""
            for value in (*args, *kwargs.values()):
                items = value if isinstance(value, (list, tuple)) else (value,)
                if any(isinstance(item, types) for item in items):
                    return self._function(*args, **kwargs)
            return self.NOT_SUPPORTED

    def decorate(function: Any) -> Any:
        ByType(function).register(op)
        return function

    return decorate
