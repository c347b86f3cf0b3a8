"""`tf.experimental.dispatch_for_api` and its relatives: functions for types of one's own.

`overrides` makes functions call what is registered here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Any

from tapeflow._src.api.scopes import name_scope
from tapeflow._src.composite.extension_types.elementwise import BINARY, BINARY_ASSERTS, UNARY
from tapeflow._src.composite.extension_types.overrides import every, overrides_of, same_parameters

Function = Callable[..., Any]
_Decorator = Callable[[Function], Function]


def dispatch_for_api(api: Any, *signatures: dict[Any, Any]) -> _Decorator:
    """Register the decorated function as an override of `api` for certain argument types.

    A signature maps parameters (names or indices) to types; without one, the annotations of the
    decorated function are the signature. Its parameters are those of `api`; `name` may be left out.

    Args:
        api: A public function that takes tensors.
        *signatures: Dicts from parameters to types.

    Returns:
        A decorator.

    Raises:
        ValueError: If the function does not support dispatch, or parameters differ.

    Example:
        >>> class Masked(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        >>> @tf.experimental.dispatch_for_api(tf.math.negative, {"x": Masked})
        ... def negate(x, name=None):
        ...     return Masked(tf.math.negative(x.values))
        >>> tf.math.negative(Masked([1, 2])).values.numpy()
        array([-1, -2], dtype=int32)
        >>> tf.experimental.unregister_dispatch_for(negate)
    """
    overrides = overrides_of(api)
    checks = [overrides.checks(signature) for signature in signatures]

    def decorate(dispatch_target: Function) -> Function:
        if not callable(dispatch_target):
            raise TypeError(f"Expected dispatch_target to be callable; got {dispatch_target!r}")
        target = _with_name(dispatch_target, overrides.signature)
        _check_parameters(target, overrides.signature)
        signature_checks = checks or [overrides.checks(_annotations(dispatch_target))]
        overrides.add(target, signature_checks)
        return target

    return decorate


def _with_name(target: Function, signature: Signature) -> Function:
    """Wrap `target` in a name scope of the `name` argument, if it takes none itself."""
    own = inspect.signature(target)
    takes_any = any(each.kind is Parameter.VAR_KEYWORD for each in own.parameters.values())
    if "name" not in signature.parameters or "name" in own.parameters or takes_any:
        return target
    position = list(signature.parameters).index("name")

    @functools.wraps(target)
    def named(*args: Any, **kwargs: Any) -> Any:
        args, kwargs, name = _without_name(args, kwargs, position)
        if name is None:
            return target(*args, **kwargs)
        with name_scope(name):
            return target(*args, **kwargs)

    before, after = (
        list(own.parameters.values())[:position],
        list(own.parameters.values())[position:],
    )
    named.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*before, signature.parameters["name"], *map(_with_default, after)]
    )
    return named


def _with_default(parameter: Parameter) -> Parameter:
    """Return a parameter that may follow one with a default."""
    if parameter.default is Parameter.empty and parameter.kind is Parameter.POSITIONAL_OR_KEYWORD:
        return parameter.replace(default=None)
    return parameter


def _without_name(
    args: tuple[Any, ...], kwargs: dict[str, Any], position: int
) -> tuple[tuple[Any, ...], dict[str, Any], str | None]:
    """Split off the argument called `name`; return the others and its value."""
    if 0 <= position < len(args):
        return (*args[:position], *args[position + 1 :]), kwargs, args[position]
    if position < 0 or "name" not in kwargs:
        return args, kwargs, None
    rest = {key: value for key, value in kwargs.items() if key != "name"}
    return args, rest, kwargs["name"]


def _check_parameters(target: Function, signature: Signature) -> None:
    own = inspect.signature(target)
    kinds = [each.kind for each in own.parameters.values()]
    takes_all = kinds == [Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD]
    if not takes_all and not same_parameters(own, signature):
        raise ValueError(
            f"A dispatch target needs the parameters of the API, {signature}, or "
            f"`*args, **kwargs`. Received: {own}"
        )


def _annotations(target: Function) -> dict[str, Any]:
    annotations = {
        name: each.annotation
        for name, each in inspect.signature(target, eval_str=True).parameters.items()
        if each.annotation is not Parameter.empty
    }
    if not annotations:
        raise ValueError(
            "`dispatch_for_api` needs to know the types to dispatch on: pass a signature, such as "
            "{'x': MyType}, or annotate the parameters of the function."
        )
    return annotations


def unregister_dispatch_for(dispatch_target: Function) -> None:
    """Remove the overrides and handlers registered for a function.

    Args:
        dispatch_target: The function that was decorated.

    Returns:
        None.

    Raises:
        ValueError: If it is not registered.
    """
    removed = [overrides.remove(dispatch_target) for overrides in every()]
    handlers = [key for key, handler in _handlers.items() if handler is dispatch_target]
    for key in handlers:
        del _handlers[key]
        for target in _targets.pop(key):
            unregister_dispatch_for(target)
    if not handlers and not any(removed):
        raise ValueError(
            f"{dispatch_target} is not registered for dispatch, so it cannot be unregistered."
        )


# -- element-wise functions -------------------------------------------------------------------

# By what they handle and the types for which they do.
_handlers: dict[tuple[Any, ...], Function] = {}
_targets: dict[tuple[Any, ...], list[Function]] = {}


def dispatch_for_unary_elementwise_apis(x_type: Any) -> _Decorator:
    """Register a handler of unary element-wise functions of an `x_type`.

    The decorated function is called as `handler(api_func, x)`; `api_func` is the function with all
    its arguments but the first.

    Args:
        x_type: The type of the argument.

    Returns:
        A decorator.

    Raises:
        ValueError: On decoration, if there is a handler for that type.

    Example:
        >>> class Length(tf.experimental.ExtensionType):
        ...     metres: tf.Tensor
        >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Length)
        ... def handler(api_func, x):
        ...     return Length(api_func(x.metres))
        >>> tf.abs(Length(-2.0)).metres.numpy()
        np.float32(2.0)
        >>> tf.experimental.unregister_dispatch_for(handler)
    """
    return _elementwise("unary elementwise", UNARY, (x_type,), str(x_type))


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> _Decorator:
    """Register a handler of binary element-wise functions.

    The decorated function is called as `handler(api_func, x, y)`; `api_func` is the function with
    all its arguments but the first two.

    Args:
        x_type: The type of the first argument.
        y_type: The type of the second argument.

    Returns:
        A decorator.

    Raises:
        ValueError: On decoration, if there is a handler for these types.

    Example:
        >>> class Length(tf.experimental.ExtensionType):
        ...     metres: tf.Tensor
        >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Length, Length)
        ... def handler(api_func, x, y):
        ...     return Length(api_func(x.metres, y.metres))
        >>> tf.add(Length(1.0), Length(2.0)).metres.numpy()
        np.float32(3.0)
        >>> tf.experimental.unregister_dispatch_for(handler)
    """
    types = (x_type, y_type)
    return _elementwise("binary elementwise", BINARY, types, f"({x_type}, {y_type})")


def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> _Decorator:
    """Register a handler of assertions on two values.

    The decorated function is called as `handler(assert_func, x, y)`; `assert_func` is the assertion
    with all its arguments but the first two.

    Args:
        x_type: The type of the first argument.
        y_type: The type of the second argument.

    Returns:
        A decorator.

    Raises:
        ValueError: On decoration, if there is a handler for these types.
    """
    types = (x_type, y_type)
    shown = f"({x_type}, {y_type})"
    return _elementwise("binary elementwise assert", BINARY_ASSERTS, types, shown)


def _elementwise(
    what: str, functions: Sequence[Any], x_types: tuple[Any, ...], shown: str
) -> _Decorator:
    key = (what, *x_types)

    def decorate(handler: Function) -> Function:
        if key in _handlers:
            raise ValueError(
                f"{shown} already has the {what} dispatch handler {_handlers[key]}. Remove it with "
                f"`tf.experimental.unregister_dispatch_for` first."
            )
        _targets[key] = [_handle(each, x_types, handler) for each in functions]
        _handlers[key] = handler
        return handler

    return decorate


def _handle(function: Any, x_types: tuple[Any, ...], handler: Function) -> Function:
    """Register `handler` for one function."""
    names = list(overrides_of(function).signature.parameters)
    count = len(x_types)
    position = names.index("name") if "name" in names else -1
    bare = names[count:] == ["name"]

    def target(*args: Any, **kwargs: Any) -> Any:
        args, kwargs, name = _without_name(args, kwargs, position)
        values = [args[i] if i < len(args) else kwargs.get(names[i]) for i in range(count)]
        rest = {key: value for key, value in kwargs.items() if key not in names[:count]}
        if bare:
            api_func = function
        else:

            def api_func(*values: Any) -> Any:
                return function(*values, *args[count:], **rest)

        if name is None:
            return handler(api_func, *values)
        with name_scope(name):
            return handler(api_func, *values)

    return dispatch_for_api(function, dict(zip(names, x_types)))(target)
