"""`Model`: a layer made of layers, which can be trained and saved."""

from __future__ import annotations

import functools
import inspect
import json
import os
from collections.abc import Callable
from typing import Any, Self

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.meshes import written_once
from tapeflow._src.internal.user_errors import folds_errors
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.layer import Layer, leave_building_to_calls
from tapeflow._src.keras.models.legacy_members import LegacyModelMembers
from tapeflow._src.keras.models.model_files import save_model
from tapeflow._src.keras.models.quantizing import quantize_layers
from tapeflow._src.keras.models.serving import called, called_with, specs_of
from tapeflow._src.keras.models.state_tree import get_state_tree, set_state_tree
from tapeflow._src.keras.models.summary import print_summary
from tapeflow._src.keras.models.weights_files import load_weights, save_weights
from tapeflow._src.keras.saving.legacy_configs import simplified
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow._src.keras.trainers.trainer import Trainer
from tapeflow._src.keras.version import __version__

_export = LazyModule("tapeflow._src.keras.export.export_archive")
_notebook = LazyModule("tapeflow._src.keras.models.notebook")
_folders = LazyModule("tapeflow._src.keras.models.saved_model_writer")
# The attributes that hold what functional and Sequential models are made of.
_MADE_OF_LAYERS = ("_functional", "_operations", "_tpf_sequence")
# What a compiled model keeps that files of Keras 2 have no part for.
COMPILED = frozenset({"_loss_tracker", "_compile_metrics", "_compile_loss", "_metrics", "loss"})
# What `Model(inputs, outputs)` makes: `functional` says it by registering itself.
_functional: list[Any] = []


def register_functional(cls: Any, from_config: Callable[..., Any]) -> None:
    """Let `cls` be the class of models of given inputs and outputs, read by `from_config`."""
    _functional[:] = [cls, from_config]


def based_on_functional(cls: Any) -> Any:
    """Let the functional model take the place of `Model` among the bases of a class.

    A class whose models are created from inputs and outputs is one of functional models: it has
    their layers, their config and their files, whatever else it defines.
    """
    if cls is Model:
        return _functional[0]
    if issubclass(cls, Model) and not issubclass(cls, _functional[0]):
        cls.__bases__ = tuple(map(based_on_functional, cls.__bases__))
    return cls


