"""The values of all variables of a model, in dicts by the parts of their paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tapeflow as tf

_FORMATS = ("backend_tensor", "numpy_array")


def get_state_tree(model: Any, value_format: str) -> dict[str, Any]:
    """The values of the variables of a model, its optimizer and its metrics."""
    if value_format not in _FORMATS:
        raise ValueError(
            f"`value_format` must be one of {_FORMATS}. Received: value_format={value_format!r}"
        )
    return {group: _nested(own, value_format) for group, own in _groups(model).items()}


def set_state_tree(model: Any, state_tree: dict[str, Any]) -> None:
    """Assign the values of a tree to the variables that have their paths."""
    groups = _groups(model)
    for group, tree in state_tree.items():
        if group not in groups:
            raise ValueError(
                f"Unknown variable name: {group}. The groups of a state tree are {list(groups)}."
            )
        variables = {variable.path: variable for variable in groups[group]}
        for path, value in flat(tree):
            if path in variables:
                variables[path].assign(value)


def _groups(model: Any) -> dict[str, list[Any]]:
    return {
        "trainable_variables": model.trainable_variables,
        "non_trainable_variables": model.non_trainable_variables,
        "optimizer_variables": [] if model.optimizer is None else model.optimizer.variables,
        "metrics_variables": model.metrics_variables,
    }


def _nested(variables: list[Any], value_format: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    seen: set[str] = set()
    for variable in variables:
        if variable.path in seen:
            raise ValueError(
                f"Two variables have the path '{variable.path}', so that they cannot both be in a "
                f"state tree. Pass different names to the layers or metrics they belong to."
            )
        seen.add(variable.path)
        *folders, name = variable.path.split("/")
        level = tree
        for folder in folders:
            level = level.setdefault(folder, {})
        as_array = value_format == "numpy_array"
        level[name] = variable.numpy() if as_array else tf.convert_to_tensor(variable)
    return tree


def flat(tree: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested dicts by their paths."""
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{path}{name}/")
        else:
            yield f"{path}{name}", value
