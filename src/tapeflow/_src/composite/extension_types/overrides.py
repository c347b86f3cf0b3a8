"""Dispatch: overrides of public functions for arguments of certain types.

A function that nobody overrides is left as it is and pays nothing. With its first override, it is
given other code that looks at its arguments before its own code runs; with the last one gone, it
has its own code back. It is the same object throughout, so that everyone who holds it, modules
that imported its name included, calls what is registered.

Signatures say which types are meant: classes, lists and unions of them. One matches if all
parameters that it names do, and if there is a composite among them: calls with nothing but
tensors are not to be overridden.

A fallback is called only after the function has refused its arguments. Libraries register one for
a function, or for all functions that can be overridden.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from enum import IntEnum
from inspect import Parameter, Signature
from typing import Any

from tapeflow._src.core.containers import WITH_COMPOSITES


class Match(IntEnum):
    """How a value fits an annotation."""

    NO = 0
    YES = 1
    COMPOSITE = 2


Check = Callable[[Any], Match]
# Called with the arguments; returns the result, or NotImplemented if it is for others to know.
Fallback = Callable[[tuple[Any, ...], dict[str, Any]], Any]
_UNIONS = (typing.Union, types.UnionType)


def check_of(annotation: Any) -> Check:
    """Return how well values match an annotation; raise ValueError if it is not supported."""
    if annotation is None:
        return _check_class(type(None))
    origin = typing.get_origin(annotation)
    if origin in _UNIONS:
        return _check_union([check_of(each) for each in typing.get_args(annotation)])
    if origin is list and len(arguments := typing.get_args(annotation)) == 1:
        return _check_list(check_of(arguments[0]))
    if origin is None and isinstance(annotation, type):
        return _check_class(annotation)
    raise ValueError(
        f"Dispatch cannot check the annotation {annotation}. Use a class, `List[...]` or "
        f"`Union[...]` of classes."
    )


def _check_class(cls: type) -> Check:
    def check(value: Any) -> Match:
        if not isinstance(value, cls):
            return Match.NO
        container = WITH_COMPOSITES[type(value)]
        composite = container is not None and container.compatible is not None
        return Match.COMPOSITE if composite else Match.YES

    return check


def _check_union(options: list[Check]) -> Check:
    return lambda value: max((option(value) for option in options), default=Match.NO)


def _check_list(item: Check) -> Check:
    def check(value: Any) -> Match:
        if not isinstance(value, (list, tuple)):
            return Match.NO
        matches = [item(each) for each in value]
        return Match.NO if Match.NO in matches else max(matches, default=Match.YES)

    return check


# -- one function -----------------------------------------------------------------------------


class _Override:
    """A function that stands in for another, and the signatures for which it does."""

    __slots__ = ("signatures", "target")

    def __init__(self, target: Callable[..., Any]) -> None:
        self.target = target
        self.signatures: list[list[tuple[int, Check]]] = []


class Overrides:
    """The overrides of one function."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.signature = inspect.signature(function)
        parameters = self.signature.parameters.values()
        self._parameters = [(each.name, each.default) for each in parameters]
        self._overrides: dict[Any, _Override] = {}
        self._fallbacks: list[Fallback] = []
        self._last: list[Fallback] = []
        self._wrapped = _copy(function)

    def checks(self, signature: Mapping[Any, Any]) -> list[tuple[int, Check]]:
        """Return the checks of a signature, each with the index of its parameter."""
        if not (
            isinstance(signature, dict) and all(isinstance(key, (str, int)) for key in signature)
        ):
            raise TypeError(
                f"A dispatch signature must be a dict from parameters (names or positions) to "
                f"types. Received: {signature!r}"
            )
        return [(self._parameter_index(key), check_of(each)) for key, each in signature.items()]

    def _parameter_index(self, key: str | int) -> int:
        names = [name for name, _ in self._parameters]
        name = names[key] if isinstance(key, int) and key < len(names) else key
        if name not in names:
            raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
        kind = self.signature.parameters[str(name)].kind
        if kind not in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
            raise ValueError(
                f"Dispatch checks positional parameters only. Received an annotation for the "
                f"{kind.description} parameter '{name}'."
            )
        return names.index(name)

    def add(self, target: Callable[..., Any], signatures: list[list[tuple[int, Check]]]) -> None:
        """Use `target` where one of the signatures matches."""
        self._exchange_once()
        override = self._overrides.setdefault(target, _Override(target))
        override.signatures += signatures

    def add_fallback(self, fallback: Fallback, *, last: bool = False) -> None:
        """Ask `fallback` where the function raises TypeError or ValueError, before the `last`."""
        self._exchange_once()
        if last:
            self._last.append(fallback)
        else:
            self._fallbacks.append(fallback)

    @property
    def fallbacks(self) -> tuple[Fallback, ...]:
        """The overrides, as they are tried."""
        return (*self._fallbacks, *self._last)

    def _exchange_once(self) -> None:
        if not self._overrides and not self.fallbacks:
            _exchange(self)

    def remove(self, target: Callable[..., Any]) -> bool:
        """Remove `target`; return False if it was not registered."""
        if self._overrides.pop(target, None) is None:
            return False
        if not self._overrides and not self.fallbacks:
            _restore(self)
        return True

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return a call of the function."""
        if self._overrides:
            result = self.ask(args, kwargs)
            if result is not NotImplemented:
                return result
        try:
            return self._wrapped(*args, **kwargs)
        except (TypeError, ValueError):
            for fallback in self.fallbacks:
                result = fallback(args, kwargs)
                if result is not NotImplemented:
                    return result
            raise

    def ask(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the override that matches the arguments; return NotImplemented if none does."""
        if not (any(map(_has_composite, args)) or any(map(_has_composite, kwargs.values()))):
            return NotImplemented
        values = list(args)
        values += [kwargs.get(name, default) for name, default in self._parameters[len(args) :]]
        targets = [each.target for each in self._overrides.values() if _matches(each, values)]
        if len(targets) > 1:
            raise ValueError(
                f"Multiple dispatch targets that were registered with tf.dispatch_for "
                f"({targets[0]} and {targets[1]}) match the arguments to {self.function.__name__}"
            )
        return targets[0](*args, **kwargs) if targets else NotImplemented


