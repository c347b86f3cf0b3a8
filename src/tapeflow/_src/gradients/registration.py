"""Gradients registered by users: `tf.RegisterGradient` and `tf.no_gradient`.

Such a gradient is a function of the call and of its upstream gradients. What it will read is
unknown beforehand, so the whole call is saved for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tapeflow._src.core import nest
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.registry import Op, Undeclared, find
from tapeflow._src.gradients.record import filled, revived, spec_of
from tapeflow._src.gradients.token import Token

F = TypeVar("F", bound=Callable[..., Any])


class OpCall:
    """One call of an op, as a registered gradient sees it."""

    __slots__ = ("_attrs", "inputs", "outputs", "type")

    def __init__(
        self, type: str, inputs: tuple[Any, ...], outputs: list[Any], attrs: dict[str, Any]
    ) -> None:
        self.type = type
        self.inputs = inputs
        self.outputs = outputs
        self._attrs = attrs

    def get_attr(self, name: str) -> Any:
        """Return the value of an attribute; `T` is the dtype of the call."""
        if name not in self._attrs:
            raise InvalidArgumentError(
                None,
                None,
                f"Operation {self.type!r} has no attr named {name!r}. There are: "
                f"{', '.join(sorted(self._attrs)) or 'none'}.",
            )
        return self._attrs[name]

    def __repr__(self) -> str:
        return f"<call of {self.type} with {len(self.inputs)} inputs>"


class RegisteredGradient:
    """The gradient rule of an op with a registered function."""

    __slots__ = ("fn",)

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    def record(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the pull function of a call and its payload."""
        twins = [o._twin() for o in outputs]
        return _pull, (op, self.fn, inputs, attrs, twins, [spec_of(o) for o in outputs])


def _pull(
    payload: Any, gradients: Sequence[Any], needed: list[bool], tokens: Sequence[Token | None]
) -> list[Any]:
    op, fn, inputs, attrs, twins, specs = payload
    flat = tuple(nest.flatten(inputs))
    call = OpCall(op.name, flat, revived(twins, tokens), {"T": _dtype(op, inputs), **attrs})
    result = fn(call, *filled(gradients, specs))
    if not isinstance(result, (list, tuple)):
        result = [result]
    if len(result) != len(flat):
        raise ValueError(
            f"The gradient registered for {op.name!r} gave {len(result)} gradients, but the op "
            f"has {len(flat)} inputs. Return one for each, None where there is none."
        )
    return list(result)


def _dtype(op: Op, inputs: tuple[Any, ...]) -> DType | None:
    shared = (i for i, kind in zip(inputs, op.kinds, strict=True) if kind in ("T", "Many"))
    return next((t.dtype for t in nest.flatten(list(shared))), None)


# Registered names that are not those of declared ops: graphs may refer to them.
_custom_names: dict[str, RegisteredGradient | None] = {}


def _register(name: Any, rule: RegisteredGradient | None) -> None:
    op = find(_checked(name))
    if name in _custom_names or (op is not None and not isinstance(op.gradient_rule, Undeclared)):
        raise KeyError(
            f"Registering two gradient with name {name!r}! An op has one gradient, and that of "
            f"{name!r} is already known."
        )
    if op is None:
        _custom_names[name] = rule
    else:
        op.gradient_rule = rule


def _checked(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"op_type must be a string, got {name!r}")
    return name


def registered(name: str) -> Callable[..., Any] | None:
    """Return the function registered under a name, which need not be that of an op."""
    op = find(name)
    rule = _custom_names.get(name) if op is None else op.gradient_rule
    return rule.fn if isinstance(rule, RegisteredGradient) else None


class RegisterGradient:
    """Decorator that registers a function as the gradient of the op of that name.

    It is called with the op call (`inputs`, `outputs`, `get_attr`) and the gradients of the
    outputs, and returns the gradients of the inputs.

    Args:
        op_type: Name of an op that has no gradient yet, or a new name that graphs refer to with
            `Graph.gradient_override_map`.

    Raises:
        TypeError: If the name is no string.
        KeyError: On decoration, if a gradient is registered under that name.

    Example:
        >>> @tf.RegisterGradient("HalvedIdentity")
        ... def _halved(op, upstream):
        ...     return upstream / 2.0
    """

    def __init__(self, op_type: str) -> None:
        self._op_type = _checked(op_type)

    def __call__(self, f: F) -> F:
        """Register `f`."""
        _register(self._op_type, RegisteredGradient(f))
        return f


def no_gradient(op_type: str) -> None:
    """Declare that the op of that name is not differentiable: no gradient flows through it.

    Args:
        op_type: Name of an op that has no gradient yet.

    Returns:
        None.

    Raises:
        TypeError: If the name is no string.
        KeyError: If a gradient is registered under that name.
    """
    _register(op_type, None)
