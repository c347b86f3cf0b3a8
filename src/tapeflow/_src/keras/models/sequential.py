"""`Sequential`: layers one after the other."""

from __future__ import annotations

import inspect
from typing import Any, Self

from tapeflow._src.internal.user_errors import folds_errors
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.core.input_layer import InputLayer
from tapeflow._src.keras.layers.input_spec import dims_of
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.masks import get_mask
from tapeflow._src.keras.models.functional import Functional
from tapeflow._src.keras.models.model import Model
from tapeflow._src.keras.saving.deserialization import located, member, read_object
from tapeflow._src.keras.saving.registry import LAYER
from tapeflow._src.keras.saving.serialization import serialize_keras_object


class Sequential(Model):
    """Linear stack of layers: each layer's output is the next one's input.

    The model is built at once if it begins with `keras.Input`, and otherwise by its first call.

    Args:
        layers: List of layers; `add` appends more.
        trainable: Whether the weights are trained.
        name: Name of the model.

    Raises:
        ValueError: An item is no layer, or two layers have the same name.

    Example:
        >>> model = tf.keras.Sequential([
        ...     tf.keras.Input((4,)),
        ...     tf.keras.layers.Dense(8, activation="relu"),
        ...     tf.keras.layers.Dense(1),
        ... ])
        >>> model.output_shape
        (None, 1)
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        return Layer.__new__(cls, *args, **kwargs)

    def __init__(self, layers: Any = None, trainable: bool = True, name: str | None = None) -> None:
        if isinstance(trainable, str):  # Keras 2 has the name second
            trainable, name = True, trainable
        Layer.__init__(self, trainable=trainable, name=name)
        self._tpf_sequence: list[Any] = []
        if layers:
            for layer in [layers] if isinstance(layers, Layer) else layers:
                self._tpf_append(layer)
            self._maybe_rebuild()

    # -- layers ------------------------------------------------------------------------------

    @folds_errors
    def add(self, layer: Any, rebuild: bool = True) -> None:
        """Append a layer.

        Args:
            layer: Layer, or for an empty model a KerasTensor of `keras.Input`.
            rebuild: Whether to put the model together again, if its input is known.

        Raises:
            ValueError: It is no layer, a layer of its name exists, or an input comes after a layer.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.Input((4,))])
            >>> model.add(tf.keras.layers.Dense(2))
            >>> model.output_shape
            (None, 2)
        """
        self._tpf_append(layer)
        if rebuild:
            self._maybe_rebuild()

    def _tpf_append(self, layer: Any) -> None:
        if not self._tpf_sequence and "_input_shape_arg" in getattr(layer, "__dict__", {}):
            self._tpf_sequence.append(
                InputLayer(layer._input_shape_arg, batch_size=layer._tpf_batch_size_arg)
            )
        if isinstance(layer, KerasTensor) and layer._keras_history is not None:
            layer = layer._keras_history.operation
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Sequential model '{self.name}' consists of instances of `keras.layers.Layer`. "
                f"Received: {layer!r} of type {type(layer).__name__}"
            )
        if any(layer.name == other.name for other in self._tpf_sequence):
            raise ValueError(
                f"Sequential model '{self.name}' already has a layer named '{layer.name}'; names "
                f"must be unique. Pass `name=...` to one of the two layers."
            )
        if isinstance(layer, InputLayer) and self._tpf_sequence:
            raise ValueError(
                f"Sequential model '{self.name}' already has its input or its first layer: an "
                f"Input can only be added to an empty model."
            )
        self._tpf_sequence.append(layer)

    def pop(self, rebuild: bool = True) -> Any:
        """Remove the last layer and return it.

        Args:
            rebuild: Whether to put the model together again, if its input is known.

        Raises:
            IndexError: The model is empty.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
            >>> model.pop().units
            1
        """
        layer = self._tpf_sequence.pop()
        self._tpf_forget()
        if rebuild:
            self._maybe_rebuild()
        return layer

    _tpf_layers_advice = "Call `add()` or `pop()` on the Sequential model instead."

    def _tpf_own_layers(self) -> list[Any]:
        own = self._tpf_sequence
        return own[1:] if own and isinstance(own[0], InputLayer) else own[:]

    def _tpf_forget(self) -> None:
        self.built = self._tpf_builds_nothing = False
        if "_functional" in self.__dict__:
            del self._functional

    def _maybe_rebuild(self) -> None:
        """Put the model together, if it is known what it begins with."""
        self._tpf_forget()
        first = self._tpf_sequence[0] if self._tpf_sequence else None
        if isinstance(first, InputLayer) and len(self._tpf_sequence) > 1:
            self.build(first.batch_shape)
        elif isinstance(first, (Functional, Sequential)) and "inputs" in dir(first):
            shape = _shape_of(first)
            if shape is not None:
                self.build(shape)

    @folds_errors
    def build(self, input_shape: Any = None) -> None:
        """Create the variables of all layers, for inputs of this shape.

        Args:
            input_shape: Shape of the inputs with the batch axis; None for that of the model's
                input.

        Raises:
            ValueError: The model is empty, or has an input of another shape.
        """
        if not self._tpf_sequence:
            raise ValueError(
                f"Sequential model '{self.name}' is empty: add layers with `model.add(...)` before "
                f"it is built or called."
            )
        first = self._tpf_sequence[0]
        if input_shape is None and not isinstance(first, InputLayer):
            return
        if not isinstance(first, InputLayer):
            first = InputLayer(batch_shape=tuple(input_shape), dtype=first.input_dtype)
            self._tpf_sequence.insert(0, first)
        elif input_shape is not None:
            self._tpf_check_shape(first, input_shape)
        x = first.output
        for layer in self.layers:
            try:
                x = self._tpf_called_after(layer, x)
            except TypeError as error:
                raise _arguments_of(layer, error) from error
            except NotImplementedError:
                # The output shape cannot be inferred: it is known after the first call.
                return
        self._functional = Functional(first.output, x, name=self.name)
        self._tpf_builds_nothing = True
        self.built = True

    def _tpf_check_shape(self, first: InputLayer, input_shape: Any) -> None:
        """Raise ValueError if the model has inputs of another shape."""
        own, other = tuple(first.batch_shape), tuple(input_shape)
        differ = [a for a, b in zip(own, other) if a != b and a is not None and b is not None]
        if differ or len(own) != len(other):
            raise ValueError(
                f"Sequential model '{self.name}' has already been configured for inputs of shape "
                f"{own}. Received: input_shape={other}"
            )

    def _tpf_called_after(self, layer: Any, x: KerasTensor) -> Any:
        """The output of a layer for `x`: that of its call when the model was put together before.

        So a layer has one output, however often layers are added after it and taken away.
        """
        for node in layer._inbound_nodes:
            if len(node.args) == 1 and node.args[0] is x and not node.kwargs:
                return node.outputs[0] if len(node.outputs) == 1 else node.outputs
        return layer(x)

    def _maybe_build(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        value = args[0] if args else kwargs.get("inputs")
        if not hasattr(value, "shape") or dims_of(value) is None:
            # The outputs for several tensors, or for an unknown rank, are known after a call.
            self.built = True
            return
        super()._maybe_build(args, kwargs)

    # -- calling -----------------------------------------------------------------------------

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if "_functional" in self.__dict__:
            return self._functional.call(
                self._functional._flat(inputs), training=training, mask=mask
            )
        outputs = inputs
        for layer in self.layers:
            kwargs = {} if mask is None or not _takes(layer, "mask") else {"mask": mask}
            outputs = layer(outputs, **kwargs)
            mask = get_mask(outputs)
        return outputs

    def compute_output_spec(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if "_functional" in self.__dict__:
            return self._functional.compute_output_spec(inputs, training, mask)
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        for layer in self.layers:
            input_shape = layer.compute_output_shape(input_shape)
        return input_shape

    # -- files -------------------------------------------------------------------------------

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        if "_functional" in children:
            # Under the names by which Keras saves the layers.
            children.pop("_tpf_sequence")
        return children

    def _tpf_serving_spec(self) -> Any:
        is_functional = "_functional" in self.__dict__
        return (
            self._functional._tpf_serving_spec() if is_functional else super()._tpf_serving_spec()
        )

    def get_config(self) -> dict[str, Any]:
        config = Layer.get_config(self)
        layers = [serialize_keras_object(layer) for layer in self._tpf_sequence]
        config["layers"] = layers
        shape = self.input_shape if "_functional" in self.__dict__ else None
        if shape is not None:
            config["build_input_shape"] = shape
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        layers = member(config, "layers", list, tuple)
        model = cls(name=config.get("name"), trainable=config.get("trainable", True))
        for number, each in enumerate(layers):
            with located(f".layers[{number}]"):
                model.add(read_object(each, LAYER, custom_objects), rebuild=False)
        model._maybe_rebuild()
        shape = config.get("build_input_shape")
        if shape and not model.built and isinstance(shape, (tuple, list)):
            model.build(tuple(shape))
        return model

    def get_build_config(self) -> dict[str, Any] | None:
        is_functional = "_functional" in self.__dict__
        return {"input_shape": self.input_shape} if is_functional else None


def _takes(layer: Any, argument: str) -> bool:
    return argument in layer.call.__code__.co_varnames


def _shape_of(model: Any) -> Any:
    try:
        return model.input_shape
    except AttributeError:
        return None


def _arguments_of(layer: Any, error: TypeError) -> Exception:
    """The exception for a layer that a Sequential model cannot call with one tensor."""
    required = [
        parameter.name
        for parameter in inspect.signature(layer.call).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    if len(required) < 2:
        return error
    return ValueError(
        f"The layers of a Sequential model are called with a single positional argument. Expected "
        f"defaults for all but the first argument of `call` of layer '{layer.name}'. Received "
        f"without one: {required}"
    )
