"""`Optimizer`: base class; subclasses declare their variables and the update of a step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.optimizers import gradients as gradient_tools
from tapeflow._src.keras.optimizers.arguments import check_arguments
from tapeflow._src.keras.optimizers.legacy_members import (
    LegacyOptimizerMembers,
    takes_learning_rate,
)
from tapeflow._src.keras.optimizers.optimizer_steps import OptimizerSteps
from tapeflow._src.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeflow._src.keras.replicas import once_for_all_replicas
from tapeflow._src.keras.saving.deserialization import located, read_object
from tapeflow._src.keras.saving.registry import SCHEDULE
from tapeflow._src.keras.scopes import name_scope
from tapeflow._src.keras.stateless import borrowed, pairs
from tapeflow._src.keras.utils.naming import auto_name
from tapeflow.keras.saving import serialize_keras_object


class Optimizer(OptimizerSteps, LegacyOptimizerMembers):
    """Base class of optimizers, which change variables by their gradients.

    A subclass creates what it keeps for each variable in `build`, and changes a variable in
    `update_step(gradient, variable, learning_rate)`. Subclasses for Keras 2 pass the name first,
    set `_learning_rate` and define `update_step(gradient, variable)`.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        weight_decay: Decoupled weight decay per step, times the learning rate; None for none.
        clipnorm: Largest norm of the gradient of each variable.
        clipvalue: Largest absolute value of gradients.
        global_clipnorm: Largest norm of all gradients together.
        use_ema: Whether to keep an exponential moving average of the variables.
        ema_momentum: Decay of that average.
        ema_overwrite_frequency: Steps after which variables are set to their average.
        loss_scale_factor: Factor of the loss, undone on the gradients; for low precision.
        gradient_accumulation_steps: Number of steps whose gradients are averaged for one update.
        **kwargs: Arguments of Keras 2: `lr`, `decay`, `gradient_aggregator`,
            `gradient_transformers`.

    Raises:
        ValueError: The learning rate is nothing of this kind, or an argument is invalid.

    Example:
        >>> class Descent(tf.keras.optimizers.Optimizer):
        ...     def update_step(self, gradient, variable, learning_rate):
        ...         self.assign_sub(variable, learning_rate * gradient)
        >>> w = tf.Variable(1.0)
        >>> Descent(0.5).apply([tf.constant(1.0)], [w])
        >>> float(w)
        0.5
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        kind: Any = type(self)
        if isinstance(learning_rate, str) and not takes_learning_rate(kind):
            learning_rate, name = 0.001, learning_rate
        self.name = auto_name(type(self).__name__) if name is None else name
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.use_ema = use_ema
        self.ema_momentum = ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        # The name of the learning rate in the first versions of Keras 2.
        learning_rate = kwargs.pop("lr", learning_rate)
        # Of Keras 2: steps are made with learning_rate / (1 + decay * iterations).
        self.decay = kwargs.pop("decay", 0.0)
        self._tpf_take_transformers(kwargs)
        for ignored in _OF_KERAS_2:
            kwargs.pop(ignored, None)
        check_arguments(self, kwargs)
        self.built = False
        self._tpf_decays: Callable[[Any], bool] = _always
        # What all variables of a step need alike, kept while it is made.
        self._tpf_of_this_step: dict[Any, Any] | None = None
        self._iterations = self._tpf_new_variable(0, "int64", "iteration")
        self._learning_rate: Any
        if _is_function(learning_rate):
            self._learning_rate = learning_rate
        elif type(learning_rate) in (float, int):
            self._learning_rate = self._tpf_new_variable(
                float(learning_rate), floatx(), "learning_rate"
            )
        else:
            raise ValueError(
                f"`learning_rate` must be a float, a LearningRateSchedule, or a function that "
                f"returns the rate. Received: {learning_rate!r} of type "
                f"{type(learning_rate).__name__}"
            )

    # -- state ---------------------------------------------------------------------------------

    @property
    def iterations(self) -> Any:
        """How many steps were made."""
        if self.gradient_accumulation_steps:
            return self._iterations // self.gradient_accumulation_steps
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        if self.built:
            raise RuntimeError(
                f"`iterations` of {type(self).__name__} can be replaced before the first step "
                f"only. Received: {variable!r}"
            )
        self._variables[:] = [each for each in self._variables if each is not self._iterations]
        self._variables.insert(0, variable)
        self._iterations = variable

    def build(self, variables: Sequence[Any]) -> None:
        """Create what is kept for each of the variables.

        Runs with the first step; it is called before to have all state outside of a traced
        function, or for `stateless_apply`.

        Args:
            variables: Variables that are trained.
            var_list: The name that many subclasses have for the same argument.

        Example:
            >>> optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
            >>> optimizer.build([tf.Variable(1.0)])
            >>> optimizer.built
            True
        """
        variables = list(variables)
        if self.use_ema:
            self._model_variables_moving_average = self.add_optimizer_variables(
                variables, "average"
            )
        if self.gradient_accumulation_steps:
            self._accumulated_gradients = self.add_optimizer_variables(
                variables, "gradient_accumulator"
            )
        self._tpf_know(variables)
        self.built = True

    # -- the learning rate ---------------------------------------------------------------------

    @property
    def learning_rate(self) -> Any:
        """The current learning rate: a variable, or the schedule's value at this step."""
        if isinstance(self._learning_rate, LearningRateSchedule):
            return self._learning_rate(self._iterations)
        if _is_function(self._learning_rate):
            return self._learning_rate()
        return self._learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        before = self._learning_rate
        if _is_function(learning_rate):
            self._learning_rate = learning_rate
            kept = [variable for variable in self._variables if variable is not before]
            self._variables[:] = kept
        elif isinstance(before, LearningRateSchedule):
            raise TypeError(
                f"The learning rate of {type(self).__name__} follows the schedule "
                f"{type(before).__name__} and is not settable. Create the optimizer with a float "
                f"to set it later, or assign another schedule."
            )
        else:
            before.assign(learning_rate)

    @property
    def lr(self) -> Any:
        """The learning rate, as the first versions of Keras 2 call it."""
        return self.learning_rate

    @lr.setter
    def lr(self, learning_rate: Any) -> None:
        self.learning_rate = learning_rate

    # -- a step --------------------------------------------------------------------------------

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any,
        tape: tf.GradientTape | None = None,
        *,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Compute the gradients of a loss with respect to variables, as Keras 2 does.

        Args:
            loss: A function without arguments that returns the loss, or the loss as a tensor
                that was computed under `tape`.
            var_list: The variables, or a function that returns them.
            tape: The tape under which the loss was, or is to be, computed.
            grad_loss: The upstream gradient of the loss; ones by default.

        Returns:
            Pairs of a gradient and its variable, for `apply_gradients`.

        Raises:
            ValueError: The loss is a tensor, and there is no tape.
        """
        recording = tape or tf.GradientTape()
        if not callable(loss) and tape is None:
            raise ValueError(
                f"`tape` is required for a loss that is a tensor: its gradient needs the "
                f"`tf.GradientTape` under which it was computed. Received: loss={loss!r}. Pass "
                f"the tape, or a function that returns the loss."
            )
        with recording:
            value = self.scale_loss(loss() if callable(loss) else loss)
        variables = list(var_list() if callable(var_list) else var_list)
        return list(zip(recording.gradient(value, variables, grad_loss), variables))

    def minimize(
        self,
        loss: Any,
        var_list: Any,
        tape: tf.GradientTape | None = None,
        *,
        grad_loss: Any = None,
        name: str | None = None,
    ) -> Any:
        """Make one step that lowers `loss`, as Keras 2 does.

        Args:
            loss: A function without arguments that returns the loss, or the loss as a tensor that
                was computed under `tape`.
            var_list: The variables, or a function that returns them.
            tape: The tape under which the loss was computed.
            grad_loss: The upstream gradient of the loss; ones by default.
            name: Ignored.

        Returns:
            The variable that counts the steps.

        Example:
            >>> variable = tf.Variable(1.0)
            >>> steps = tf.keras.optimizers.SGD(0.5).minimize(lambda: variable**2, [variable])
            >>> variable.numpy()
            np.float32(0.0)
        """
        pairs = self.compute_gradients(loss, var_list, tape, grad_loss=grad_loss)
        return self.apply_gradients(pairs, name)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        experimental_aggregate_gradients: bool = True,
    ) -> Any:
        """Make one step from pairs of a gradient and its variable.

        Args:
            grads_and_vars: Pairs of a gradient, which may be None, and its variable.
            name: Ignored.
            skip_gradients_aggregation: Ignored; of Keras 2.
            experimental_aggregate_gradients: Ignored; of Keras 2.

        Returns:
            The variable that counts the steps.

        Example:
            >>> w = tf.Variable(1.0)
            >>> optimizer = tf.keras.optimizers.SGD(0.1)
            >>> steps = optimizer.apply_gradients([(tf.constant(2.0), w)])
            >>> round(float(w), 3), int(steps)
            (0.8, 1)
        """
        grads, variables = zip(*grads_and_vars)
        self.apply(grads, variables)
        return self._iterations

    @once_for_all_replicas
    def apply(self, grads: Sequence[Any], trainable_variables: Any = None) -> None:
        """Make one step from gradients, each of the variable at the same index.

        Args:
            grads: Gradients: tensors, `tf.IndexedSlices`, or None for variables that are left out.
            trainable_variables: The variables; None for those that the optimizer was built with.

        Raises:
            ValueError: The variables are not those that the optimizer was built with, or it was not
                built.

        Example:
            >>> w = tf.Variable(1.0)
            >>> tf.keras.optimizers.SGD(0.1).apply([tf.constant(2.0)], [w])
            >>> round(float(w), 3)
            0.8
        """
        grads = list(grads)
        if not grads:
            return
        if trainable_variables is None:
            variables = self._tpf_built_variables(len(grads))
        else:
            variables = list(trainable_variables)
            if not self.built:
                self.build(variables)
                self.built = True
            self._check_variables_are_known(variables)
        with name_scope(self.name, caller=self):
            grads, variables = gradient_tools.with_gradients(grads, variables)
            grads, variables = gradient_tools.overwrite(grads, variables, self._tpf_overwrite)
            if self.loss_scale_factor is not None:
                scale = self.loss_scale_factor
                grads = [gradient_tools.on_elements(lambda g: g / scale, g) for g in grads]
            self._tpf_apply_or_accumulate(grads, variables)
            if self.use_ema:
                self._tpf_average_variables()
            for variable in variables:
                if variable.constraint is not None:
                    variable.assign(variable.constraint(variable))
            self._iterations.assign_add(1, read_value=False)

    def stateless_apply(
        self, optimizer_variables: Sequence[Any], grads: Sequence[Any], trainable_variables: Any
    ) -> tuple[list[Any], list[Any]]:
        """Return the values after a step, if the variables had these values before it.

        Args:
            optimizer_variables: One value for each of `optimizer.variables`.
            grads: Gradients.
            trainable_variables: One value for each variable that the optimizer was built with.

        Returns:
            The values of the model's variables, and those of the optimizer's.

        Raises:
            ValueError: The optimizer is not built, or the number of values is another.

        Example:
            >>> w = tf.Variable(1.0)
            >>> optimizer = tf.keras.optimizers.SGD(0.5)
            >>> optimizer.build([w])
            >>> state = [v.numpy() for v in optimizer.variables]
            >>> (new,), _ = optimizer.stateless_apply(state, [tf.constant(1.0)], [3.0])
            >>> float(new), float(w)
            (2.5, 1.0)
        """
        if not self.built:
            raise ValueError(
                f"{type(self).__name__} must be built before `stateless_apply`: call "
                f"`optimizer.build(trainable_variables)` first."
            )
        own = self._trainable_variables
        state = pairs(self.variables, optimizer_variables, "optimizer_variables", self)
        state += pairs(own, trainable_variables, "trainable_variables", self)
        with borrowed(state):
            self.apply(grads, own)
            return [tf.identity(v) for v in own], [tf.identity(v) for v in self.variables]

    def _tpf_built_variables(self, count: int) -> list[Any]:
        if not self.built:
            raise ValueError(
                f"{type(self).__name__} does not know yet which variables these gradients are of. "
                f"Pass the variables, too, or call `optimizer.build(trainable_variables)` first."
            )
        if count != len(self._trainable_variables):
            raise ValueError(
                f"{type(self).__name__} was built for {len(self._trainable_variables)} variables. "
                f"Received {count} gradients: pass one for each, or pass the variables, too."
            )
        return self._trainable_variables

    def _tpf_clip_decay_and_update(self, grads: list[Any], variables: list[Any]) -> None:
        grads = self._clip_gradients(grads)
        grads, variables = self._tpf_transformed(grads, variables)
        if is_keras_2():
            grads = [gradient_tools.summed(gradient) for gradient in grads]
        self._tpf_of_this_step = {}
        try:
            self._apply_weight_decay(variables)
            self._tpf_update_all(grads, variables, self._tpf_decayed_rate())
        finally:
            self._tpf_of_this_step = None

    def _tpf_decayed_rate(self) -> Any:
        """The learning rate of this step, with the `decay` of Keras 2."""
        if not self.decay:
            return self.learning_rate
        rate = tf.convert_to_tensor(self.learning_rate)
        return rate / (1.0 + self.decay * tf.cast(self.iterations, rate.dtype))

    def _tpf_update_all(self, grads: list[Any], variables: list[Any], learning_rate: Any) -> None:
        kind: Any = type(self)
        if not takes_learning_rate(kind):  # a subclass for Keras 2
            for gradient, variable in zip(grads, variables):
                self.update_step(gradient, variable)  # type: ignore[call-arg]
            return
        for gradient, variable in zip(grads, variables):
            self.update_step(gradient, variable, learning_rate)

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        """Change one variable, and what is kept for it; every subclass defines it.

        Args:
            gradient: Gradient of the variable: a tensor or `tf.IndexedSlices`.
            grad: The name that some subclasses have for the gradient.
            variable: The variable.
            learning_rate: The learning rate of this step.

        Raises:
            NotImplementedError: The class does not define it.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not say how it changes a variable: define `update_step`."
        )

    # -- for steps -----------------------------------------------------------------------------

    def assign(self, variable: Any, value: Any) -> None:
        """Assign a value to a variable, or the rows of `tf.IndexedSlices`.

        Args:
            variable: The variable.
            value: Tensor, which is cast to the variable's dtype, or `tf.IndexedSlices`.
        """
        if isinstance(value, tf.IndexedSlices):
            variable.scatter_update(_cast_rows(value, variable))
        else:
            variable.assign(tf.cast(value, variable.dtype), read_value=False)

    def assign_add(self, variable: Any, value: Any) -> None:
        """Add to a variable.

        Args:
            variable: The variable.
            value: Tensor, which is cast to the variable's dtype, or `tf.IndexedSlices`.
        """
        if isinstance(value, tf.IndexedSlices):
            variable.scatter_add(_cast_rows(value, variable))
        else:
            variable.assign_add(tf.cast(value, variable.dtype), read_value=False)

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtract from a variable.

        Args:
            variable: The variable.
            value: Tensor, which is cast to the variable's dtype, or `tf.IndexedSlices`.
        """
        if isinstance(value, tf.IndexedSlices):
            variable.scatter_sub(_cast_rows(value, variable))
        else:
            variable.assign_sub(tf.cast(value, variable.dtype), read_value=False)

    # -- weight decay --------------------------------------------------------------------------

    def exclude_from_weight_decay(self, var_list: Any = None, var_names: Any = None) -> None:
        """Spare these variables, and those whose names contain one of `var_names`.

        Args:
            var_list: Variables without weight decay.
            var_names: Regular expressions of parts of names, such as `["bias"]`.

        Example:
            >>> optimizer = tf.keras.optimizers.AdamW(0.1)
            >>> optimizer.exclude_from_weight_decay(var_names=["bias"])
        """
        spared = {id(variable) for variable in var_list or ()}
        pattern = re.compile("|".join(sorted(set(var_names)))) if var_names else None
        self._exclude_from_weight_decay_cache = {}
        self._tpf_decays = lambda variable: (
            id(variable) not in spared
            and (pattern is None or pattern.search(variable.name) is None)
        )

    # -- moving averages -----------------------------------------------------------------------

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Assign the moving averages to the variables, if there are any, after training.

        Args:
            var_list: Variables of the model, in the order that the optimizer was built with.

        Raises:
            ValueError: There are averages of another number of variables.
        """
        if self.use_ema:
            self._tpf_take_averages(var_list)

    # -- mixed precision -----------------------------------------------------------------------

    def scale_loss(self, loss: Any) -> Any:
        """Return the loss of which gradients are taken, scaled against underflow.

        Args:
            loss: Scalar tensor.

        Returns:
            The loss times `loss_scale_factor`, if there is one.
        """
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    # -- saving --------------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates an equal optimizer from.

        Returns:
            A dict; a schedule is serialized in it.

        Example:
            >>> tf.keras.optimizers.SGD(0.5).get_config()["learning_rate"]
            0.5
        """
        rate = self._learning_rate
        if _is_function(rate):
            rate = serialize_keras_object(rate)
        else:
            rate = float(rate.numpy())
        of_keras_2 = {"decay": self.decay} if self.decay else {}
        return {
            "name": self.name,
            "learning_rate": rate,
            **of_keras_2,
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "loss_scale_factor": self.loss_scale_factor,
            "gradient_accumulation_steps": self.gradient_accumulation_steps,
        }

    def __reduce__(self) -> Any:
        # A copy has the same arguments, but nothing of what was kept for variables.
        return type(self).from_config, (self.get_config(),)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Optimizer:
        """Create an optimizer from the config that `get_config` returned.

        Args:
            config: Dict of constructor arguments.
            custom_objects: Classes by name that are not registered, such as schedules.

        Returns:
            An optimizer that is not built.
        """
        # What Keras 2 writes besides the arguments.
        config = {key: value for key, value in config.items() if key not in _OF_KERAS_2}
        rate = config.get("learning_rate")
        if isinstance(rate, dict):
            with located(".learning_rate"):
                rate = read_object(rate, SCHEDULE, custom_objects)
            config = {**config, "learning_rate": rate}
        return cls(**config)


_OF_KERAS_2 = frozenset({"is_legacy_optimizer", "jit_compile"})


def _always(variable: Any) -> bool:
    return True


def _is_function(learning_rate: Any) -> bool:
    return callable(learning_rate) and not isinstance(learning_rate, tf.Variable)


def _cast_rows(rows: Any, variable: Any) -> Any:
    return gradient_tools.on_elements(lambda x: tf.cast(x, variable.dtype), rows)