def _has_composite(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_has_composite, value))
    container = WITH_COMPOSITES[type(value)]
    return container is not None and container.compatible is not None


def _matches(override: _Override, values: list[Any]) -> bool:
    for signature in override.signatures:
        results = [check(values[position]) for position, check in signature]
        if Match.NO not in results and Match.COMPOSITE in results:
            return True
    return False


# -- functions and their code -----------------------------------------------------------------


def _ask_first(*args: Any, _overrides: Overrides, **kwargs: Any) -> Any:
    """Return the code of every function that has overrides."""
    return _overrides.call(args, kwargs)


_DISPATCHING_SOURCE = """
def _outer({names}):
    def _ask_first(*args, _overrides, **kwargs):
        nonlocal {names}
        return _overrides.call(args, kwargs)
"""


def _dispatching_code(name: str, closed_over: tuple[str, ...]) -> types.CodeType:
    """Return code that dispatches first, for a function that closes over variables of those names.

    They belong to the function whatever its code, and code must copy them into its frame: whoever
    reads the variables of a frame, as debuggers and pytest do, would crash otherwise.
    """
    if not closed_over:
        return _ask_first.__code__.replace(co_name=name)
    names = ", ".join(closed_over)
    code = compile(_DISPATCHING_SOURCE.format(names=names), __file__, "exec", dont_inherit=True)
    for inner in ("_outer", "_ask_first"):
        code = next(c for c in code.co_consts if getattr(c, "co_name", None) == inner)
    return code.replace(co_name=name)


def _copy(function: types.FunctionType) -> types.FunctionType:
    """Return a function that does what `function` does with its present code."""
    copied = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copied.__kwdefaults__ = function.__kwdefaults__
    return copied


def _exchange(overrides: Overrides) -> None:
    """Replace the function's code by code that dispatches first. Threads may be calling it."""
    function: Any = overrides.function
    function.__signature__ = overrides.signature
    function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), "_overrides": overrides}
    function.__code__ = _dispatching_code(function.__name__, function.__code__.co_freevars)


def _restore(overrides: Overrides) -> None:
    """Restore the function's original code."""
    function: Any = overrides.function
    function.__code__ = overrides._wrapped.__code__
    function.__kwdefaults__ = overrides._wrapped.__kwdefaults__
    del function.__signature__


_all: dict[types.FunctionType, Overrides] = {}


def overrides_of(function: Any) -> Overrides:
    """Return the overrides of a public function; ValueError if it cannot have any."""
    existing = _all.get(function) if isinstance(function, types.FunctionType) else None
    if existing is None:
        if not can_be_overridden(function):
            raise ValueError(f"{function} does not support dispatch.")
        existing = _all[function] = Overrides(function)
    return existing


_PACKAGE = __name__.partition(".")[0]
# Where functions describe programs and take no tensors, or where they are ops and nothing more.
_NOT_OVERRIDDEN = ("autograph", "core", "eager", "function", "gradients", "graph", "raw_ops")


def can_be_overridden(function: Any) -> bool:
    """Whether `function` is one of this library's that take tensors, under names."""
    if not isinstance(function, types.FunctionType):
        return False
    package, _, path = str(function.__module__).partition(".")
    folder = path.removeprefix("_src.").partition(".")[0]
    if package != _PACKAGE or folder in _NOT_OVERRIDDEN:
        return False
    kinds = {each.kind for each in inspect.signature(function).parameters.values()}
    return bool(kinds) and kinds.isdisjoint((Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD))


def every() -> list[Overrides]:
    """Return the overrides of all functions that ever had one."""
    return list(_all.values())


def same_parameters(signature: Signature, other: Signature) -> bool:
    """Whether two functions have parameters of the same names and kinds, in the same order."""
    parameters = [(each.name, each.kind) for each in signature.parameters.values()]
    return parameters == [(each.name, each.kind) for each in other.parameters.values()]
