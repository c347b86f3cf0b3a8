"""Members that metrics have in Keras 2, where they are layers.

They are looked up where a metric has no attribute of their name: a subclass may set one itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.scopes import CallableNameScope
from tapeflow.keras import dtype_policies

_OF_CALLS = (
    *("input", "input_mask", "input_shape"),
    *("output", "output_mask", "output_shape"),
)


class LegacyMetricMembers:
    """Members of metrics that Keras 2 has and Keras 3 dropped."""

    def __getattr__(self, name: str) -> Any:
        if hasattr(type(self), name):  # a property that has raised: its own error says more
            return object.__getattribute__(self, name)
        member = _MEMBERS.get(name)
        if member is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return member(self)

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a method: its operations have the name of the metric as a prefix."""
        return tf.Module.with_name_scope(method)


def _variables(metric: Any) -> list[Any]:
    return metric.variables


def _none(metric: Any) -> list[Any]:
    return []


def _setter(metric: Any) -> Callable[[Any], None]:
    def set_weights(weights: Any) -> None:
        variables = metric.variables
        if len(weights) != len(variables):
            raise ValueError(
                f"`set_weights` of metric '{metric.name}' expected {len(variables)} arrays, one "
                f"for each of its variables. Received {len(weights)}."
            )
        for variable, value in zip(variables, weights):
            variable.assign(value)

    return set_weights


def _add_loss(metric: Any) -> Callable[..., None]:
    def add_loss(losses: Any, **kwargs: Any) -> None:
        for loss in tf.nest.flatten(losses):
            if not callable(loss):
                raise ValueError(
                    f"`add_loss` of metric '{metric.name}' expected functions without arguments "
                    f"that return a loss. Received: {loss!r}"
                )
            metric.__dict__.setdefault("_tpf_losses", []).append(loss)

    return add_loss


def _add_metric(metric: Any) -> Callable[..., None]:
    def add_metric(value: TensorLike, name: str | None = None, **kwargs: Any) -> None:
        raise ValueError(
            f"`add_metric` adds KerasTensors, which metric '{metric.name}' has none of. Received: "
            f"{value!r}. Assign another metric to an attribute instead, and call its "
            f"`update_state`."
        )

    return add_metric


def _compute_mask(metric: Any) -> Callable[..., None]:
    def compute_mask(inputs: Any, mask: Any = None) -> None:
        if mask is not None:
            raise TypeError(f"Metric '{metric.name}' does not pass masks on. Received: mask={mask}")

    return compute_mask


def _of_no_call(metric: Any) -> Callable[[int], Any]:
    def member_at(node_index: int) -> Any:
        raise RuntimeError(
            f"Metric '{metric.name}' has no inputs and outputs: it is not called on KerasTensors. "
            f"Received: node_index={node_index}"
        )

    return member_at


def _result_spec(metric: Any) -> Any:
    """The spec of the result, whatever the inputs are."""
    result = tf.convert_to_tensor(metric.result())
    return tf.TensorSpec(result.shape, result.dtype)


def _save_variables(metric: Any) -> Callable[[Any], None]:
    def save_own_variables(store: Any) -> None:
        for index, variable in enumerate(metric.variables):
            store[str(index)] = variable.numpy()

    return save_own_variables


def _load_variables(metric: Any) -> Callable[[Any], None]:
    return lambda store: metric.set_weights([store[str(index)] for index in range(len(store))])


_MEMBERS: dict[str, Callable[[Any], Any]] = {
    **{f"get_{kind}_at": _of_no_call for kind in _OF_CALLS},
    "weights": _variables,
    "non_trainable_weights": _variables,
    "non_trainable_variables": _variables,
    "trainable_weights": _none,
    "trainable_variables": _none,
    "losses": lambda metric: [loss() for loss in metric.__dict__.get("_tpf_losses", ())],
    "updates": _none,
    "inbound_nodes": _none,
    "outbound_nodes": _none,
    "submodules": lambda metric: tuple(metric._metrics),
    "name_scope": lambda metric: CallableNameScope(metric.name),
    "activity_regularizer": lambda metric: None,
    "input_spec": lambda metric: None,
    "built": lambda metric: True,
    "dynamic": lambda metric: False,
    "supports_masking": lambda metric: False,
    "add_loss": _add_loss,
    "add_metric": _add_metric,
    # Assignments are made when they are called, and variables when the metric is created.
    "add_update": lambda metric: lambda updates: None,
    "build": lambda metric: lambda input_shape: None,
    "build_from_config": lambda metric: lambda config: None,
    "get_build_config": lambda metric: lambda: None,
    "finalize_state": lambda metric: lambda: None,
    "call": lambda metric: lambda inputs, *args, **kwargs: inputs,
    "compute_mask": _compute_mask,
    "compute_output_shape": lambda metric: lambda input_shape: _result_spec(metric).shape,
    "compute_output_signature": lambda metric: lambda input_signature: _result_spec(metric),
    "save_own_variables": _save_variables,
    "load_own_variables": _load_variables,
    "metrics": lambda metric: list(metric._metrics),
    "trainable": lambda metric: True,
    "stateful": lambda metric: True,
    "dtype_policy": lambda metric: dtype_policies.get(metric.dtype),
    "compute_dtype": lambda metric: metric.dtype,
    "variable_dtype": lambda metric: metric.dtype,
    "get_weights": lambda metric: lambda: [v.numpy() for v in metric.variables],
    "set_weights": _setter,
    "count_params": lambda metric: (
        lambda: sum(int(np.prod(variable.shape)) for variable in metric.variables)
    ),
}
