"""`Functional`: a model that leads from given KerasTensors to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.user_errors import folds_errors
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.core.input_layer import InputLayer
from tapeflow._src.keras.layers.input_spec import InputSpec, dims_of
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.masks import set_mask
from tapeflow._src.keras.models import functional_config, functional_reader
from tapeflow._src.keras.models.graph import Graph, Step, between_inputs, inferred
from tapeflow._src.keras.models.model import Model, made_of_tensors, names_of, register_functional


class Functional(Model):
    """The operations between inputs and outputs, run in order."""

    _tpf_builds_nothing = True

    @folds_errors
    def __init__(self, inputs: Any, outputs: Any, name: str | None = None, **kwargs: Any) -> None:
        trainable = kwargs.pop("trainable", None)
        Layer.__init__(self, name=name, **kwargs)
        for argument, tensors in (("inputs", inputs), ("outputs", outputs)):
            _check_tensors(argument, tensors)
        inputs, outputs = between_inputs(*tf.nest.map_structure(_plain, (inputs, outputs)))
        self._tpf_structures = (inputs, outputs)
        self._tpf_tensors = (tf.nest.flatten(inputs), tf.nest.flatten(outputs))
        graph = Graph(*self._tpf_tensors)
        self._operations = graph.operations
        self._tpf_steps = [Step(node) for node in graph.nodes if not node.is_input]
        self.input_spec = self._specs()
        self.built = True
        if trainable is not None and not trainable:
            self.trainable = False

    # -- what it is --------------------------------------------------------------------------

    @property
    def operations(self) -> list[Any]:
        """Layers of the model, and operators between them."""
        return list(self._operations)

    def _tpf_own_layers(self) -> list[Any]:
        return [each for each in self._operations if isinstance(each, Layer)]

    def _tpf_children_in(self, stored: Any) -> dict[str, Any]:
        children = super()._tpf_children_in(stored)
        if "_operations" not in stored.children:
            return children
        # Keras 3 numbers the ops that compute masks, too, but saves the layers alone.
        numbers = sorted(stored.child("_operations").children, key=_as_number)
        layers = self._tpf_own_layers()
        if len(numbers) == len(layers):
            children["_operations"] = dict(zip(numbers, layers))
        return children

    @property
    def inputs(self) -> list[KerasTensor]:
        """The KerasTensors that the model begins with."""
        return list(self._tpf_tensors[0])

    @property
    def outputs(self) -> list[KerasTensor]:
        """The KerasTensors that the model ends with."""
        return list(self._tpf_tensors[1])

    @property
    def input(self) -> Any:
        return self._tpf_structures[0]

    @property
    def output(self) -> Any:
        return self._tpf_structures[1]

    @property
    def input_shape(self) -> Any:
        """The shapes of the inputs."""
        shapes = [tensor.shape for tensor in self.inputs]
        return shapes[0] if len(shapes) == 1 else shapes

    @property
    def output_shape(self) -> Any:
        """The shapes of the outputs."""
        shapes = [tensor.shape for tensor in self.outputs]
        return shapes[0] if len(shapes) == 1 else shapes

    @property
    def input_names(self) -> list[str]:
        return names_of(self.inputs)

    @property
    def output_names(self) -> list[str]:
        names = names_of(self.outputs)
        return _numbered(names) if is_keras_2() else names

    def _specs(self) -> Any:
        specs = []
        for tensor in self.inputs:
            operation = tensor._keras_history.operation
            optional = isinstance(operation, InputLayer) and operation.optional
            specs.append(
                InputSpec(
                    shape=(None, *tensor.shape[1:]),
                    allow_last_axis_squeeze=True,
                    name=operation.name if isinstance(operation, InputLayer) else tensor.name,
                    optional=optional,
                )
            )
        return specs if len(specs) > 1 else specs[0]

    def _tpf_serving_spec(self) -> Any:
        if any(tensor.sparse or tensor.ragged for tensor in self.inputs):
            return None

        def spec_of(tensor: KerasTensor) -> Any:
            name = "inputs" if len(self.inputs) == 1 else tensor._keras_history.operation.name
            return tf.TensorSpec((None, *tensor.shape[1:]), tensor.dtype, name=name)

        return tf.nest.map_structure(spec_of, self.input)

    # -- calling -----------------------------------------------------------------------------

    def _tpf_converted(self, args: Any, kwargs: Any) -> Any:
        """The arguments, with the inputs in the order and in the dtypes of the model's own."""
        if args:
            args = (self._flat(args[0]), *args[1:])
        elif "inputs" in kwargs:
            kwargs = {**kwargs, "inputs": self._flat(kwargs["inputs"])}
        return args, kwargs

    def _flat(self, inputs: Any) -> Any:
        own = self.inputs
        if isinstance(inputs, (dict, list, tuple)) or isinstance(self._tpf_structures[0], dict):
            inputs = self._in_own_structure(inputs)
        values = tf.nest.flatten(inputs)
        if len(values) != len(own):
            names = self.input_names
            keys = ", ".join(f"'{name}': ..." for name in names)
            raise ValueError(
                f"Model '{self.name}' expects {len(own)} inputs, named {names}. Received "
                f"{len(values)}: call it as `model({{{keys}}})`."
            )
        tensors = [_as_input(value, tensor) for value, tensor in zip(values, own)]
        return tensors[0] if len(tensors) == 1 else tensors

    def _in_own_structure(self, inputs: Any) -> Any:
        """Inputs in the order of the model's own; a warning if they are nested in another way."""
        structure = self._tpf_structures[0]
        if not isinstance(inputs, dict):
            if isinstance(structure, dict) and list(structure) != sorted(structure):
                raise ValueError(
                    f"Model '{self.name}' was created from a dict of inputs with the keys "
                    f"{list(structure)}. Expected a dict with these, but received a list, whose "
                    f"order is not theirs."
                )
            if not _nested_alike(inputs, structure):
                self._warn_of_structure(inputs)
            return inputs
        by_name = _by_name(self, inputs)
        by_key = isinstance(structure, dict)
        if isinstance(structure, KerasTensor) or (by_key and inputs.keys() != structure.keys()):
            self._warn_of_structure(inputs)
        return by_name

    def _warn_of_structure(self, received: Any) -> None:
        if any(isinstance(leaf, KerasTensor) for leaf in tf.nest.flatten(received)):
            return
        names = tf.nest.map_structure(lambda tensor: tensor.name, self._tpf_structures[0])
        received = tf.nest.map_structure(
            lambda leaf: None if leaf is None else f"shape {dims_of(leaf)}", received
        )
        warn_user(
            f"The structure of the inputs of model '{self.name}' is another one than that it was "
            f"created with. Expected (by name): {names}. Received: {received}"
        )

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        values = tf.nest.flatten(inputs)
        if mask is not None:
            for value, each in zip(values, tf.nest.flatten(mask)):
                if each is not None:
                    set_mask(value, each)
        outputs = self.run(values)
        # As in Keras, a list of one output returns that output, although `output` is a list.
        alone = isinstance(outputs, (list, tuple)) and len(outputs) == 1
        return outputs[0] if alone else outputs

    def run(self, values: list[Any], call: Callable[..., Any] | None = None) -> Any:
        """Compute the outputs for these inputs; `call(operation, …)` makes the calls, if passed."""
        results = {}
        for tensor, value in zip(self.inputs, values):
            results[id(tensor)] = value
        for step in self._tpf_steps:
            step.run(results, call)
        if call is None:
            for tensor, metric in self._tpf_added:
                self._add_term(results[id(tensor)], metric)
        outputs = self._tpf_structures[1]
        return tf.nest.map_structure(lambda tensor: results[id(tensor)], outputs)

    # -- losses and metrics of KerasTensors, as in Keras 2 -------------------------------------

    # Each with the name of its metric; of a loss it is None.
    _tpf_added: tuple[tuple[KerasTensor, str | None], ...] = ()

    def add_loss(self, loss: Any = None, *, losses: Any = None) -> None:
        """Add to the losses of the model.

        A KerasTensor that is computed from the model's inputs is computed anew in each call. It
        is no part of the model's config.
        """
        for item in tf.nest.flatten(losses if loss is None else loss):
            if isinstance(item, KerasTensor):
                self._compute_also(item._plain, None)
            super().add_loss(item)

    def add_metric(self, value: Any, name: str | None = None, **kwargs: Any) -> None:
        """Report the mean of `value` over an epoch; it may be a KerasTensor, as for `add_loss`."""
        if isinstance(value, KerasTensor) and name is not None:
            self._compute_also(value._plain, name)
            self._tpf_added_metric(name)
        else:
            super().add_metric(value, name, **kwargs)

    def _compute_also(self, tensor: KerasTensor, metric: str | None) -> None:
        """Have each call compute a tensor that is no output."""
        tensors = [*self._tpf_tensors[1], *(each for each, _ in self._tpf_added), tensor]
        graph = Graph(self._tpf_tensors[0], tensors)
        self._tpf_steps = [Step(node) for node in graph.nodes if not node.is_input]
        present = {id(each) for each in self._operations}
        layers = [each for each in graph.operations if isinstance(each, Layer)]
        self._operations = [*self._operations, *(e for e in layers if id(e) not in present)]
        self._tpf_added = (*self._tpf_added, (tensor, metric))

    def _add_term(self, value: Any, metric: str | None) -> None:
        if metric is None:
            Layer.add_loss(self, value)
        else:
            self._tpf_added_metric(metric).update_state(value)

    def compute_output_spec(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        return self.run(tf.nest.flatten(inputs), inferred)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return Layer.compute_output_shape(self, input_shape)

    # -- configs -----------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        if not made_of_tensors(type(self)):
            return super().get_config()
        return functional_config.config_of(self)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        if cls is not Functional:
            return super().from_config(config, custom_objects)
        return functional_reader.from_config(cls, config, custom_objects)


register_functional(Functional, functional_reader.from_config)


def _plain(tensor: KerasTensor) -> KerasTensor:
    return tensor._plain


def _nested_alike(inputs: Any, structure: Any) -> bool:
    """Whether `inputs` are nested like `structure`; a list may stand for a tuple."""
    if isinstance(structure, dict):
        return (
            isinstance(inputs, dict)
            and inputs.keys() == structure.keys()
            and all(_nested_alike(inputs[key], part) for key, part in structure.items())
        )
    if isinstance(structure, (list, tuple)):
        return (
            isinstance(inputs, (list, tuple))
            and len(inputs) == len(structure)
            and all(map(_nested_alike, inputs, structure))
        )
    return not isinstance(inputs, (dict, list, tuple))


def _check_tensors(argument: str, tensors: Any) -> None:
    for tensor in tf.nest.flatten(tensors):
        if not isinstance(tensor, KerasTensor):
            raise ValueError(
                f"`{argument}` of a model must be KerasTensors. Received: {argument}={tensors}, "
                f"with {tensor} of type {type(tensor).__name__}. Start the "
                f"model from `x = keras.Input(shape)`, without the batch axis, and call the "
                f"layers on it."
            )
        if tensor._keras_history is None:
            raise ValueError(
                f"All `{argument}` values must come from `keras.Input` or from layers. Received: "
                f"{tensor}"
            )


def _by_name(model: Functional, inputs: dict[str, Any]) -> list[Any]:
    """The values of a dict in the order of the model's inputs."""
    structure = model.input
    names = sorted(structure) if isinstance(structure, dict) else model.input_names
    missing = [name for name in names if name not in inputs]
    if missing:
        raise ValueError(
            f"Missing data for input '{missing[0]}' of model '{model.name}'. Received the keys "
            f"{sorted(inputs)}; expected {names}."
        )
    return [inputs[name] for name in names]


def _as_input(value: Any, tensor: KerasTensor) -> Any:
    """A value as the model takes it: a tensor of the right dtype, with an axis more or less."""
    if value is None or isinstance(value, KerasTensor):
        return value
    if not isinstance(value, (tf.Tensor, tf.SparseTensor, tf.RaggedTensor)):
        value = tf.convert_to_tensor(value)
    if isinstance(value, tf.SparseTensor) and not tensor.sparse:
        value = tf.sparse.to_dense(value)
    if value.dtype.name != tensor.dtype and not tensor.ragged:
        if "string" in (value.dtype.name, tensor.dtype):
            raise ValueError(
                f"Input '{tensor.name}' of the model expected {tensor.dtype}. Received a tensor of "
                f"{value.dtype.name}. Text becomes numbers by a layer such as "
                f"`keras.layers.StringLookup` or `TextVectorization`, or by `tf.strings.to_number`."
            )
        value = tf.cast(value, tensor.dtype)
    dims = dims_of(value)
    if dims is None or len(dims) == len(tensor.shape):
        return value
    if len(dims) == len(tensor.shape) + 1 and dims[-1] == 1:
        return tf.squeeze(value, axis=-1)
    if len(dims) == len(tensor.shape) - 1 and tensor.shape[-1] == 1:
        return tf.expand_dims(value, axis=-1)
    message = (
        f"Input '{tensor.name}' of the model expected shape {tensor.shape}. Received a tensor of "
        f"incompatible shape {dims}"
    )
    if tuple(dims) == tuple(tensor.shape[1:]):
        message += (
            ". The batch axis is missing: batch a dataset with `.batch(n)`, and add the axis to a "
            "single example with tf.expand_dims(x, 0)"
        )
    if not is_keras_2():
        raise ValueError(message)
    # Keras 2 leaves it to the layers whether they can do with another rank.
    warn_user(message)
    return value


def _numbered(names: list[str]) -> list[str]:
    """Names of outputs as Keras 2 has them: each once, numbered from the second one on."""
    counts: dict[str, int] = {}
    unique = []
    for name in names:
        number = counts.get(name, 0)
        counts[name] = number + 1
        unique.append(f"{name}_{number}" if number else name)
    return unique


def _as_number(name: str) -> int:
    return int(name) if name.isdecimal() else -1
