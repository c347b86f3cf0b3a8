"""`legacy.Optimizer`: the base class of optimizers that were written for the first Keras 2."""

from __future__ import annotations

import abc
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.optimizers import optimizer as base
from tapeflow._src.keras.optimizers.adadelta import Adadelta
from tapeflow._src.keras.optimizers.adagrad import Adagrad
from tapeflow._src.keras.optimizers.adam import Adam
from tapeflow._src.keras.optimizers.adamax import Adamax
from tapeflow._src.keras.optimizers.ftrl import Ftrl
from tapeflow._src.keras.optimizers.gradients import summed
from tapeflow._src.keras.optimizers.nadam import Nadam
from tapeflow._src.keras.optimizers.rmsprop import RMSprop
from tapeflow._src.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeflow._src.keras.optimizers.sgd import SGD

_IN_CONFIG = ("clipnorm", "clipvalue", "global_clipnorm")


class Optimizer(base.Optimizer, metaclass=abc.ABCMeta):
    """Base class of optimizers for subclasses of the first Keras 2.

    A subclass sets hyperparameters with `_set_hyper`, creates slots in `_create_slots`, and
    changes a variable in `_resource_apply_dense(grad, var, apply_state)`, or in
    `_resource_apply_sparse(grad, var, indices, apply_state)` for gradients of some rows.

    Args:
        name: Name of the optimizer.
        gradient_aggregator: Function that sums gradients of replicas; there is one replica.
        gradient_transformers: Functions that change pairs of a gradient and its variable.
        **kwargs: `clipnorm`, `clipvalue`, `global_clipnorm`, `lr`, `decay`.

    >>> class Descent(tf.keras.optimizers.legacy.Optimizer):
    ...     def __init__(self, learning_rate=0.5, name="Descent", **kwargs):
    ...         super().__init__(name, **kwargs)
    ...         self._set_hyper("learning_rate", learning_rate)
    ...     def _resource_apply_dense(self, grad, var, apply_state=None):
    ...         return var.assign_sub(self._decayed_lr(var.dtype) * grad)
    >>> w = tf.Variable(1.0)
    >>> steps = Descent().minimize(lambda: w * w, [w])
    >>> float(w)
    0.0
    """

    def __init__(
        self,
        name: str,
        gradient_aggregator: Callable[..., Any] | None = None,
        gradient_transformers: Sequence[Callable[..., Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            kwargs.pop("lr", 0.001),
            name=name,
            gradient_aggregator=gradient_aggregator,
            gradient_transformers=gradient_transformers,
            **kwargs,
        )
        self._initial_decay = self.decay
        self.__dict__["_hyper"] = {}

    # -- hyperparameters -----------------------------------------------------------------------

    def _set_hyper(self, name: str, value: Any) -> None:
        """Set a hyperparameter: a number, a tensor, a function or a schedule."""
        hypers = self.__dict__["_hyper"]
        if name == "learning_rate":
            if callable(value) and not isinstance(value, (tf.Variable, LearningRateSchedule)):
                self.learning_rate = value
            else:
                self._learning_rate = self._build_learning_rate(value)
            hypers[name] = self._learning_rate
        elif isinstance(hypers.get(name), tf.Variable) and not callable(value):
            hypers[name].assign(value)
        elif isinstance(value, tf.Tensor) or callable(value):
            hypers[name] = value
        else:
            hypers[name] = tf.Variable(value, trainable=False, dtype="float32", name=name)

    def _get_hyper(self, name: str, dtype: DTypeLike | None = None) -> Any:
        """Return a hyperparameter as a value, in a dtype; schedules as they are."""
        value = self.__dict__["_hyper"][name]
        if isinstance(value, LearningRateSchedule):
            return value
        if callable(value) and not isinstance(value, tf.Variable):
            value = value()
        return value if dtype is None else tf.cast(value, dtype)

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("_hyper", ()):
            return self._get_hyper(name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "learning_rate" and name in self.__dict__.get("_hyper", ()):
            self._set_hyper(name, value)
        else:
            super().__setattr__(name, value)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        hypers = self.__dict__.get("_hyper", {})
        variables = {name: each for name, each in hypers.items() if isinstance(each, tf.Variable)}
        children = super()._trackable_children(save_type, **kwargs)
        children.pop("_hyper", None)
        return {**children, **variables}

    def _decayed_lr(self, var_dtype: Any) -> Any:
        """Return the learning rate of this step, in a dtype."""
        return tf.cast(self._tpf_decayed_rate(), var_dtype)

    def _serialize_hyperparameter(self, hyperparameter_name: str) -> Any:
        return super()._serialize_hyperparameter(self.__dict__["_hyper"][hyperparameter_name])

    # -- a step --------------------------------------------------------------------------------

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Create the slots of variables with `add_slot`; a subclass defines it."""

    def _prepare_local(self, var_device: str, var_dtype: Any, apply_state: dict[Any, Any]) -> None:
        if "learning_rate" in self.__dict__["_hyper"]:
            rate = tf.identity(self._decayed_lr(var_dtype))
            apply_state[(var_device, var_dtype)]["lr_t"] = rate

    def _prepare(self, var_list: Sequence[Any]) -> dict[Any, Any]:
        """Compute what the steps of all variables of a device and dtype share."""
        state: dict[Any, Any] = {}
        for key in dict.fromkeys((each.device, each.dtype.base_dtype) for each in var_list):
            state[key] = {}
            self._prepare_local(*key, state)
        return state

    def _fallback_apply_state(self, var_device: str, var_dtype: Any) -> Any:
        state: dict[Any, Any] = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[(var_device, var_dtype)]

    def build(self, variables: Sequence[Any]) -> None:
        if not self.built:
            super().build(variables)
            self._create_slots(list(variables))

    def _tpf_update_all(self, grads: list[Any], variables: list[Any], learning_rate: Any) -> None:
        state = self._prepare(variables)
        for gradient, variable in zip(grads, variables):
            if isinstance(gradient, tf.IndexedSlices):
                apply: Callable[..., Any] = self._resource_apply_sparse_duplicate_indices
                args = (gradient.values, variable, gradient.indices)
                accepts = self._resource_apply_sparse
            else:
                apply = accepts = self._resource_apply_dense  # type: ignore[assignment]
                args = (tf.cast(gradient, variable.dtype), variable)  # type: ignore[assignment]
            takes_state = _takes_state(getattr(accepts, "__func__", accepts))
            apply(*args, **({"apply_state": state} if takes_state else {}))

    def _resource_apply_dense(self, grad: Any, handle: Any, apply_state: Any = None) -> Any:
        """Change a variable by its gradient; a subclass defines it."""
        raise NotImplementedError(
            f"{type(self).__name__} must define `_resource_apply_dense(self, grad, var)`."
        )

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: TensorLike, **kwargs: Any
    ) -> Any:
        """Sum the rows of equal indices before the step."""
        once = summed(tf.IndexedSlices(grad, indices))
        return self._resource_apply_sparse(once.values, handle, once.indices, **kwargs)

    def _resource_apply_sparse(
        self, grad: Any, handle: Any, indices: TensorLike, apply_state: Any = None
    ) -> Any:
        """Change rows of a variable, each index once; a subclass defines it."""
        raise NotImplementedError(
            f"{type(self).__name__} received the gradient of some rows, as of an Embedding: it "
            f"must define `_resource_apply_sparse(self, grad, var, indices)` for those."
        )

    def _resource_scatter_add(self, x: Any, i: Any, v: Any) -> Any:
        return x.scatter_add(tf.IndexedSlices(v, i))

    def _resource_scatter_update(self, x: Any, i: Any, v: Any) -> Any:
        return x.scatter_update(tf.IndexedSlices(v, i))

    def minimize(  # type: ignore[override]
        self,
        loss: Any,
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        tape: tf.GradientTape | None = None,
    ) -> Any:
        """Make one step that lowers `loss`, as `keras.optimizers.Optimizer.minimize` does.

        Args:
            loss: A function without arguments that returns the loss, or the loss as a tensor that
                was computed under `tape`.
            var_list: The variables, or a function that returns them.
            grad_loss: The upstream gradient of the loss; ones by default.
            name: Ignored.
            tape: The tape under which the loss was computed.

        Returns:
            The variable that counts the steps.
        """
        return super().minimize(loss, var_list, tape, grad_loss=grad_loss, name=name)

    # -- saving --------------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """The name, and how gradients are clipped; a subclass adds its own arguments."""
        clipping = {name: getattr(self, name) for name in _IN_CONFIG}
        return {"name": self.name, **{k: v for k, v in clipping.items() if v is not None}}


@functools.cache
def _takes_state(method: Any) -> bool:
    return "apply_state" in inspect.signature(method).parameters


# The optimizers of Keras are those of `legacy`, too.
for _optimizer in (Adadelta, Adagrad, Adam, Adamax, Ftrl, Nadam, RMSprop, SGD):
    Optimizer.register(_optimizer)
