"""Models as the SavedModel folders of Keras 2: a whole model that TensorFlow serves, too.

The objects have their names of Keras 2, the configs are in the notes beside them
(`keras_metadata.pb`), and the model has functions: its call, a default signature, and the calls of
layers whose classes only this program has.
"""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow.__internal__ import saved_model as saved_models
from tapeflow._src.keras.layers.core.input_layer import InputLayer
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.layer_state import LayerState
from tapeflow._src.keras.layers.preprocessing.index_lookup import IndexLookup
from tapeflow._src.keras.layers.preprocessing.vocabulary import vocabularies_in_configs
from tapeflow._src.keras.metrics.metric import Metric
from tapeflow._src.keras.models.legacy_files import training_config
from tapeflow._src.keras.models.model import COMPILED, Model, names_of
from tapeflow._src.keras.optimizers.optimizer import Optimizer
from tapeflow._src.keras.saving.legacy_configs import simplified
from tapeflow._src.keras.saving.object_metadata import encoded
from tapeflow._src.keras.saving.registry import public_module
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow._src.keras.scopes import calls
from tapeflow._src.keras.version import __version__


def save_as_saved_model(
    model: Any,
    path: str,
    include_optimizer: bool = True,
    signatures: Any = None,
    options: Any = None,
    save_traces: bool = True,
) -> None:
    """Write a model to a folder, of which all files are replaced at once."""
    if not model.built:
        raise ValueError(
            f"The model '{model.name}' is not built, so its inputs are not known: call it on a "
            f"batch of data, or call its `build` method, before it is saved."
        )
    writer = _Writer(model, include_optimizer, save_traces)
    layout = saved_models.Layout(writer.children_of, writer.identifier, writer.files)
    if signatures is None:
        signatures = writer.default_signature()
    options = tf.saved_model.SaveOptions() if options is None else options
    saved_models.save_laid_out(model, path, signatures or {}, options, layout)


def save_checkpoint(model: Any, prefix: str) -> None:
    """Write the weights of a model, and the state of its optimizer, as Keras 2 names them."""
    saved_models.save_objects(model, prefix, _Writer(model, True, False).children_of)


