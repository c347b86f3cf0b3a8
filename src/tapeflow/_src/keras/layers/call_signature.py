"""Signatures of `call` and `build`, inspected once per class."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.argument_errors import config_needed
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.input_spec import dims_of
from tapeflow._src.keras.layers.masks import any_masks, masks_of

# How many characters errors show of a value that is no tensor.
_LONGEST = 200
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class CallSignature:
    """The parameters of a method, without `self`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.signature = inspect.signature(function)
        own = list(self.signature.parameters.values())[1:]
        self.signature = self.signature.replace(parameters=own)
        self.names = [p.name for p in own]
        self.positional = [p.name for p in own if p.kind in _POSITIONAL]
        # The parameter for keyword arguments of any name, if there is one.
        self.keywords = next((p.name for p in own if p.kind is p.VAR_KEYWORD), None)
        self.takes_any = self.keywords is not None
        self.has_training = "training" in self.names
        self.has_mask = "mask" in self.names
        self.masks = [name for name in self.names if name == "mask" or name.endswith("_mask")]
        positions = {name: index for index, name in enumerate(self.positional)}
        # Where `training` stands among positional arguments: nowhere, if it is no such.
        self.training_place = positions.get("training", len(positions))
        default = self.signature.parameters["training"].default if self.has_training else None
        self.training = None if default is inspect.Parameter.empty else default

    def with_inputs(self, kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Take `inputs`, the name of the first argument in Keras 2, as a positional argument."""
        if "inputs" not in kwargs or "inputs" in self.names or self.takes_any:
            return (), kwargs
        return (kwargs["inputs"],), {n: v for n, v in kwargs.items() if n != "inputs"}

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name; those that were left out are not there."""
        return dict(self.signature.bind(*args, **kwargs).arguments)


@functools.cache
def signature_of(function: Callable[..., Any]) -> CallSignature:
    """Return the signature of a method, cached after the first call."""
    return CallSignature(function)


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor, of whichever kind."""
    return isinstance(
        value, (tf.Tensor, KerasTensor, tf.Variable, tf.SparseTensor, tf.RaggedTensor)
    )


def holds_tensors(value: Any) -> bool:
    """Whether a value is a tensor, or a structure of them."""
    return is_tensor(value) or (
        isinstance(value, (list, tuple, dict)) and any(map(is_tensor, tf.nest.flatten(value)))
    )


def shape_of(value: Any) -> Any:
    """The shapes of tensors, in the same structure."""
    return tf.nest.map_structure(lambda x: dims_of(x) if is_tensor(x) else None, value)


def shapes_for(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The shapes that a method such as `build` takes, of the tensors among a call's arguments.

    It may name them after the arguments (`query_shape`); if it has a single parameter, that is
    for the first tensor.
    """
    shapes = {
        f"{name}_shape": shape_of(value)
        for name, value in arguments.items()
        if holds_tensors(value)
    }
    signature = signature_of(function)
    if signature.takes_any:
        return shapes
    if len(signature.positional) == 1:
        first = next(iter(shapes.values()), None)
        return {signature.positional[0]: shapes.get(signature.positional[0], first)}
    matching = {name: shape for name, shape in shapes.items() if name in signature.names}
    if not matching and signature.positional and shapes:
        matching = {signature.positional[0]: next(iter(shapes.values()))}
    return matching


def require_shapes(layer: Any, build: Callable[..., Any], shapes: dict[str, Any]) -> None:
    """Check that the parameters of `build` that have no default are shapes of arguments of `call`.

    Raises:
        ValueError: One of them names no argument of `call`.
    """
    for name, parameter in signature_of(build).signature.parameters.items():
        if name in shapes or parameter.kind not in _POSITIONAL:
            continue
        if parameter.default is parameter.empty:
            names = [f"{argument}_shape" for argument in signature_of(type(layer).call).names]
            raise ValueError(
                f"`{type(layer).__name__}.build()` has the parameter `{name}`, for which the call "
                f"has no shape: with more than one parameter, each must be named after an argument "
                f"of `call`. Expected some of {names}. Received: {list(shapes)}"
            )


def described(value: Any) -> str:
    """A value as errors show it: of tensors the kind, the shape and the dtype."""
    if is_tensor(value):
        dtype = getattr(value.dtype, "name", value.dtype)
        return f"{type(value).__name__}(shape={value.shape}, dtype={dtype})"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(described, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {described(item)}' for key, item in value.items())}}}"
    shown = repr(value)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


def as_shape(value: Any) -> Any:
    """A shape as files have it, as a tuple; a structure of shapes as such."""
    if isinstance(value, dict):
        return {name: as_shape(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        if all(item is None or isinstance(item, int) for item in value):
            return tuple(value)
        return [as_shape(item) for item in value]
    return value


def map_shapes(function: Callable[[Any], Any], shapes: Any) -> Any:
    """`function` of each shape in a structure of them."""
    if isinstance(shapes, tf.TensorShape):
        return function(tuple(shapes))
    if isinstance(shapes, dict):
        return {name: map_shapes(function, item) for name, item in shapes.items()}
    if isinstance(shapes, (list, tuple)):
        if all(item is None or isinstance(item, int) for item in shapes) and (
            shapes or isinstance(shapes, tuple)
        ):
            return function(tuple(shapes))
        mapped = [map_shapes(function, item) for item in shapes]
        return type(shapes)(*mapped) if hasattr(shapes, "_fields") else type(shapes)(mapped)
    return shapes


def with_numbers_as_tensor(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, with a first one that is a number or nested lists of them as a tensor.

    Keras 2 takes such inputs, as in `layer([[1.0, 2.0]])`.
    """
    first = args[0]
    if isinstance(first, (int, float, list, tuple)):
        leaves = tf.nest.flatten(first)
        if leaves and all(type(leaf) in (int, float) for leaf in leaves):
            return tf.convert_to_tensor(first), *args[1:]
    return args


def check_positional(args: tuple[Any, ...]) -> None:
    """Raise for positional arguments that are no tensors, which Keras 2 takes."""
    for arg in tf.nest.flatten(args):
        if arg is not None and not is_tensor(arg) and not is_keras_2():
            raise ValueError(
                f"Positional arguments of a layer's call are its input tensors. Received the "
                f"positional argument {arg!r} of type {type(arg).__name__}: pass it as a keyword "
                f"argument, as in `layer(x, name={arg!r})`."
            )


def with_masks(
    signature: CallSignature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The keyword arguments, with the masks of tensors for `mask` and such as `query_mask`."""
    if not signature.masks or not any_masks(args, kwargs):
        return kwargs
    arguments = signature.arguments(args, kwargs)
    tensors = {
        name: value
        for name, value in arguments.items()
        if name not in signature.masks and any(map(is_tensor, tf.nest.flatten(value)))
    }
    new_masks = {}
    for name, value in tensors.items():
        mask_name = "mask" if len(tensors) == 1 and signature.has_mask else f"{name}_mask"
        if mask_name in signature.masks and arguments.get(mask_name) is None:
            mask = masks_of(value)
            if mask is not None:
                new_masks[mask_name] = mask
    return {**kwargs, **new_masks}


def given_arguments(layer: Any) -> dict[str, Any]:
    """Return the constructor arguments of a layer, if all of them are plain values."""
    args, kwargs = layer._tpf_init_args
    signature = signature_of(type(layer).__init__)
    arguments = signature.arguments(args, kwargs)
    arguments |= arguments.pop(signature.keywords or "", {})
    for name, argument in arguments.items():
        for value in tf.nest.flatten(argument):
            if not isinstance(value, (str, int, float, bool, type(None), tf.DType)):
                raise config_needed(type(layer), name, value)
    return arguments
