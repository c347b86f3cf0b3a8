"""The state of a layer: its variables and those of the layers inside it."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.argument_types import DTypeLike, Identifier, ShapeLike
from tapeflow._src.internal.user_errors import folds_errors
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.layers.layer_list import LayerList
from tapeflow._src.keras.layers.tracking import Parts, holds
from tapeflow._src.keras.name_first import accepts_name_first
from tapeflow._src.keras.random.seed_generator import SeedGenerator
from tapeflow._src.keras.scopes import name_scope
from tapeflow._src.keras.variables import Variable
from tapeflow.keras import constraints, initializers, regularizers

# How weights are kept that are no attributes, or not yet: no attribute can have such a name.
_UNNAMED = "weight "
# How a layer is kept, which is nothing that belongs to its state.
_INTERNAL = frozenset(
    {
        *(
            "_tpf_tracked",
            "_tpf_known_parts",
            "_tpf_waiting",
            "_tpf_init_args",
            "_build_shapes_dict",
            "_tpf_accepted",
        ),
        *("_inbound_nodes", "_outbound_nodes", "_tpf_structures", "_tpf_tensors", "_tpf_steps"),
        *("_losses", "_input_spec", "_dtype_policy", "_tpf_serving_function"),
    }
)
_NODES = ("_inbound_nodes", "_outbound_nodes")
# Caches, which a copy makes for itself.
_MADE_WHEN_NEEDED = frozenset(
    {
        *("_tpf_known_parts", "_tpf_accepted", "_tpf_quick"),
        *("train_function", "test_function", "predict_function"),
    }
)
_pickling = LazyModule("tapeflow._src.keras.models.pickling")


class LayerState(tf.Module):
    """A module that keeps variables as Keras does."""

    name: str
    variable_dtype: str
    # The names of attributes that hold variables or modules, in order.
    _tpf_tracked: dict[str, None]
    # A cache of the variables and modules in them.
    _tpf_known_parts: Any = None
    _TF_MODULE_IGNORED_PROPERTIES = _INTERNAL
    # Attributes that have another name in Keras 2.
    _TPF_LEGACY_NAMES: dict[str, str] = {}

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        instance = super().__new__(cls)
        object.__setattr__(instance, "_tpf_tracked", {})
        return instance

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _INTERNAL:
            if holds(value):
                if type(value) is list and all(isinstance(v, LayerState) for v in value):
                    value = LayerList(value)
                self._tpf_tracked.setdefault(name)
                self.__dict__["_tpf_known_parts"] = None
            elif name in self._tpf_tracked:
                self._tpf_untrack(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._tpf_untrack(name)
        super().__delattr__(name)

    def _tpf_untrack(self, name: str) -> None:
        self._tpf_tracked.pop(name, None)
        self.__dict__["_tpf_known_parts"] = None

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        children = {name: child for name, child in children.items() if name not in _INTERNAL}
        # A weight is saved under the name of its attribute; one that is none has but its own.
        unnamed = [children.pop(name) for name in list(children) if name.startswith(_UNNAMED)]
        named = {id(child) for child in children.values()}
        for weight in unnamed:
            if id(weight) not in named:
                children.setdefault(weight.name, weight)
        return children

    def _tpf_legacy_children(self) -> dict[str, Any]:
        """The children by the names that files of Keras 2 have for them.

        Keras 2 has no variables for seeds, and its attributes have the names of the weights.
        """
        children = {}
        for name, child in self._trackable_children().items():
            if isinstance(child, Variable) and name == f"_{child.name}":
                name = child.name
            name = self._TPF_LEGACY_NAMES.get(name, name)
            if not isinstance(child, SeedGenerator):
                children[name] = child
        return children

    def _tpf_saved_children(self) -> dict[str, Any]:
        return self._tpf_legacy_children() if is_keras_2() else self._trackable_children()

    def _tpf_children_in(self, stored: Any) -> dict[str, Any]:
        children = self._trackable_children()
        if stored.children.keys() <= children.keys():
            return children
        legacy = self._tpf_legacy_children()
        weights = self._tpf_own_variables()
        named = {id(legacy[name]) for name in stored.children.keys() & legacy.keys()}
        if "variables" in stored.children and not all(id(weight) in named for weight in weights):
            # Attributes have other names here: a SavedModel also lists what belongs to a layer.
            listed = stored.child("variables").children
            if not self._layers and len(listed) == len(weights):
                children["variables"] = list(weights)
        return {**legacy, **children}

    # -- copies ------------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        return _pickling.reduced(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        # Alone, a layer is copied without the models that it is part of.
        alone = (
            not memo and "_tpf_steps" not in self.__dict__ and "_functional" not in self.__dict__
        )
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        for name, value in self.__dict__.items():
            if name == "_tpf_serving_function":
                continue
            if alone and name in _NODES:
                new.__dict__[name] = []
            else:
                cached = name in _MADE_WHEN_NEEDED
                new.__dict__[name] = None if cached else copy.deepcopy(value, memo)
        return new

    def _tpf_parts(self) -> Parts:
        parts = self.__dict__.get("_tpf_known_parts")
        if parts is None:
            parts = Parts(self.__dict__, self._tpf_tracked)
            if parts.fixed:
                self.__dict__["_tpf_known_parts"] = parts
        return parts

    # -- layers ------------------------------------------------------------------------------

    @property
    def _layers(self) -> list[Any]:
        """The layers among the attributes."""
        return [part for part in self._tpf_parts().modules if isinstance(part, LayerState)]

    def _flatten_layers(self, include_self: bool = True, recursive: bool = True) -> list[Any]:
        """The layers inside this one, at any depth."""
        layers: list[Any] = [self] if include_self else []
        for layer in self._layers:
            layers.append(layer)
            if recursive:
                layers += layer._flatten_layers(include_self=False)
        if recursive:
            for part in self._tpf_parts().modules:
                if not isinstance(part, (LayerState, SeedGenerator)):
                    layers += [m for m in part.submodules if isinstance(m, LayerState)]
        return layers

    # -- variables ---------------------------------------------------------------------------

    def _tpf_own_variables(self) -> list[Any]:
        """The layer's own variables: those made to be trained come first."""
        return self._tpf_parts().variables

    def _tpf_collect(self, variables: dict[int, Any], seeds: bool) -> dict[int, Any]:
        """Add the variables of this layer and of those inside it, each once."""
        parts = self._tpf_parts()
        for variable in parts.variables:
            variables[id(variable)] = variable
        for part in parts.modules:
            if isinstance(part, LayerState):
                part._tpf_collect(variables, seeds)
            elif seeds or not isinstance(part, SeedGenerator):
                variables |= {id(variable): variable for variable in part.variables}
        return variables

    @property
    def variables(self) -> list[Any]:  # type: ignore[override]
        """All variables: the weights, and the states of seed generators and metrics."""
        return list(self._tpf_collect({}, seeds=True).values())

    @property
    def weights(self) -> list[Any]:
        """The variables, without the states of seed generators and metrics."""
        return list(self._tpf_collect({}, seeds=False).values())

    @property
    def trainable_variables(self) -> list[Any]:  # type: ignore[override]
        return [v for v in self.variables if v.trainable] if self.trainable else []

    @property
    def non_trainable_variables(self) -> list[Any]:  # type: ignore[override]
        return [v for v in self.variables if not (v.trainable and self.trainable)]

    @property
    def trainable_weights(self) -> list[Any]:
        """The weights that are trained."""
        return [v for v in self.weights if v.trainable] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The weights that are not trained."""
        return [v for v in self.weights if not (v.trainable and self.trainable)]

    @property
    def trainable(self) -> bool:
        """Whether the layer is trained; setting it sets it for the layers inside, too."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        value = bool(value)
        self._trainable = value
        parts = self._tpf_parts()
        for variable in parts.variables:
            if isinstance(variable, Variable) and variable._born_trainable:
                variable.trainable = value
        for part in parts.modules:
            if isinstance(part, LayerState):
                part.trainable = value

    # -- new variables -----------------------------------------------------------------------

    @accepts_name_first(
        *("name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint"),
        *("use_resource", "synchronization", "aggregation"),
    )
    def add_weight(
        self,
        shape: ShapeLike | None = None,
        initializer: Identifier | None = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Identifier | None = None,
        constraint: Identifier | None = None,
        aggregation: str | None = "none",
        overwrite_with_gradient: bool = False,
        name: str | None = None,
        *,
        synchronization: Any = None,
        use_resource: bool | None = None,
    ) -> Variable:
        """Create and return a variable that belongs to the layer.

        Args:
            shape: Shape of the variable; one integer for a vector, None for a scalar.
            initializer: Initializer, its name or a function of shape and dtype; None for
                `"glorot_uniform"`, or zeros if the dtype is not floating-point.
            dtype: Dtype of the variable; None for the layer's.
            trainable: Whether an optimizer updates the variable.
            autocast: Whether the value is cast to the compute dtype where `call` reads it.
            regularizer: Penalty on the variable, added to the layer's losses.
            constraint: Projection of the variable after each optimizer step.
            aggregation: How replicas are combined: `"none"`, `"mean"`, `"sum"`, ...
            overwrite_with_gradient: Whether the optimizer assigns the gradient itself.
            name: Name within the layer; as in Keras 2, it may be the first argument.
            synchronization: When replicas are combined (Keras 2).
            use_resource: Ignored: variables are always resources (Keras 2).

        Example:
            >>> tf.keras.layers.Layer().add_weight(shape=(3,), name="bias").shape
            TensorShape([3])
        """
        shape = () if shape is None else (shape,) if isinstance(shape, int) else shape
        dtype = self.variable_dtype if dtype is None else standardize_dtype(dtype)
        if initializer is None:
            initializer = "glorot_uniform" if "float" in dtype else "zeros"
        with name_scope(self.name, caller=self):
            variable = Variable(
                initializers.get(initializer),
                shape=shape,
                dtype=dtype,
                trainable=trainable,
                autocast=autocast,
                aggregation=aggregation,
                synchronization=synchronization or "auto",
                name=name,
            )
        if trainable and not self.trainable:
            variable.trainable = False
        variable.regularizer = regularizers.get(regularizer)
        variable.constraint = constraints.get(constraint)
        variable.overwrite_with_gradient = overwrite_with_gradient
        self._tpf_keep(variable)
        self._tpf_restore_waiting(variable, name)
        return variable

    def _tpf_restore_waiting(self, variable: Variable, name: str | None) -> None:
        """Restore the variable from a checkpoint that was read before the layer was built."""
        waiting = self.__dict__.get("_tpf_waiting")
        if waiting is not None and f"_{name}" not in self.__dict__:
            # A checkpoint of Keras 2 has it by this name, whatever the attribute is called.
            waiting.placed(name, variable)

    def _tpf_keep(self, variable: Variable) -> None:
        """Have the variable found also if nobody makes it an attribute."""
        name = f"{_UNNAMED}{len(self._tpf_tracked)}"
        self.__dict__[name] = variable
        self._tpf_tracked[name] = None
        self.__dict__["_tpf_known_parts"] = None

    def _tpf_forget_weight(self, name: str) -> None:
        """Remove a weight, which is the attribute `name`."""
        variable = getattr(self, name)
        for attribute in [key for key, value in self.__dict__.items() if value is variable]:
            self._tpf_tracked.pop(attribute, None)
            del self.__dict__[attribute]
        self.__dict__["_tpf_known_parts"] = None

    @property
    def _seed_generators(self) -> list[Any]:
        """The seed generators among the attributes."""
        return [part for part in self._tpf_parts().modules if isinstance(part, SeedGenerator)]

    # -- values ------------------------------------------------------------------------------

    def get_weights(self) -> list[np.ndarray]:
        """Return the values of the weights as arrays, in the order of `weights`.

        Example:
            >>> layer = tf.keras.layers.Dense(3)
            >>> layer.build((None, 4))
            >>> [array.shape for array in layer.get_weights()]
            [(4, 3), (3,)]
        """
        return [weight.numpy() for weight in self.weights]

    @folds_errors
    def set_weights(self, weights: Any) -> None:
        """Assign these values to the weights.

        Args:
            weights: List of arrays in the order of `weights`, as `get_weights` returns them.

        Raises:
            ValueError: The number of arrays or the shape of one differs from that of the weights.

        Example:
            >>> layer = tf.keras.layers.Dense(1)
            >>> layer.build((None, 2))
            >>> layer.set_weights([np.ones((2, 1)), np.zeros(1)])
            >>> layer(tf.constant([[2.0, 3.0]])).numpy()
            array([[5.]], dtype=float32)
        """
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(
                f"`set_weights` of layer '{self.name}' expected {len(own)} arrays, one for each "
                f"of its weights {[weight.name for weight in own]}. Received {len(weights)}."
            )
        for variable, value in zip(own, weights):
            shape = tuple(getattr(value, "shape", np.shape(value)))
            expected = tuple(variable.shape)
            if expected != shape:
                is_transposed = len(shape) == 2 and shape[::-1] == expected
                raise ValueError(
                    f"`set_weights` of layer '{self.name}': weight '{variable.path}' has shape "
                    f"{expected}. Received an array of shape {shape}. Pass "
                    + ("its transpose, array.T." if is_transposed else f"one of shape {expected}.")
                )
        for variable, value in zip(own, weights):
            variable.assign(value)

    # -- files -------------------------------------------------------------------------------

    def save_own_variables(self, store: Any) -> None:
        """Put the values of the layer's own variables into `store`, by number.

        A subclass may save its state in another form, and read that in `load_own_variables`.

        Args:
            store: Mapping from strings to arrays, which a file is written from.
        """
        for number, variable in enumerate(self._tpf_own_variables()):
            store[str(number)] = variable.numpy()

    def _tpf_has_plain_variables(self) -> bool:
        """Whether files have the layer's own variables as they are."""
        return type(self).load_own_variables is LayerState.load_own_variables

    def load_own_variables(self, store: Any) -> None:
        """Assign the values that `save_own_variables` has put into `store`.

        Args:
            store: Mapping from strings to arrays, as it was read from a file.

        Raises:
            ValueError: The number of values differs from that of the layer's own variables.
        """
        own = self._tpf_own_variables()
        if len(store.keys()) != len(own):
            raise ValueError(
                f"Layer '{self.name}' has {len(own)} variables of its own, but the file has "
                f"{len(store.keys())} for it. Expected values for "
                f"{[variable.name for variable in own]}."
            )
        for number, variable in enumerate(own):
            variable.assign(store[str(number)])