class _Writer:
    """Describes the objects of a model."""

    def __init__(self, model: Any, include_optimizer: bool, save_traces: bool) -> None:
        self._model = model
        self._optimizer = getattr(model, "optimizer", None) if include_optimizer else None
        self._traces = save_traces
        # Made once: they are asked for when functions are traced, too.
        self._children: dict[int, dict[str, Any]] = {}

    # -- objects -----------------------------------------------------------------------------

    def children_of(self, value: Any) -> dict[str, Any]:
        """The children of an object as Keras 2 names them."""
        if id(value) not in self._children:
            self._children[id(value)] = self._found_children(value)
        return self._children[id(value)]

    def _found_children(self, value: Any) -> dict[str, Any]:
        if isinstance(value, Metric):
            return {}
        if isinstance(value, Optimizer):
            return value._tpf_legacy_children()
        if not isinstance(value, LayerState):
            children: dict[str, Any] = saved_models.model_children(value)
            return children
        children = {
            name: child
            for name, child in value._tpf_legacy_children().items()
            if not isinstance(child, (Metric, Optimizer)) and name not in COMPILED
        }
        if isinstance(value, IndexLookup) and self._traces and value._tokens:
            # Keras 2 creates the table by the config, and would fill it again.
            children.pop("lookup_table", None)
        if value is self._model and self._optimizer is not None:
            children["optimizer"] = self._optimizer
        return {**children, **self._further(value)}

    def _further(self, layer: Any) -> dict[str, Any]:
        """Return the children of a layer in such files besides its attributes."""
        own = layer is self._model or public_module(type(layer)) is None
        spec = _spec(layer) if self._traces and own else None
        if not self._traces or not own:
            return {}
        lists = {
            "variables": list(layer.weights),
            "trainable_variables": list(layer.trainable_weights),
            "regularization_losses": _regularization(layer),
        }
        api = tf.Module()
        # Which calls use, but which are no weights.
        parts = layer._flatten_layers()
        api.lookup_tables = [each.lookup_table for each in parts if isinstance(each, IndexLookup)]
        if spec is None:
            return {**lists, "keras_api": api}
        plain, with_losses = _functions(layer, spec)
        functions = {"__call__": plain, "call_and_return_all_conditional_losses": with_losses}
        api.call_and_return_conditional_losses = with_losses
        api.seed_states = [each.state for part in parts for each in part._seed_generators]
        api.rnn_states = [
            state
            for part in parts
            for state in tf.nest.flatten(getattr(part, "states", None))
            if isinstance(state, tf.Variable)
        ]
        return {**lists, **functions, "keras_api": api}

    def identifier(self, value: Any) -> str | None:
        """The kind of an object in the file."""
        if isinstance(value, Optimizer):
            return "experimentalOptimizer"
        if isinstance(value, InputLayer):
            return "_tf_keras_input_layer"
        if isinstance(value, tf.keras.Sequential):
            return "_tf_keras_sequential"
        if isinstance(value, Model):
            return "_tf_keras_network" if _is_graph(value) else "_tf_keras_model"
        if isinstance(value, tf.keras.layers.RNN):
            return "_tf_keras_rnn_layer"
        return "_tf_keras_layer" if isinstance(value, Layer) else None

    def default_signature(self) -> Any:
        """The function for programs that serve the model: inputs and outputs by name."""
        spec = _named_spec(self._model) if self._traces else None
        if spec is None:
            return None
        call = functools.partial(_served, self._model)
        return tf.function(call, input_signature=[spec], autograph=False)

    # -- notes -------------------------------------------------------------------------------

    def files(self, nodes: Any) -> dict[str, bytes]:
        """The notes on the layers, as a file."""
        notes = []
        for number, node in enumerate(nodes):
            identifier = self.identifier(node.value)
            if isinstance(node.value, LayerState) and identifier is not None:
                path = ".".join(("root", *node.path))
                text = encoded(self._metadata(node.value))
                notes.append(saved_models.ObjectNote(number, path, identifier, text))
        return {saved_models.NOTES_FILE: saved_models.written_notes(notes)}

    def _metadata(self, layer: Any) -> dict[str, Any]:
        described = _described(layer)
        if isinstance(layer, InputLayer):
            config = described["config"]
            shape = tuple(config["batch_input_shape"])
            keys = ("name", "dtype", "sparse", "ragged")
            top_level = {key: config[key] for key in keys}
            return {**described, **top_level, "batch_input_shape": shape}
        metadata = {
            "name": layer.name,
            "trainable": layer.trainable,
            "expects_training_arg": layer._tpf_heeds_training,
            "dtype": layer.dtype_policy.name,
            "batch_input_shape": None,
            "stateful": bool(getattr(layer, "stateful", False)),
            "must_restore_from_config": False,
            "preserve_input_structure_in_config": False,
            "autocast": layer.autocast,
            **described,
        }
        shape = _input_shape(layer)
        if shape is not None:
            metadata["build_input_shape"] = shape
        return {**metadata, **self._of_model(layer)} if isinstance(layer, Model) else metadata

    def _of_model(self, model: Any) -> dict[str, Any]:
        graph = _is_graph(model)
        spec = _named_spec(model)
        metadata: dict[str, Any] = {"is_graph_network": graph, "save_spec": spec}
        metadata["full_save_spec"] = None if spec is None else ([spec], {})
        metadata |= {"keras_version": __version__, "backend": "tensorflow"}
        if model is self._model and self._optimizer is not None and model.compiled:
            metadata["training_config"] = training_config(model, self._optimizer, for_keras_2=True)
        return metadata


def _described(layer: Any) -> dict[str, Any]:
    """The class and the config of a layer; the class alone if it has no config."""
    try:
        with vocabularies_in_configs():  # Keras 2 restores no table of ours
            config = simplified(serialize_keras_object(layer), keras_2=True)
    except NotImplementedError:
        return {"class_name": type(layer).__name__}
    return {"class_name": config["class_name"], "config": config["config"]}


