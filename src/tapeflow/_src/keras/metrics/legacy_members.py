"""Members that metrics have in Keras 2, where they are layers.

They are looked up where a metric has no attribute of their name: a subclass may set one itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.keras import dtype_policies


class LegacyMetricMembers:
    """Members of metrics that Keras 2 has and Keras 3 dropped."""

    def __getattr__(self, name: str) -> Any:
        if hasattr(type(self), name):  # a property that has raised: its own error says more
            return object.__getattribute__(self, name)
        member = _MEMBERS.get(name)
        if member is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return member(self)


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


_MEMBERS: dict[str, Callable[[Any], Any]] = {
    "weights": _variables,
    "non_trainable_weights": _variables,
    "non_trainable_variables": _variables,
    "trainable_weights": _none,
    "trainable_variables": _none,
    "losses": _none,
    "updates": _none,
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
