"""Variables of an optimizer, and the model variables it tracks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Identifier, ShapeLike
from tapeflow._src.internal.tracking import AutoTrackable
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.scopes import name_scope
from tapeflow._src.keras.variables import Variable
from tapeflow.keras import initializers

_NEW_IN_KERAS_3 = frozenset(
    {
        *("_trainable_variables", "_trainable_variables_indices"),
        "_exclude_from_weight_decay_cache",
    }
)
# Where the slots of the first optimizers of Keras 2 are kept.
_SLOTS = {
    "m": ("_momentums", "_m"),
    "v": ("_velocities", "_u"),
    "vhat": ("_velocity_hats",),
    "rms": ("_velocities",),
    "mg": ("_average_gradients",),
    "momentum": ("momentums", "_momentums"),
    "accumulator": ("_accumulators",),
    "linear": ("_linears",),
    "accum_grad": ("_accumulated_grads",),
    "accum_var": ("_accumulated_delta_vars",),
}


class CallableList(list[Any]):
    """A list that returns itself when it is called: in Keras 2, `variables` was a method."""

    def __call__(self) -> CallableList:
        return self


class OptimizerVariables(AutoTrackable):
    """Base class of optimizers: creates, looks up, saves and loads their variables."""

    name: str
    built: bool
    # Names of Keras 2 for what is kept for each variable.
    _TPF_SLOT_NAMES: tuple[str, ...] = (
        *("m", "v", "vhat", "accumulator", "linear", "accum_grad", "accum_var"),
    )

    def __init__(self) -> None:
        self._variables: list[Any] = []
        self._trainable_variables: list[Any] = []
        self._trainable_variables_indices: dict[int, int] = {}
        # Which variables decay, by identity; checkpoints of Keras name it.
        self._exclude_from_weight_decay_cache: dict[int, bool] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if "_variables" not in self.__dict__ and name != "_variables":
            raise RuntimeError(
                f"{type(self).__name__}.__init__ must call `super().__init__(...)` before it sets "
                f"attributes."
            )
        super().__setattr__(name, value)
        if isinstance(value, tf.Variable):
            self._track_variable(value)

    # -- variables -----------------------------------------------------------------------------

    @property
    def variables(self) -> CallableList:
        """The variables of the optimizer: the step, the learning rate, what is kept."""
        return CallableList(self._variables)

    def _tpf_know(self, variables: list[Any]) -> None:
        self._trainable_variables = variables
        self._trainable_variables_indices = {id(v): i for i, v in enumerate(variables)}
        self._exclude_from_weight_decay_cache = {}

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        # Slots are among the numbered variables.
        children.pop("_tpf_added_slots", None)
        if any(map(_is_argument, self._trainable_variables)):
            del children["_trainable_variables"]
        return children

    def _tpf_legacy_children(self) -> dict[str, Any]:
        """As Keras 2 has them: the learning rate is not one of the numbered variables."""
        children = {
            name: child
            for name, child in self._trackable_children().items()
            if name not in _NEW_IN_KERAS_3
        }
        rate = self.__dict__.get("_learning_rate")
        children["_variables"] = [each for each in self._variables if each is not rate]
        return children

    def _tpf_saved_children(self) -> dict[str, Any]:
        return self._tpf_legacy_children() if is_keras_2() else self._trackable_children()

    def _tpf_children_in(self, stored: Any) -> dict[str, Any]:
        children = self._trackable_children()
        numbers = stored.children
        listed = stored.child("_variables").children if "_variables" in numbers else None
        if listed is None:
            # The first optimizers of Keras 2, whose slots belong to the variables.
            names = {"iter": "_iterations", "learning_rate": "_learning_rate"}
            return {**children, **{old: children.get(new) for old, new in names.items()}}
        if numbers.get("_learning_rate") in (None, *listed.values()):
            return children
        legacy = self._tpf_legacy_children()
        if len(legacy["_variables"]) != len(listed):
            # Not built yet, or another optimizer: the lists of slots go by their own names.
            del legacy["_variables"]
        return legacy

    def _tpf_slot(self, name: str, variable: Any) -> Any:
        number = self._trainable_variables_indices.get(id(variable))
        for attribute in _SLOTS.get(name, ()):
            slots = self.__dict__.get(attribute)
            if slots and number is not None:
                return slots[number]
        return None

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """Return what is kept for a variable under a name of Keras 2, or None.

        Args:
            var: Variable of the model.
            slot_name: Name of the slot, such as `"momentum"`, `"m"` or `"v"`.

        Example:
            >>> weight = tf.Variable([1.0, 2.0])
            >>> optimizer = tf.keras.optimizers.Adam()
            >>> steps = optimizer.apply_gradients([(tf.ones(2), weight)])
            >>> optimizer.get_slot(weight, "m").numpy().round(3)
            array([0.1, 0.1], dtype=float32)
        """
        return self._tpf_slot(slot_name, var)

    def get_slot_names(self) -> list[str]:
        """Return the names that Keras 2 has for what is kept for each variable."""
        variables = self._trainable_variables
        names = self._TPF_SLOT_NAMES if variables else ()
        return [name for name in names if self._tpf_slot(name, variables[0]) is not None]

    def _tpf_keras_2_state(self) -> list[Any] | None:
        """The step and the slots, in the order of the first optimizers of Keras 2.

        None if there is more state than that.
        """
        names, variables = self.get_slot_names(), self._trainable_variables
        slots = [self.get_slot(variable, name) for name in names for variable in variables]
        if "linear" in names:  # of Ftrl, which creates them variable by variable
            slots = [self.get_slot(variable, name) for variable in variables for name in names]
        state = self._tpf_without_rate()
        if len(state) != len(slots) + 1:
            return None
        return [state[0], *slots]

    def aggregate_gradients(self, grads_and_vars: Sequence[tuple[Any, Any]]) -> list[Any]:
        """Return the pairs as they are: there is one replica, so nothing is summed (Keras 2).

        Args:
            grads_and_vars: Pairs of a gradient and its variable.
        """
        return list(grads_and_vars)

    def add_variable(
        self,
        shape: Any,
        initializer: Any = "zeros",
        dtype: Any = None,
        aggregation: str = "none",
        layout: Any = None,
        name: str | None = None,
    ) -> Any:
        """Create a variable of the optimizer.

        Args:
            shape: Shape of the variable.
            initializer: Initializer, or its name.
            dtype: Dtype; None for `floatx()`.
            aggregation: Ignored: there is one replica.
            layout: The `keras.distribution.TensorLayout`; by default that of the distribution.
            name: Name of the variable.

        Returns:
            A `keras.Variable`.
        """
        resolved = initializers.get(initializer)
        return self._tpf_new_variable(resolved, dtype, name or "variable", tuple(shape), layout)

    def add_variable_from_reference(
        self,
        reference_variable: Any = None,
        name: str | None = None,
        initializer: Identifier = "zeros",
        *,
        model_variable: Any = None,
        variable_name: str | None = None,
        shape: ShapeLike | None = None,
        initial_value: Any = None,
    ) -> Any:
        """Create a variable of the optimizer, of the shape and dtype of another.

        Args:
            reference_variable: Variable of the model.
            name: Name of what is kept, such as `"momentum"`.
            initializer: Initializer, or its name.
            model_variable: The name that Keras 2 has for `reference_variable`.
            variable_name: The name that Keras 2 has for `name`.
            shape: Another shape (Keras 2).
            initial_value: Initial value, instead of an initializer (Keras 2).

        Returns:
            A `keras.Variable`.
        """
        reference_variable = model_variable if reference_variable is None else reference_variable
        name = name or variable_name
        path = getattr(reference_variable, "path", reference_variable.name)
        kept_for = path.replace("/", "_").replace(":", "_")
        variable = self.add_variable(
            reference_variable.shape if shape is None else shape,
            initializer,
            reference_variable.dtype,
            layout=getattr(reference_variable, "_layout", None) if shape is None else None,
            name=f"{kept_for}_{name or 'var'}",
        )
        if initial_value is not None:
            variable.assign(initial_value)
        return variable

    def add_optimizer_variables(
        self, trainable_variables: Sequence[Any], name: Any, initializer: Any = "zeros"
    ) -> Any:
        """Create a variable for each variable of a model, or several under different names.

        Args:
            trainable_variables: Variables of the model.
            name: Name of what is kept, or a list of names.
            initializer: Initializer, or a list with one for each name.

        Returns:
            A list, or a tuple with one list for each name.

        Raises:
            ValueError: The number of initializers is not that of names.
        """
        if isinstance(name, str):
            names, per_name = [name], [initializer]
        else:
            names = list(name)
            single = not isinstance(initializer, (list, tuple))
            per_name = [initializer] * len(names) if single else list(initializer)
        if len(names) != len(per_name):
            raise ValueError(
                f"`add_optimizer_variables` expected as many initializers as names. Received "
                f"{len(names)} names {names} and {len(per_name)} initializers {per_name}."
            )
        rows = [
            [self.add_variable_from_reference(v, n, i) for n, i in zip(names, per_name)]
            for v in trainable_variables
        ]
        columns = tuple([row[index] for row in rows] for index in range(len(names)))
        return columns[0] if isinstance(name, str) else columns

    def _tpf_new_variable(
        self, value: Any, dtype: Any, name: str, shape: Any = None, layout: Any = None
    ) -> Any:
        with name_scope(self.name, caller=self):
            variable = Variable(
                value,
                shape,
                dtype,
                trainable=False,
                autocast=False,
                name=name,
                layout=layout,
            )
        self._track_variable(variable)
        return variable

    def _track_variable(self, variable: Any) -> None:
        if not any(tracked is variable for tracked in self._variables):
            self._variables.append(variable)

    def _get_variable_index(self, variable: Any) -> int:
        return self._trainable_variables_indices[id(variable)]

    # -- variables that are trained -----------------------------------------------------------

    def _check_variables_are_known(self, variables: list[Any]) -> None:
        if self._tpf_are_arguments(variables):
            self._tpf_know(variables)
        for variable in variables:
            if id(variable) not in self._trainable_variables_indices:
                raise ValueError(
                    f"Unknown variable: {variable}. {type(self).__name__} was built with "
                    f"{len(self._trainable_variables)} other variables and keeps state for those "
                    f"only: create a new optimizer for new variables."
                )

    def _tpf_are_arguments(self, variables: list[Any]) -> bool:
        """Whether these replace the tracked variables, in a function or after it.

        The arguments of a function are other objects each time it is traced.
        """
        pairs = list(zip(self._trainable_variables, variables))
        others = [(own, passed) for own, passed in pairs if own is not passed]
        return (
            len(variables) == len(self._trainable_variables)
            and bool(others)
            and all(
                (_is_argument(own) or _is_argument(passed))
                and (own.shape, own.dtype) == (passed.shape, passed.dtype)
                for own, passed in others
            )
        )

    # -- saving --------------------------------------------------------------------------------

    @property
    def weights(self) -> list[Any]:
        """The variables that `get_weights` reads: all but the learning rate (Keras 2)."""
        return self._tpf_without_rate()

    def get_weights(self) -> list[Any]:
        """Return the number of steps and what is kept for variables, as arrays (Keras 2)."""
        return [variable.numpy() for variable in self.weights]

    def _tpf_without_rate(self) -> list[Any]:
        rate = self.__dict__.get("_learning_rate")
        return [variable for variable in self._variables if variable is not rate]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Assign new values to all variables of the optimizer.

        The learning rate may be left out, as in what `get_weights` returns.

        Args:
            weights: List of arrays.

        Raises:
            ValueError: The optimizer is not built, or the shape of an array is another.
        """
        if not self.built:
            raise ValueError(
                f"{type(self).__name__} has no variables before it is built. Call "
                f"`optimizer.build(trainable_variables)` before `set_weights()`."
            )
        without_rate = self._tpf_without_rate()
        variables = without_rate if len(weights) == len(without_rate) else self._variables
        for variable, weight in zip(variables, weights):
            if tuple(variable.shape) != tuple(weight.shape):
                raise ValueError(
                    f"`set_weights` expected an array of shape {tuple(variable.shape)} for the "
                    f"optimizer's variable '{variable.name}'. Received shape {tuple(weight.shape)}"
                )
            variable.assign(weight)

    def save_own_variables(self, store: Any) -> None:
        """Put the values of all variables into a dict.

        Args:
            store: Mapping from strings to arrays, which a file is written from.
        """
        for index, variable in enumerate(self.variables):
            store[str(index)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Assign the values of all variables from a dict.

        If the number of values differs from that of variables, a warning says so and nothing
        changes.

        Args:
            store: Mapping from strings to arrays, as it was read from a file.

        Raises:
            ValueError: The shape of a value is another.
        """
        variables = self.variables
        if len(store.keys()) != len(variables):
            warn_user(
                f"The state of optimizer '{self.name}' is not loaded: it has {len(variables)} "
                f"variables, the file has {len(store.keys())}."
            )
            return
        values = [store[str(index)] for index in range(len(variables))]
        for variable, value in zip(variables, values):
            if tuple(variable.shape) != tuple(value.shape):
                raise ValueError(
                    f"Optimizer variable {variable.name} has the shape {tuple(variable.shape)}, "
                    f"but received a value of shape {tuple(value.shape)}."
                )
        for variable, value in zip(variables, values):
            variable.assign(value)


def _is_argument(variable: Any) -> bool:
    """Whether a variable stands for whichever one a traced function is called with."""
    return hasattr(variable.handle, "graph")