def _is_graph(model: Any) -> bool:
    return "_operations" in model.__dict__ or "_functional" in model.__dict__


def _input_shape(layer: Any) -> Any:
    """The shape that a layer was built for, or a list of shapes; None if it is not known."""
    if isinstance(layer, Model) and _is_graph(layer):
        tensors = layer.inputs
    elif layer._build_shapes_dict:
        return _as_shapes(next(iter(layer._build_shapes_dict.values())))
    else:
        args = layer._inbound_nodes[0].arguments.args[:1] if layer._inbound_nodes else ()
        tensors = tf.nest.flatten(args)
    shapes = [tf.TensorShape(tensor.shape) for tensor in tensors]
    return shapes if len(shapes) > 1 else shapes[0] if shapes else None


def _as_shapes(shape: Any) -> Any:
    if not isinstance(shape, (tuple, list)):
        return None
    if any(isinstance(size, (tuple, list)) for size in shape):
        return [_as_shapes(each) for each in shape]
    return tf.TensorShape(shape)


# -- functions -----------------------------------------------------------------------------------


def _spec(layer: Any) -> Any:
    """The specs of what a layer is called with; None if they are not known."""
    if isinstance(layer, Model):
        return _named_spec(layer)
    shape = _input_shape(layer)
    if not isinstance(shape, tf.TensorShape) or not shape.rank:
        return None
    return tf.TensorSpec((None, *shape.as_list()[1:]), layer.input_dtype, name="inputs")


def _named_spec(model: Any) -> Any:
    """The specs of the inputs, with the names of the signature."""
    spec = model._tpf_serving_spec()
    if spec is None:
        return None
    names = _input_names(model, len(tf.nest.flatten(spec)))
    flat = [tf.TensorSpec(s.shape, s.dtype, n) for s, n in zip(tf.nest.flatten(spec), names)]
    return tf.nest.pack_sequence_as(spec, flat)


def _input_names(model: Any, count: int) -> list[str]:
    if _is_graph(model):
        return names_of(model.inputs)
    return [f"input_{number}" for number in range(1, count + 1)]


def _served(model: Any, inputs: Any) -> Any:
    outputs = _call(model, inputs, False)
    if isinstance(outputs, dict):
        return outputs
    flat = tf.nest.flatten(outputs)
    names = names_of(model.outputs) if _is_graph(model) else None
    if names is None or len(set(names)) != len(flat):
        names = [f"output_{number}" for number in range(1, len(flat) + 1)]
    return dict(zip(names, flat))


def _functions(layer: Any, spec: Any) -> tuple[Any, Any]:
    """The call of a layer as functions, without losses and with those of the input."""
    # Partial functions have no code, by which frequent tracing would be noticed.
    calls_of_layer = (functools.partial(each, layer) for each in (_call, _call_with_losses))
    plain, with_losses = (tf.function(each, autograph=False) for each in calls_of_layer)
    for function in (plain, with_losses):
        for training in (False, True):
            function.get_concrete_function(spec, training=training)
    return plain, with_losses


def _call_with_losses(layer: Any, inputs: Any, training: Any = False) -> Any:
    outputs = _call(layer, inputs, training)
    return outputs, [loss for part in layer._flatten_layers() for loss in part._losses]


def _call(layer: Any, inputs: Any, training: Any = False) -> Any:
    """Trace a layer's call as a graph for a file."""
    before, calls.portable = calls.portable, True
    try:
        kwargs = {"training": training} if layer._tpf_heeds_training else {}
        return layer(inputs, **kwargs)
    finally:
        calls.portable = before


def _regularization(layer: Any) -> list[Any]:
    """The regularization of weights as functions."""
    weights = [w for w in layer.trainable_weights if getattr(w, "regularizer", None) is not None]
    return [
        tf.function(functools.partial(w.regularizer, w), input_signature=[], autograph=False)
        for w in weights
    ]
