"""A model once more, with new weights; and models from text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.layers.core.input_layer import Input, InputLayer
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.metrics.metric import Metric
from tapeflow._src.keras.models.functional import Functional
from tapeflow._src.keras.models.model import Model
from tapeflow._src.keras.models.sequential import Sequential
from tapeflow._src.keras.optimizers.optimizer import Optimizer
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.legacy_configs import modernized
from tapeflow._src.keras.saving.limits import parse_json
from tapeflow._src.keras.saving.registry import LAYER


def clone_model(
    model: Any,
    input_tensors: Any = None,
    clone_function: Callable[[Any], Any] | None = None,
    call_function: Callable[..., Any] | None = None,
    recursive: bool = False,
    **kwargs: Any,
) -> Any:
    """Copy a model's architecture, with new weights.

    Args:
        model: Functional or Sequential model, or one with `get_config`.
        input_tensors: New inputs to build the copy on.
        clone_function: `clone_function(layer)` creates the copy of each layer.
        call_function: `call_function(layer, *args, **kwargs)` calls the copies.
        recursive: Whether `clone_function` applies to layers of nested models too.

    Returns:
        A model; compiled with the same arguments if `model` is.

    Raises:
        ValueError: A function or new inputs are passed for a model whose layers are not known.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        >>> tf.keras.models.clone_model(model).output_shape
        (None, 2)
    """
    if kwargs:
        raise ValueError(f"Unexpected keyword argument(s): {sorted(kwargs)}")

    def cloned(layer: Any) -> Any:
        if recursive and isinstance(layer, (Functional, Sequential)):
            return clone_model(
                layer,
                clone_function=clone_function,
                call_function=call_function if isinstance(layer, Functional) else None,
                recursive=True,
            )
        if clone_function is not None and not isinstance(layer, InputLayer):
            return clone_function(layer)
        return type(layer).from_config(layer.get_config())

    if isinstance(model, Sequential):
        return _compile_like(model, _clone_sequential(model, cloned, input_tensors))
    if isinstance(model, Functional):
        clone = _clone_functional(model, cloned, input_tensors, call_function)
        return _compile_like(model, clone)
    if input_tensors is not None or clone_function is not None:
        raise ValueError(
            f"`clone_function` and `input_tensors` need a Sequential or Functional model, whose "
            f"layers are known. Received the subclass {type(model).__name__}"
        )
    return type(model).from_config(model.get_config())


def _compile_like(model: Any, clone: Any) -> Any:
    """The clone, compiled as the model is; in Keras 2 clones are not compiled.

    The optimizer and metrics, which have state, are new ones. A `compile` of a subclass may have
    arguments that are not known here: its users compile clones themselves.
    """
    if model.compiled and type(clone).compile is Model.compile and not is_keras_2():
        arguments = model._compile_config()
        clone.compile(**tf.nest.map_structure(_without_state, arguments))
    return clone


def _without_state(argument: Any) -> Any:
    return _same(argument) if isinstance(argument, (Metric, Optimizer)) else argument


def _clone_sequential(model: Any, cloned: Callable[[Any], Any], input_tensors: Any) -> Any:
    layers = [cloned(layer) for layer in model.layers]
    if input_tensors is not None:
        layers = [*tf.nest.flatten(input_tensors), *layers]
    elif isinstance(model._tpf_sequence[0] if model._tpf_sequence else None, InputLayer):
        layers = [cloned(model._tpf_sequence[0]), *layers]
    return Sequential(layers, name=model.name, trainable=model.trainable)


def _clone_functional(
    model: Any, cloned: Callable[[Any], Any], input_tensors: Any, call_function: Any
) -> Any:
    clones: dict[int, Any] = {}
    if input_tensors is None:
        tensors = [
            Input(batch_shape=t.shape, dtype=t.dtype, name=name)
            for t, name in zip(model.inputs, model.input_names)
        ]
    else:
        tensors = _checked(input_tensors, model)

    def call(operation: Any, *args: Any, **kwargs: Any) -> Any:
        if id(operation) not in clones:
            new = cloned(operation) if isinstance(operation, Layer) else _same(operation)
            clones[id(operation)] = new
        new = clones[id(operation)]
        return (
            new(*args, **kwargs) if call_function is None else call_function(new, *args, **kwargs)
        )

    outputs = model.run(tensors, call)
    inputs = tf.nest.pack_sequence_as(model.input, tensors)
    return type(model)(inputs, outputs, name=model.name, trainable=model.trainable)


def _checked(input_tensors: Any, model: Any) -> list[Any]:
    """The tensors for the inputs of a model: as many, and by the same keys if there are keys."""
    tensors = tf.nest.flatten(input_tensors)
    own, other = (
        sorted(each) if isinstance(each, dict) else None for each in (model.input, input_tensors)
    )
    if len(tensors) != len(model.inputs) or own != other:
        raise ValueError(
            f"Expected `input_tensors` nested like the inputs of model '{model.name}', "
            f"{model.input}. Received: {input_tensors}"
        )
    return tensors


def _same(operation: Any) -> Any:
    return type(operation).from_config(operation.get_config())


def model_from_yaml(yaml_string: str, custom_objects: dict[str, Any] | None = None) -> Any:
    """Raise a RuntimeError: YAML can run code, so models are not written in it any more.

    Args:
        yaml_string: Ignored.
        custom_objects: Ignored.

    Returns:
        Nothing.

    Raises:
        RuntimeError: Always. `model_from_json` reads what `to_json` wrote.

    Example:
        >>> tf.keras.models.model_from_yaml("...")
        Traceback (most recent call last):
        ...
        RuntimeError: Models are not read from YAML...
    """
    raise RuntimeError(
        "Models are not read from YAML, which can run arbitrary code. Use `model.to_json()` and "
        "`keras.models.model_from_json()`."
    )


def model_from_json(json_string: str, custom_objects: Any = None) -> Model:
    """Create a model from the JSON of `to_json`, also that of Keras 2; its weights are new.

    Args:
        json_string: Text that `model.to_json()` returned.
        custom_objects: Classes and functions by name that are not registered.

    Returns:
        A model.

    Raises:
        ValueError: The text is no JSON, or the config is invalid.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        >>> tf.keras.models.model_from_json(model.to_json()).output_shape
        (None, 2)
    """
    return _created(parse_json(json_string, "The text"), custom_objects)


def model_from_config(config: dict[str, Any], custom_objects: Any = None) -> Model:
    """Create a model from its serialized config; its weights are new.

    Args:
        config: Dict that `keras.saving.serialize_keras_object(model)` returned.
        custom_objects: Classes and functions by name that are not registered.

    Returns:
        A model.

    Raises:
        TypeError: The config is no dict.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        >>> config = tf.keras.saving.serialize_keras_object(model)
        >>> tf.keras.models.model_from_config(config).output_shape
        (None, 2)
    """
    if not isinstance(config, dict):
        raise TypeError(
            f"`model_from_config` expects a dict. Received: {config!r} of type "
            f"{type(config).__name__}. For a list of configs use `Sequential.from_config`."
        )
    return _created(config, custom_objects)


def _created(config: Any, custom_objects: Any) -> Any:
    """Create a model from a config; Keras 2 writes no modules."""
    if isinstance(config, dict) and "module" not in config:
        config = modernized(config)
    return read_object(config, LAYER, custom_objects)
