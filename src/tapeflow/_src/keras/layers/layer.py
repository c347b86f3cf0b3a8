"""`Layer`: a function on tensors with variables of its own, which are made at the first call."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.argument_errors import unknown_arguments
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers import mask_passing
from tapeflow._src.keras.layers.call_signature import (
    as_shape,
    given_arguments,
    map_shapes,
    require_shapes,
    shape_of,
    shapes_for,
    signature_of,
    with_masks,
)
from tapeflow._src.keras.layers.control_flow import convert_after, traced_call
from tapeflow._src.keras.layers.layer_calls import LayerCalls
from tapeflow._src.keras.layers.layer_losses import LayerLosses
from tapeflow._src.keras.layers.layer_metrics import LayerMetrics
from tapeflow._src.keras.layers.layer_quantization import LayerQuantization
from tapeflow._src.keras.layers.legacy_members import LegacyMembers
from tapeflow._src.keras.layers.stateless_calls import StatelessCalls
from tapeflow._src.keras.operation import Node, Operation, infer
from tapeflow._src.keras.scopes import CallableNameScope, current_path, name_scope
from tapeflow.keras import dtype_policies, regularizers

_OWN = "tapeflow.keras.layers."
# What decides whether the short way through `__call__` may be taken.
_DECISIVE = frozenset(
    {
        *("built", "_input_spec", "activity_regularizer", "_dtype_policy", "autocast"),
        "_tpf_is_quantized",
    }
)


def _built_once(build: Callable[..., Any]) -> Callable[..., Any]:
    """A `build` that names what it makes after the layer, and notes that the layer is built."""

    @functools.wraps(build)
    def wrapper(self: Layer, *args: Any, **kwargs: Any) -> None:
        if self._tpf_building:  # `super().build(...)`
            build(self, *args, **kwargs)
            return
        self._tpf_building = True
        try:
            with name_scope(self.name, caller=self):
                self._path = current_path()
                build(self, *args, **kwargs)
        finally:
            self._tpf_building = False
        self._build_shapes_dict = signature_of(build).arguments(args, kwargs)
        self.built = True
        if self._tpf_given_weights is not None:
            self.set_weights(self._tpf_given_weights)
            self._tpf_given_weights = None

    return wrapper


class Layer(
    LayerCalls,
    Operation,
    LayerLosses,
    LayerMetrics,
    LayerQuantization,
    StatelessCalls,
    LegacyMembers,
):
    """Base class of all layers: subclasses create variables in `build` and use them in `call`.

    A call `layer(x)` converts arrays to tensors, casts floating-point inputs to the compute dtype,
    builds the layer for the shape of its inputs if that has not been done, runs `call`, and passes
    masks and penalties on. A call with KerasTensors (`keras.Input`) computes nothing: it is
    recorded as a part of a model.

    A subclass must call `super().__init__(**kwargs)` first. Variables, layers and metrics that are
    set as attributes are tracked: they are trained, saved and listed in `weights`.

    Args:
        activity_regularizer: Penalty on the outputs of each call, averaged over the batch; a
            `keras.regularizers.Regularizer`, its name or None.
        trainable: Whether an optimizer updates the weights. It can be changed later, for the layers
            inside as well.
        dtype: Dtype of variables and computations, or a `keras.dtype_policies.DTypePolicy`, such as
            `"mixed_float16"`, that sets them apart; None for the global policy.
        autocast: Whether floating-point inputs are cast to the compute dtype.
        **kwargs: Arguments of Keras 2: `input_shape`, `input_dim`, `batch_input_shape` (for the
            first layer of a Sequential model), `weights` (initial values) and `dynamic`.

    Raises:
        ValueError: A keyword argument is unknown, or `trainable` is not a bool.

    Example:
        >>> class Scale(tf.keras.layers.Layer):
        ...     def build(self, input_shape):
        ...         self.scale = self.add_weight(shape=(input_shape[-1],), initializer="ones")
        ...
        ...     def call(self, inputs):
        ...         return inputs * self.scale
        >>> layer = Scale()
        >>> layer(tf.constant([[1.0, 2.0]])).numpy()
        array([[1., 2.]], dtype=float32)
        >>> [weight.shape for weight in layer.weights]
        [TensorShape([2])]
    """

    _tpf_building = False
    # Arguments of Keras 2: initial values of the weights, and the batch size.
    _tpf_given_weights: Any = None
    _tpf_batch_size_arg: Any = None
    supports_jit = True
    # Whether layers of the class have no weights: they are built as soon as they are created,
    # unless a subclass defines `build`.
    _tpf_has_no_weights = False
    _tpf_built_at_init = False
    # Whether outputs have the dtype of the input rather than that of computations.
    _tpf_keeps_dtype = False
    # Whether the output is sparse if all inputs are.
    _tpf_keeps_sparsity = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "call" in vars(cls):
            cls._tpf_signature = signature_of(cls.call)
            cls._tpf_heeds_training = cls._tpf_signature.has_training
            if "_tpf_builds_nothing" not in vars(cls):
                cls._tpf_builds_nothing = cls.__module__.startswith(_OWN)
        cls._tpf_built_at_init = cls._tpf_has_no_weights and cls.build is Layer.build
        if "build" in vars(cls):
            cls.build = _built_once(cls.build)  # type: ignore[method-assign]

    def __init__(
        self,
        *,
        activity_regularizer: Any = None,
        trainable: bool = True,
        dtype: Any = None,
        autocast: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        Operation.__init__(self, name)
        self._dtype_policy = dtype_policies.get(dtype)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self._tpf_take_input_shape(kwargs)
        if kwargs:
            raise unknown_arguments(type(self), kwargs)
        if not isinstance(trainable, bool):
            raise ValueError(
                f"{type(self).__name__}: `trainable` must be True or False. Received: "
                f"{trainable!r} of type {type(trainable).__name__}"
            )
        self._path: str | None = None
        self.built = self._tpf_built_at_init
        self.autocast = autocast
        self._input_spec: Any = None
        self._trainable = trainable
        self._losses: list[Any] = []
        self._supports_masking = type(self).compute_mask is not Layer.compute_mask
        self._build_shapes_dict: dict[str, Any] | None = None
        # The shape of the input that was checked last.
        self._tpf_accepted: Any = None

    def _tpf_take_input_shape(self, kwargs: dict[str, Any]) -> None:
        """Take legacy arguments of the input shape: `input_shape`, `input_dim` and others."""
        if kwargs.pop("dynamic", False):
            self._tpf_dynamic = True
        input_dim = kwargs.pop("input_dim", None)
        shape = kwargs.pop("input_shape", None) if input_dim is None else (input_dim,)
        batch_shape = kwargs.pop("batch_input_shape", None)
        if batch_shape is not None:
            self._tpf_batch_size_arg, *shape = batch_shape
        weights = kwargs.pop("weights", None)
        if weights is not None:
            self._tpf_given_weights = [np.asarray(weight) for weight in weights]
        if shape is not None:
            warn_user(
                f"{type(self).__name__}: `input_shape` and `input_dim` are legacy arguments. Start "
                f"a Sequential model with `keras.Input(shape={tuple(shape)})` instead.",
            )
            self._input_shape_arg = tuple(shape)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _DECISIVE:
            object.__setattr__(self, "_tpf_quick", False)
        super().__setattr__(name, value)

    # -- what it is --------------------------------------------------------------------------

    @property
    def name(self) -> str:  # type: ignore[override]
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    @property
    def name_scope(self) -> Any:
        """The scope of the layer's name; calling it returns the prefix."""
        return CallableNameScope(self.name)

    @property
    def path(self) -> str | None:
        """The name, after those of the layers that this one was built in; None before that."""
        return self._path

    @property
    def input_spec(self) -> Any:
        """Expected rank, shape and dtype of the inputs."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        self._input_spec = value
        self._tpf_accepted = None

    @property
    def dtype_policy(self) -> Any:
        return self._dtype_policy

    @dtype_policy.setter
    def dtype_policy(self, value: Any) -> None:
        policy = dtype_policies.get(value)
        mode = policy.for_path(self._path).quantization_mode
        if mode is not None and self.built and not self._tpf_is_quantized:
            self.quantize(mode)
        self._dtype_policy = self._dtype_policy.with_path(self._path, policy)

    @property
    def dtype(self) -> str:
        """The dtype of the variables."""
        return self.variable_dtype

    @property
    def variable_dtype(self) -> str:  # type: ignore[override]
        return self._dtype_policy.for_path(self._path).variable_dtype

    @property
    def compute_dtype(self) -> str:
        return self._dtype_policy.for_path(self._path).compute_dtype

    @property
    def quantization_mode(self) -> str | None:
        """The mode of quantization, or None."""
        return self._dtype_policy.for_path(self._path).quantization_mode

    @property
    def input_dtype(self) -> str:
        """The dtype that floating-point inputs are cast to."""
        return self.compute_dtype

    @property
    def supports_masking(self) -> bool:
        """Whether masks are passed on."""
        return self._supports_masking

    @supports_masking.setter
    def supports_masking(self, value: bool) -> None:
        self._supports_masking = value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"

    # -- building ----------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Create the variables for inputs of this shape.

        Runs once, before the first call; the base class creates none. A subclass may have one
        parameter for each tensor of its `call`, such as `query_shape` and `value_shape`, instead of
        `input_shape`.

        Args:
            input_shape: Shape of the inputs with the batch axis, a tuple with None for sizes that
                vary; a list or dict of shapes if `call` takes a list or dict.

        Example:
            >>> layer = tf.keras.layers.Dense(3)
            >>> layer.build((None, 4))
            >>> layer.kernel.shape
            TensorShape([4, 3])
        """
        self.built = True

    def get_build_config(self) -> dict[str, Any] | None:
        """Return the shapes that the layer was built for, to be saved with it.

        Returns:
            A dict with `"input_shape"`, or with `"shapes_dict"` if `build` takes several shapes;
            None if the layer is not built.

        Example:
            >>> layer = tf.keras.layers.Dense(3)
            >>> layer.build((None, 4))
            >>> layer.get_build_config()
            {'input_shape': (None, 4)}
        """
        shapes = self._build_shapes_dict
        if shapes is None:
            return None
        if len(shapes) == 1:
            return {"input_shape": next(iter(shapes.values()))}
        return {"shapes_dict": shapes}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Build the layer for the shapes that `get_build_config` returned.

        Args:
            config: Dict with `"input_shape"` or `"shapes_dict"`; nothing is built without one of
                them.
        """
        if "input_shape" in config:
            self.build(as_shape(config["input_shape"]))
            if type(self).build is Layer.build:
                self._build_shapes_dict = {"input_shape": as_shape(config["input_shape"])}
        elif "shapes_dict" in config:
            self.build(**{name: as_shape(s) for name, s in config["shapes_dict"].items()})

    def _build_at_init(self) -> None:
        """Note that the layer is built, for a constructor that has created all state itself."""
        if type(self).build is Layer.build:
            self.built = True

    def _maybe_build(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        build = inspect.unwrap(type(self).build)
        if build in _LEFT_TO_CALLS:
            with name_scope(self.name, caller=self):
                self._path = current_path()
            self.built = True
            shapes = self._tpf_shapes(build, args, kwargs)
            if build is not Layer.build or shapes.get("input_shape") is not None:
                self._build_shapes_dict = shapes
            return
        shapes = self._tpf_shapes(build, args, kwargs)
        require_shapes(self, build, shapes)
        with tf.init_scope():
            self.build(**shapes)

    def _tpf_shapes(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The shapes that a function takes, of the arguments of a call."""
        return shapes_for(function, self._tpf_signature.arguments(args, kwargs))

    # -- calling -----------------------------------------------------------------------------

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs from the inputs; every subclass defines it.

        Users call the layer itself, `layer(inputs)`, which prepares the arguments and then runs
        `call`.

        Args:
            inputs: Input tensor, or a list, tuple or dict of them.
            *args: Further positional arguments of a subclass.
            training: Whether the layer runs as in training (dropout, batch statistics). A layer
                that declares the argument and is called without it uses the value of the layer that
                calls it; `fit` passes True, `evaluate` and `predict` False.
            mask: Boolean tensor that is False where time steps are padding. A layer that declares
                the argument receives the mask that came with its inputs.
            **kwargs: Further arguments of a subclass.

        Returns:
            A tensor, or a structure of tensors.

        Raises:
            NotImplementedError: The class does not define `call`.

        Example:
            >>> class Double(tf.keras.layers.Layer):
            ...     def call(self, x):
            ...         return 2.0 * x
            >>> Double()(tf.constant([1.0, 2.0])).numpy()
            array([2., 4.], dtype=float32)
        """
        raise NotImplementedError(
            f"Layer '{self.name}': its class {type(self).__name__} must define "
            f"`call(self, inputs)`, which computes the outputs."
        )

    # -- calling with KerasTensors -----------------------------------------------------------

    def _tpf_symbolic(
        self, raw_args: Any, raw_kwargs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        heeded = with_masks(self._tpf_signature, args, kwargs) if self._tpf_is_traced() else kwargs
        with name_scope(self.name, caller=self):
            outputs = self.compute_output_spec(*args, **heeded)
        if any(leaf is tensor for leaf in tf.nest.flatten((args, kwargs)) for tensor in [outputs]):
            outputs = KerasTensor(outputs.shape, outputs.dtype)
        Node(self, raw_args, raw_kwargs, outputs)
        mask_passing.pass_on_symbolically(self, args[0] if args else kwargs, outputs)
        return outputs

    def _tpf_is_traced(self) -> bool:
        """Whether outputs for KerasTensors are inferred from a trace of `call`."""
        kind = type(self)
        spec, shape = kind.compute_output_spec, kind.compute_output_shape
        return spec is Layer.compute_output_spec and shape is Layer.compute_output_shape

    def _tpf_traced(self, *args: Any, **kwargs: Any) -> Any:
        return traced_call(self)(*args, **kwargs)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Infer shape and dtype of the outputs of a call with KerasTensors.

        Uses `compute_output_shape` if the class defines it, and otherwise traces `call`.

        Args:
            inputs: KerasTensor, or a structure of them, that stands for the inputs.
            *args: Further positional arguments of `call`.
            training: As in `call`.
            mask: As in `call`.
            **kwargs: Further arguments of `call`.

        Returns:
            A KerasTensor, or a structure of them.

        Raises:
            ValueError: `call` failed on symbolic inputs.

        Example:
            >>> layer = tf.keras.layers.Dense(3)
            >>> layer.build((None, 4))
            >>> layer.compute_output_spec(tf.keras.Input((4,))).shape
            (None, 3)
        """
        if type(self).compute_output_shape is Layer.compute_output_shape:
            try:
                return Operation.compute_output_spec(self, *args, **kwargs)
            except Exception as error:
                if not convert_after(error.__cause__ or error, self):
                    raise
                return Operation.compute_output_spec(self, *args, **kwargs)
        shapes = self._tpf_shapes(type(self).compute_output_shape, args, kwargs)
        shape = self.compute_output_shape(**shapes)
        dtype = self.compute_dtype
        if self._tpf_keeps_dtype:
            dtype = tf.nest.flatten(args[0] if args else kwargs)[0].dtype
        sparse = self._tpf_keeps_sparsity and all(
            getattr(leaf, "sparse", False) for leaf in tf.nest.flatten(args[0] if args else kwargs)
        )
        return map_shapes(lambda dims: KerasTensor(dims, dtype=dtype, sparse=sparse), shape)

    def compute_output_shape(self, *args: Any, **kwargs: Any) -> Any:
        """Return the shape of the outputs for inputs of a shape, without computing them.

        Args:
            input_shape: Shape of the inputs with the batch axis, None for sizes that vary; a list
                or dict of shapes for several inputs. A layer of several arguments takes one shape
                for each, named after it (`query_shape`, ...).
            *args: Further shapes.
            **kwargs: Further shapes by name.

        Returns:
            A tuple with None for sizes that vary, or a structure of tuples.

        Example:
            >>> tf.keras.layers.Dense(3).compute_output_shape((None, 4))
            (None, 3)
        """
        dtype = self.compute_dtype
        positional, keywords = (
            map_shapes(lambda dims: KerasTensor(dims, dtype=dtype), shapes)
            for shapes in (list(args), kwargs)
        )
        keywords = {name.removesuffix("_shape"): value for name, value in keywords.items()}
        if list(keywords) == ["input"]:
            positional, keywords = [keywords["input"]], {}
        return shape_of(infer(self.__call__, *positional, **keywords))

    # -- masks -------------------------------------------------------------------------------

    def compute_mask(self, inputs: Any, previous_mask: Any = None, *, mask: Any = None) -> Any:
        """Return the mask of the outputs: here, that of the inputs.

        Only layers whose `supports_masking` is true pass masks on.

        Args:
            inputs: Inputs of the call.
            previous_mask: Mask of the inputs, or a structure of masks; None without one.
            mask: The same under the name that Keras 2 has for it.

        Returns:
            A mask, a structure of masks, or None.
        """
        return mask if previous_mask is None else previous_mask

    def _tpf_makes_masks(self) -> bool:
        return type(self).compute_mask is not Layer.compute_mask

    # -- counting and writing ----------------------------------------------------------------

    def count_params(self) -> int:
        """Return how many numbers the weights consist of.

        Raises:
            ValueError: The layer is not built.

        Example:
            >>> layer = tf.keras.layers.Dense(3)
            >>> layer.build((None, 4))
            >>> layer.count_params()
            15
        """
        if not self.built:
            raise ValueError(
                f"Layer '{self.name}' has no weights to count before it is built: call it on "
                f"data, or `layer.build(input_shape)`, before `count_params()`."
            )
        return sum(math.prod(weight.shape) for weight in self.weights)

    def get_config(self) -> dict[str, Any]:
        """Return the config that `from_config` recreates the layer from.

        It holds arguments of the constructor, not the values of weights. The arguments of a
        subclass that does not define the method are taken from its constructor call, if all of them
        are plain values; a subclass with others returns `{**super().get_config(), ...}`.

        Returns:
            A dict that JSON can represent.

        Raises:
            NotImplementedError: An argument has no JSON form, so that the class must define the
                method.

        Example:
            >>> config = tf.keras.layers.Dense(3, name="scores").get_config()
            >>> config["units"], config["name"]
            (3, 'scores')
        """
        config: dict[str, Any] = {"name": self.name}
        if type(self).get_config is Layer.get_config and type(self).__init__ is not Layer.__init__:
            config |= given_arguments(self)
        config["trainable"] = self.trainable
        config["dtype"] = dtype_policies.serialize(self.dtype_policy)
        if self.activity_regularizer is not None:
            config["activity_regularizer"] = regularizers.serialize(self.activity_regularizer)
        if type(self).get_config is Layer.get_config:
            accepted = signature_of(type(self).__init__)
            if not accepted.takes_any:
                config = {key: value for key, value in config.items() if key in accepted.names}
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Create a layer from the config that `get_config` returned; its weights are new.

        Args:
            config: Dict of constructor arguments. A serialized dtype policy is read back first.
            custom_objects: Classes and functions by name that the config refers to and that are not
                registered; only layers that contain others take it.
            safe_mode: Whether to refuse configs that run code, such as a serialized lambda; only
                layers that hold code take it. None for the mode of the surrounding load, which is
                safe.

        Returns:
            A layer of this class.

        Raises:
            TypeError: The constructor does not accept the config.

        Example:
            >>> config = tf.keras.layers.Dense(3).get_config()
            >>> tf.keras.layers.Dense.from_config(config).units
            3
        """
        if isinstance(config.get("dtype"), dict):
            policy = dtype_policies.deserialize(config["dtype"])
            mapped = isinstance(policy, dtype_policies.DTypePolicyMap)
            named = not mapped and policy.quantization_mode is None
            config = {**config, "dtype": policy.name if named else policy}
        return super().from_config(config)


Layer._tpf_signature = signature_of(Layer.call)

# The ways to build after which the layers inside are still to be built, when they are called.
_LEFT_TO_CALLS: set[Any] = {Layer.build}


def leave_building_to_calls(build: Callable[..., Any]) -> Callable[..., Any]:
    """Declare that a call need not come after this `build`."""
    _LEFT_TO_CALLS.add(inspect.unwrap(build))
    return build