def given_tensors(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the arguments of a model are its inputs and outputs."""
    return (
        len(args) == 2
        or (len(args) == 1 and "outputs" in kwargs)
        or ("inputs" in kwargs and "outputs" in kwargs)
    )


def made_of_tensors(cls: Any) -> bool:
    """Whether a class takes the inputs and outputs of a model, if only as `*args, **kwargs`."""
    return _positional(cls) == _positional(_functional[0]) or _takes_anything(cls)


def _positional(cls: Any) -> list[str]:
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    return [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


def _takes_anything(cls: Any) -> bool:
    kinds = {p.kind for p in inspect.signature(cls.__init__).parameters.values()}
    both = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    return both <= kinds and not _positional(cls)


class Model(LegacyModelMembers, Trainer, Layer):
    """Groups layers into an object that can be trained, evaluated and saved.

    Either `Model(inputs, outputs)`, a functional model between KerasTensors (or structures of
    them), or a subclass that creates layers in `__init__` and calls them in `call`.

    Args:
        inputs: KerasTensors from `keras.Input`.
        outputs: KerasTensors computed from `inputs`.
        name: Name of the model.
        **kwargs: Arguments of `Layer`, such as `trainable` and `dtype`.

    Raises:
        TypeError: There are positional arguments other than inputs and outputs.

    Example:
        >>> inputs = tf.keras.Input((3,))
        >>> model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
        >>> model.compile("adam", "mse")
        >>> history = model.fit(tf.ones((8, 3)), tf.zeros((8, 1)), verbose=0)
        >>> model.predict(tf.ones((2, 3)), verbose=0).shape
        (2, 1)
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls is Model and given_tensors(args, kwargs):
            cls = _functional[0]
        return super().__new__(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if given_tensors(args, kwargs):
            # A subclass, or one that calls `super().__init__(inputs, outputs)`.
            based_on_functional(type(self))
            _functional[0].__init__(self, *args, **kwargs)
            return
        if args and not is_keras_2():
            # Not the arguments themselves: the model may be one of them, and has no name yet.
            kinds = [type(arg).__name__ for arg in args]
            raise TypeError(
                f"{type(self).__name__} takes `inputs` and `outputs`, or keyword arguments alone. "
                f"Received positional arguments of the types {kinds}"
            )
        super().__init__(**kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} must define `call(self, inputs)`, or be created from `inputs` "
            f"and `outputs`."
        )

    @folds_errors
    @leave_building_to_calls
    def build(self, input_shape: Any = None) -> None:
        """Create the variables by trying out a call with inputs of this shape.

        A subclass whose layers are called in `call` may also be built by a call on data.

        Args:
            input_shape: Shape of the inputs with the batch axis, or a structure of shapes; with
                None nothing is tried out.

        Example:
            >>> class Scores(tf.keras.Model):
            ...     def __init__(self):
            ...         super().__init__()
            ...         self.dense = tf.keras.layers.Dense(2)
            ...
            ...     def call(self, inputs):
            ...         return self.dense(inputs)
            >>> model = Scores()
            >>> model.build((None, 3))
            >>> [weight.shape for weight in model.weights]
            [TensorShape([3, 2]), TensorShape([2])]
        """
        self.built = True
        if input_shape is not None and type(self).call is not Model.call:
            self.compute_output_shape(input_shape)

    # -- layers ------------------------------------------------------------------------------

    @property
    def layers(self) -> list[Any]:
        """The layers that the model consists of."""
        return self._tpf_own_layers()

    @layers.setter
    def layers(self, _: Any) -> None:
        raise AttributeError(
            f"The attribute `layers` is reserved: it lists the layers of a model. "
            f"{self._tpf_layers_advice}"
        )

    # What to do instead of setting `layers`.
    _tpf_layers_advice = "Use another name for your own list of layers."

    def _tpf_own_layers(self) -> list[Any]:
        return self._flatten_layers(include_self=False, recursive=False)

    @folds_errors
    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Return the layer of that name, or at that index.

        Args:
            name: Name of the layer.
            index: Index in `layers`, instead of the name.

        Raises:
            ValueError: There is no such layer, or not exactly one argument is passed.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="scores")])
            >>> model.get_layer("scores").units
            2
        """
        if name is not None and index is not None:
            raise ValueError(
                f"`get_layer` takes a name or an index, not both. Received: name={name!r}, "
                f"index={index}"
            )
        layers = self.layers
        if index is not None:
            if len(layers) <= index:
                raise ValueError(
                    f"Model '{self.name}' has {len(layers)} layers, so indices end at "
                    f"{len(layers) - 1}. Received: index={index}"
                )
            return layers[index]
        if name is None:
            raise ValueError(
                f"`get_layer` needs a name or an index. The layers are "
                f"{[layer.name for layer in layers]}."
            )
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError(
            f"No such layer: {name}. Existing layers are: {[layer.name for layer in layers]}."
        )

    def _tpf_of_functional(self, attribute: str) -> Any:
        if "_functional" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__} model '{self.name}' has no defined {attribute}: it is not "
                f"made of given inputs and outputs."
            )
        return getattr(self.__dict__["_functional"], attribute)

    @property
    def inputs(self) -> list[KerasTensor]:
        return self._tpf_of_functional("inputs")

    @property
    def outputs(self) -> list[KerasTensor]:
        return self._tpf_of_functional("outputs")

    @property
    def input_shape(self) -> Any:
        return self._tpf_of_functional("input_shape")

    @property
    def output_shape(self) -> Any:
        return self._tpf_of_functional("output_shape")

    # -- showing -----------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        html: str = _notebook.model_html(self)
        return html

    @folds_errors
    def summary(
        self,
        line_length: int | None = None,
        positions: Any = None,
        print_fn: Callable[..., Any] | None = None,
        expand_nested: bool = False,
        show_trainable: bool = False,
        layer_range: Any = None,
    ) -> None:
        """Print a table of the layers, their output shapes and numbers of weights.

        Args:
            line_length: Width of the table; None for that of the terminal.
            positions: Where columns end, as fractions of a line or absolute positions.
            print_fn: Function that receives the text, instead of `print`.
            expand_nested: Whether layers of nested models are listed.
            show_trainable: Whether there is a column that says which layers are trained.
            layer_range: Names, or regular expressions, of the first and the last layer to list.

        Example:
            >>> layers = [tf.keras.Input((4,)), tf.keras.layers.Dense(2)]
            >>> model = tf.keras.Sequential(layers, name="small")
            >>> model.summary(print_fn=lambda text: print(text.splitlines()[0]))
            Model: "small"
        """
        print_summary(
            self,
            line_length=line_length,
            positions=positions,
            print_fn=print_fn,
            expand_nested=expand_nested,
            show_trainable=show_trainable,
            layer_range=layer_range,
        )

    # -- values of variables -----------------------------------------------------------------

    def get_state_tree(self, value_format: str = "backend_tensor") -> dict[str, Any]:
        """Return the values of all variables, in nested dicts by the parts of their paths.

        Args:
            value_format: `"backend_tensor"` for tensors, `"numpy_array"` for arrays.

        Returns:
            A dict with `"trainable_variables"`, `"non_trainable_variables"`,
            `"optimizer_variables"` and `"metrics_variables"`.

        Raises:
            ValueError: The format is unknown, or two variables have the same path.

        Example:
            >>> layers = [tf.keras.Input((4,)), tf.keras.layers.Dense(2, name="out")]
            >>> model = tf.keras.Sequential(layers, name="small")
            >>> tree = model.get_state_tree("numpy_array")
            >>> tree["trainable_variables"]["small"]["out"]["kernel"].shape
            (4, 2)
        """
        return get_state_tree(self, value_format)

    def set_state_tree(self, state_tree: dict[str, Any]) -> None:
        """Assign values that `get_state_tree` has returned.

        Args:
            state_tree: Nested dicts of values; groups and variables that are missing stay as they
                are.

        Raises:
            ValueError: A group is unknown.
        """
        set_state_tree(self, state_tree)

    # -- quantization ------------------------------------------------------------------------

    def get_quantization_layer_structure(self, mode: str | None = None) -> dict[str, Any] | None:
        """Return the layers that GPTQ and AWQ calibrate; models of your own override it.

        Args:
            mode: Mode of quantization, `"gptq"` or `"awq"`.

        Returns:
            A dict with lists of layers: `pre_block_layers`, which the inputs pass first, and
            `sequential_blocks`, which follow them and are quantized one after the other. None if
            the model does not say.
        """
        return None

    def quantize(  # type: ignore[override]
        self, mode: Any = None, config: Any = None, filters: Any = None, **kwargs: Any
    ) -> None:
        """Quantize the weights of all layers that can be quantized.

        Args:
            mode: `"int8"`, `"int4"`, `"float8"`, `"gptq"` or `"awq"`; may be left out if there is
                a config.
            config: A `keras.quantizers.QuantizationConfig` instead of the mode's default one. For
                GPTQ and AWQ it has the examples for the calibration.
            filters: Which layers: regular expressions for their names, or a function of a layer.
            **kwargs: `type_check=False` quantizes subclasses, too.

        Example:

        >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        >>> model.quantize("int8")
        >>> model.layers[0].kernel.dtype
        tf.int8
        """
        type_check = kwargs.pop("type_check", True)
        if kwargs:
            raise ValueError(f"`quantize` received unknown keyword arguments: {sorted(kwargs)}")
        if quantize_layers(self, mode, config, filters, type_check):
            self._tpf_set(train_function=None, test_function=None, predict_function=None)

    # -- files -------------------------------------------------------------------------------

    @folds_errors
    def save(
        self, filepath: Any, overwrite: bool = True, zipped: Any = None, **kwargs: Any
    ) -> None:
        """Save the architecture, the weights and the optimizer state.

        Args:
            filepath: Path that ends in `.keras` or `.h5`; without an ending, the folder of a
                SavedModel as Keras 2 writes it.
            overwrite: Whether to replace an existing file.
            zipped: See `keras.saving.save_model`, which lists the other options.
            **kwargs: Options of Keras 2, such as `save_format`.

        Raises:
            FileExistsError: The file exists and `overwrite` is False.
            ValueError: The name has another ending.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
            >>> model.save("model.keras")
            >>> tf.keras.models.load_model("model.keras").output_shape
            (None, 2)
        """
        save_model(self, filepath, overwrite=overwrite, zipped=zipped, **kwargs)

    @folds_errors
    def save_weights(
        self,
        filepath: Any,
        overwrite: bool = True,
        max_shard_size: Any = None,
        **kwargs: Any,
    ) -> None:
        """Save the weights: as HDF5 if the name ends in `.weights.h5`, else as a checkpoint.

        Args:
            filepath: File that ends in `.weights.h5`; one that ends in `.h5` is written as by Keras
                2, and any other name is the prefix of a TensorFlow checkpoint.
            overwrite: Whether to replace an existing file.
            max_shard_size: Largest size of a file in gigabytes; None for one file of any size.
            **kwargs: `objects_to_skip`, and of Keras 2 `save_format` and `options`.

        Raises:
            FileExistsError: The file exists and `overwrite` is False.
            ValueError: The model is not built, or an argument is unknown.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
            >>> model.save_weights("model.weights.h5")
            >>> model.load_weights("model.weights.h5")
        """
        save_weights(self, filepath, overwrite, max_shard_size, **kwargs)

    @folds_errors
    def load_weights(self, filepath: Any, skip_mismatch: bool = False, **kwargs: Any) -> Any:
        """Load weights that `save_weights` has saved.

        Args:
            filepath: File of weights, whole model (`.keras`), or prefix of a checkpoint.
            skip_mismatch: Whether layers that do not fit are skipped with a warning.
            **kwargs: `by_name` for files of Keras 2, `objects_to_skip` and `options`.

        Returns:
            The status of the load for the prefix of a checkpoint, such as `tf.train.Checkpoint`
            returns; None for other files.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: The model is not built, or does not fit the file.
        """
        return load_weights(self, filepath, skip_mismatch, **kwargs)

    @folds_errors
    def export(
        self,
        filepath: Any,
        format: str = "tf_saved_model",
        verbose: Any = None,
        input_signature: Any = None,
        **kwargs: Any,
    ) -> None:
        """Write the model as a SavedModel for serving, with the endpoint `serve`.

        Args:
            filepath: Folder of the SavedModel.
            format: `"tf_saved_model"`.
            verbose: Whether what was written is printed.
            input_signature: Specs of the input, if the model was never called.
            **kwargs: None is known.

        Raises:
            ValueError: An argument is unknown.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
            >>> model.export("served", verbose=False)
            >>> tf.saved_model.load("served").serve(tf.ones((3, 4))).shape
            TensorShape([3, 2])
        """
        if kwargs:
            raise ValueError(f"`export` received the unknown arguments {sorted(kwargs)}.")
        with written_once(os.fspath(filepath), self.variables) as own:
            _export.export_model(self, own, format, verbose, input_signature)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel":
            serving = self._tpf_serving()
            if serving is not None:
                children.setdefault("_default_save_signature", serving)
        return children

    def _tpf_save_model(self, export_dir: Any, signatures: Any, options: Any) -> bool:
        """With Keras 2, `tf.saved_model.save` writes what `save` writes to folders."""
        if not is_keras_2() or not self.built:
            return False
        _folders.save_as_saved_model(self, export_dir, signatures=signatures, options=options)
        return True

    def _tpf_legacy_children(self) -> dict[str, Any]:
        """As Keras 2 has them: the layers of a graph or a sequence by number."""
        children = super()._tpf_legacy_children()
        made_of_layers = [name for name in _MADE_OF_LAYERS if name in self.__dict__]
        if not made_of_layers:
            return children
        numbered, with_weights = {}, 0
        for number, layer in enumerate(self.layers):
            if layer.weights or layer._tpf_adapts_vocabulary:
                numbered[f"layer_with_weights-{with_weights}"] = layer
                with_weights += 1
            numbered[f"layer-{number}"] = layer
        rest = {name: each for name, each in children.items() if name not in made_of_layers}
        return {**numbered, **rest}

    def _tpf_saved_children(self) -> dict[str, Any]:
        children = super()._tpf_saved_children()
        if is_keras_2():
            children = {name: each for name, each in children.items() if name not in COMPILED}
        return children

    def _tpf_serving(self) -> Any:
        """Return the default signature of a SavedModel: batches of any size; None if unknown."""
        if "_tpf_serving_function" not in self.__dict__:
            signature = self._tpf_serving_signature()
            if signature is None:
                return None

            # A partial function: that each model has one is nothing to warn of.
            call = functools.partial(called if len(signature) == 1 else called_with, self)
            function = tf.function(call, input_signature=signature, autograph=False)
            # Not an attribute like others: it is saved only with a SavedModel.
            object.__setattr__(self, "_tpf_serving_function", function)
        return self.__dict__["_tpf_serving_function"]

    def _tpf_serving_spec(self) -> Any:
        shape = next(iter((self._build_shapes_dict or {}).values()), None)
        if not isinstance(shape, tuple) or not shape or isinstance(shape[0], (tuple, list)):
            return None
        return tf.TensorSpec((None, *shape[1:]), self.input_dtype, name="inputs")

    def _tpf_serving_signature(self) -> list[Any] | None:
        """The specs of all arguments of a call; None if they are not known."""
        spec = self._tpf_serving_spec()
        if spec is not None and len(self._build_shapes_dict or {}) < 2:
            return [spec]
        shapes = (self._build_shapes_dict or {}).values()
        specs = [specs_of(shape, self.input_dtype) for shape in shapes]
        return None if not specs or None in specs else specs

    def to_json(self, **kwargs: Any) -> str:
        """Return the config of the model as text, with TF_USE_LEGACY_KERAS in the form of Keras 2.

        Args:
            **kwargs: Arguments of `json.dumps`, such as `indent`.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
            >>> tf.keras.models.model_from_json(model.to_json()).output_shape
            (None, 2)
        """
        config = serialize_keras_object(self)
        if is_keras_2():
            config = simplified(config, keras_2=True)
            config |= {"keras_version": __version__, "backend": "tensorflow"}
        return json.dumps(config, **kwargs)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Create the model that has this config, with new weights.

        Args:
            config: Dict that `get_config` returned.
            custom_objects: Classes and functions by name that the config refers to.

        Returns:
            A model of this class.

        Raises:
            TypeError: The constructor does not accept the config.
        """
        keys = ("name", "layers", "input_layers", "output_layers")
        if made_of_tensors(cls) and all(key in config for key in keys):
            # What the class adds to the config are arguments of its own.
            own_keys = config if cls in (Model, _functional[0]) else (*keys, "trainable")
            kwargs = {key: value for key, value in config.items() if key not in own_keys}
            return _functional[1](cls, config, custom_objects, **kwargs)
        try:
            return cls(**config)
        except TypeError as error:
            raise TypeError(
                f"{cls.__name__} cannot be created from its config: {error}. The keys that "
                f"`{cls.__name__}.get_config()` returns must be parameters of `__init__`, unless "
                f"the class defines `from_config(cls, config)`. Received config: {config}"
            ) from error

    def get_build_config(self) -> dict[str, Any] | None:
        if self._build_shapes_dict or not self.built:
            return super().get_build_config()
        return {"input_shape": None}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Build the model for the shape that it was built for.

        Args:
            config: Dict that `get_build_config` returned; nothing is built without an
                `"input_shape"`.
        """
        shape = config.get("input_shape")
        if shape is not None:
            super().build_from_config(config)


def names_of(tensors: Any) -> list[str]:
    """Return the names of the layers that produce KerasTensors."""
    return [tensor._keras_history.operation.name for tensor in tf.nest.flatten(tensors)]
