"""Signatures of a SavedModel: functions from named tensors to named tensors."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.trackable import CHECKPOINT, Trackable
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.polymorphic import Function, Options

DEFAULT_KEY = "serving_default"
_DEFAULT_ATTRIBUTE = "_default_save_signature"


class SignatureMap(Trackable, Mapping[str, ConcreteFunction]):
    """The signatures of a model by name. They are called with keyword arguments."""

    def __init__(self, functions: Mapping[str, ConcreteFunction]) -> None:
        self._functions = dict(functions)

    def __getitem__(self, key: str) -> ConcreteFunction:
        return self._functions[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._functions!r})"

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        return {} if save_type == CHECKPOINT else dict(self._functions)


def signature_map(signatures: Any, children: Mapping[str, Any]) -> SignatureMap:
    """Return the signatures that are asked for, or the one that can be found
    among the functions.
    """
    if signatures is None:
        signatures = _found(children)
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_KEY: signatures}
    return SignatureMap({key: _by_name(_traced(f), key) for key, f in signatures.items()})


def _found(children: Mapping[str, Any]) -> Any:
    """Return the only function with one trace that can be a signature.

    Nothing, if there are more.
    """
    if _DEFAULT_ATTRIBUTE in children:
        return children[_DEFAULT_ATTRIBUTE]
    possible = []
    for child in children.values():
        if (
            isinstance(child, ConcreteFunction)
            or getattr(child, "input_signature", None) is not None
        ):
            concrete = _traced(child)
            if _is_valid(concrete):
                possible.append(concrete)
    return possible[0] if len(possible) == 1 else {}


def _traced(function: Any) -> ConcreteFunction:
    if isinstance(function, Function) and function.input_signature is not None:
        function = function.get_concrete_function()
    if not isinstance(function, ConcreteFunction):
        raise ValueError(
            "A signature must be a tf.function with an input_signature or a concrete function, "
            f"received {function!r}."
        )
    return function


def _is_valid(concrete: ConcreteFunction) -> bool:
    try:
        _outputs(concrete.structured_outputs, concrete.name, "")
    except ValueError:
        return False
    flat = concrete.signature.function_type.flat_inputs
    return bool(concrete.outputs) and all(isinstance(leaf, TensorSpec) for leaf in flat)


def _outputs(outputs: Any, function: str, key: str) -> dict[str, Any]:
    """Return the results of a function by name: tensors, or composites of them."""
    if not isinstance(outputs, Mapping):
        if hasattr(outputs, "_asdict"):
            outputs = outputs._asdict()
        else:
            items = outputs if isinstance(outputs, (list, tuple)) else [outputs]
            outputs = {f"output_{i}": item for i, item in enumerate(items)}
    for name, value in outputs.items():
        is_value = isinstance(value, Tensor) or isinstance(
            getattr(value, "_type_spec", None), TypeSpec
        )
        if not isinstance(name, str) or not is_value:
            raise ValueError(
                f"Signature {key!r}: {function} must return a tensor, a list or a "
                f"dict of tensors by name, but has {value!r} (a non-Tensor value) for {name!r}."
            )
    return dict(outputs)


def _by_name(concrete: ConcreteFunction, key: str) -> ConcreteFunction:
    """Return the function, of tensors by name to tensors by name."""
    if not isinstance(key, str):
        raise ValueError(f"The names of signatures are strings, got {key!r}.")
    names = concrete.signature.flat_names
    leaves: list[Any] = concrete.signature.function_type.flat_inputs
    specs = {n: TensorSpec(leaf.shape, leaf.dtype, n) for n, leaf in zip(names, leaves)}

    def signature_wrapper(**kwargs: Any) -> Any:
        outputs = concrete.call_flat([kwargs[name] for name in names])
        return _outputs(outputs, concrete.name, key)

    # A partial function has no code, by which frequent tracing would be noticed.
    whole = functools.partial(signature_wrapper)
    function = Function(whole, "signature_wrapper", Options(autograph=False))
    traced: ConcreteFunction = function.get_concrete_function(**specs)
    return traced
