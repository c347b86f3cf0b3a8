"""How an op of `keras.ops` is declared: one plain function on tensors.

`declare` returns the public function and registers the `Operation` class of the same op. On
tensors and arrays the public function is the plain one, after a look for KerasTensors; on
KerasTensors it makes an object of the class and calls it, which adds a node to the model.

The parameters named in `call` are those of the class' `call`, usually the tensors. All others are
parameters of its constructor, and so its config: files written by Keras name the same classes with
the same configs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapeflow._src.core.lazy import load_module
from tapeflow._src.internal.argument_types import DTypeLike
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.operation import Operation, any_symbolic, infer_stateless, plain_arguments
from tapeflow._src.keras.ops.catalogue import FILES, HOME, module_of
from tapeflow._src.keras.ops.sparse import SPARSE, Rule

# Operands that the plain function does not take as they are.
_SPECIAL = (KerasTensor, *SPARSE)
_VARIADIC = inspect.Parameter.VAR_POSITIONAL
_KEYWORDS = inspect.Parameter.VAR_KEYWORD

# The classes of ops, by family (the module of Keras that files name) and name.
_classes: dict[tuple[str, str], type[DeclaredOperation]] = {}


def _standard_dtype(dtype: DTypeLike) -> Any:
    return None if dtype is None else standardize_dtype(dtype)


class _Declaration:
    """Declaration of one op."""

    def __init__(
        self,
        function: Callable[..., Any],
        call: tuple[str, ...],
        keywords: tuple[str, ...],
        standardize: dict[str, Callable[[Any], Any]],
        sparse: Rule | None,
    ) -> None:
        parameters = inspect.signature(function).parameters
        if unknown := [name for name in call if name not in parameters]:
            raise TypeError(f"{function.__name__} has no parameters {unknown}.")
        self.function = function
        self.sparse = sparse
        self.call = call
        self.keywords = keywords
        self.variadic = any(p.kind is _VARIADIC for p in parameters.values())
        self.extra = next((n for n, p in parameters.items() if p.kind is _KEYWORDS), None)
        self.static = [n for n in parameters if n not in call and n != self.extra]
        # Whether the arguments of `call` can be passed on by position.
        self.by_position = self.variadic or tuple(parameters)[: len(call)] == call
        # Static parameters that come before `*operands` can only be passed by position.
        self.leading = [
            n
            for n in self.static
            if self.variadic and parameters[n].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        ]
        self.signature = inspect.Signature(list(parameters.values()))
        self.constructor = inspect.Signature(
            [
                parameters[n].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
                for n in self.static
            ]
        )
        self.standardize = {
            name: rule
            for name, rule in {"dtype": _standard_dtype, **standardize}.items()
            if name in self.static
        }

    def compute(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the op on tensors, of which some may be sparse."""
        if self.sparse is not None:
            for arg in args:
                if isinstance(arg, SPARSE):
                    return self.sparse(self.function, *args, **kwargs)
        return self.function(*args, **kwargs)

    def split(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[dict[str, Any], list[Any], dict[str, Any]]:
        """Arguments of the function as those of the constructor and of `call`."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = bound.arguments
        static = {name: values[name] for name in self.static}
        for name, rule in self.standardize.items():
            static[name] = rule(static[name])
        positional: list[Any] = []
        for name in self.call:
            if self.signature.parameters[name].kind is _VARIADIC:
                positional.extend(values[name])
            elif name not in self.keywords:
                positional.append(values[name])
        named = {name: values[name] for name in self.keywords}
        return static, positional, named | values.get(self.extra or "", {})


class DeclaredOperation(Operation):
    """An op of `keras.ops` as a part of models."""

    _declaration: _Declaration

    def __init__(self, *args: Any, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name)
        about = self._declaration
        bound = about.constructor.bind(*args, **kwargs)
        bound.apply_defaults()
        self.static_value = bound.arguments
        for key, value in self.static_value.items():
            setattr(self, key, value)
        leading = [self.static_value[key] for key in about.leading]
        rest = {key: value for key, value in self.static_value.items() if key not in about.leading}
        self._bound = functools.partial(about.compute, *leading, **rest)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the op."""
        if self._declaration.by_position:
            return self._bound(*args, **kwargs)
        return self._bound(**dict(zip(self._declaration.call, args)), **kwargs)

    def _tpf_infer(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs for KerasTensors; functions of the user may make variables."""
        if any(callable(value) for value in self.static_value.values()):
            return super()._tpf_infer(function, *args, **kwargs)
        return infer_stateless(function, *args, **kwargs)

    def _tpf_inference_message(self, error: Exception) -> str:
        return f"`keras.ops.{self._declaration.function.__name__}` of KerasTensors: {error}"

    def get_config(self) -> dict[str, Any]:
        """The name and the arguments of the constructor."""
        return {"name": self.name, **plain_arguments(self, self.static_value)}


def declare(
    class_name: str | None = None,
    *,
    family: str,
    call: tuple[str, ...] = ("x",),
    keywords: tuple[str, ...] = (),
    nested: bool = False,
    standardize: dict[str, Callable[[Any], Any]] | None = None,
    sparse: Rule | None = None,
    output_spec: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the op that the decorated function computes.

    Args:
        class_name: Keras' name of the `Operation` class; by default that of the function in
            camel case.
        family: The module below `keras.src.ops` that Keras has the class in: "numpy", "nn", …
        call: The parameters of `call`; all others are parameters of the constructor.
        keywords: Those of `call` that a model records as keyword arguments.
        nested: Whether KerasTensors may stand inside lists, tuples and dicts.
        standardize: Functions applied to static arguments before they enter the config. `dtype`
            always becomes its name.
        sparse: How the op treats operands that are sparse tensors or indexed slices. Without it,
            the function receives them itself.
        output_spec: Computes the outputs for KerasTensors (the operation first, then the
            arguments of `call`) where tracing the function does not.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        about = _Declaration(function, call, keywords, standardize or {}, sparse)
        name = class_name or "".join(word.capitalize() for word in function.__name__.split("_"))
        members: dict[str, Any] = {
            "_declaration": about,
            "__module__": module_of(family),
            "__doc__": f"`keras.ops.{function.__name__}` as a part of models.",
        }
        spec = output_spec or DeclaredOperation.compute_output_spec
        if sparse is not None:
            spec = sparse.output_spec(spec)
        members["compute_output_spec"] = spec
        cls = type(name, (DeclaredOperation,), members)
        _classes[family, name] = cls
        return _dispatching(function, about, cls, nested)

    return decorate


def _dispatching(
    function: Callable[..., Any], about: _Declaration, cls: type[DeclaredOperation], nested: bool
) -> Callable[..., Any]:
    def symbolic(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        static, positional, named = about.split(args, kwargs)
        return cls(**static).symbolic_call(*positional, **named)

    def special(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if any(isinstance(arg, KerasTensor) for arg in (*args, *kwargs.values())):
            return symbolic(args, kwargs)
        return about.compute(*args, **kwargs)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if isinstance(arg, _SPECIAL):
                return special(args, kwargs)
        for arg in kwargs.values():
            if isinstance(arg, _SPECIAL):
                return special(args, kwargs)
        return function(*args, **kwargs)

    @functools.wraps(function)
    def nested_wrapper(*args: Any, **kwargs: Any) -> Any:
        if any_symbolic(args, kwargs):
            return symbolic(args, kwargs)
        return function(*args, **kwargs)

    return nested_wrapper if nested else wrapper


def operation_class(family: str, name: str) -> type[DeclaredOperation] | None:
    """The class of an op, such as `("numpy", "Sum")`; None if there is none."""
    if (family, name) not in _classes:
        for file in FILES.get(family, {}):
            load_module(f"{HOME}.{file}")
    return _classes.get((family, name))
