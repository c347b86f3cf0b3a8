"""`init_from_checkpoint`: variables of a graph that start with the values of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeflow._src.checkpoint.readers import CheckpointReader, load_checkpoint
from tapeflow._src.compat.v1.variable_scope import VariableScope
from tapeflow._src.compat.v1.variable_store import current_store
from tapeflow._src.core import dispatch
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.state import variables as state


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Initialize variables with tensors of a checkpoint; the rest of it is unused.

    In a graph, the initializers of the variables change; eagerly, their values do at once.

    Args:
        ckpt_dir_or_file: The prefix of a checkpoint, or a folder with one.
        assignment_map: Names of tensors, or of scopes with a slash at their ends, and what they
            initialize: a variable, the name of one, a list of variables, or a scope.

    Raises:
        ValueError: if a tensor or variable is missing, or their shapes differ.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    matched = [each for pair in pairs for each in _matched(reader, *pair)]
    # All are read before the first variable changes.
    values = [_fitting(reader, name, variable) for name, variable in matched]
    for (_, variable), value in zip(matched, values, strict=True):
        _initialize(variable, value)


def _matched(reader: CheckpointReader, source: str, target: Any) -> list[tuple[str, Variable]]:
    """Return which tensors initialize which variables."""
    if isinstance(target, Variable):
        return [(source, target)]
    if isinstance(target, (list, tuple)):
        return [(source, variable) for variable in target]
    store = current_store()
    variables = {} if store is None else store.variables_by_name
    name = target.name if isinstance(target, VariableScope) else target
    if name in variables:
        return [(source, variables[name])]
    if name and not name.endswith("/"):
        raise ValueError(
            f"assignment_map names {name!r}, which is no variable of tf.compat.v1.get_variable. A "
            f"scope ends in a slash. There are {sorted(variables)}."
        )
    within = "" if name == "/" else name
    start = "" if source == "/" else source
    if start and not start.endswith("/"):
        raise ValueError(f"A scope {name!r} is initialized by a scope, received {source!r}.")
    pairs = []
    for full, variable in variables.items():
        if not full.startswith(within):
            continue
        tensor = start + full.removeprefix(within)
        if not reader.has_tensor(tensor):
            raise ValueError(f"Tensor {tensor} for variable {full} is not found in the checkpoint.")
        pairs.append((tensor, variable))
    return pairs


def _fitting(reader: CheckpointReader, name: str, variable: Variable) -> Any:
    """Return the value for a variable, once its shape is checked."""
    if not reader.has_tensor(name):
        names = sorted(reader.get_variable_to_shape_map())
        raise ValueError(f"Tensor {name} is not found in the checkpoint, which has {names}.")
    value = reader.get_tensor(name)
    if not variable.shape.is_compatible_with(getattr(value, "shape", ())):
        raise ValueError(
            f"Variable {variable.name} has shape {variable.shape}, but the tensor {name} of the "
            f"checkpoint has shape {value.shape}."
        )
    return value


def _initialize(variable: Variable, value: Any) -> None:
    declared = variable._declared
    if declared is None:
        variable.assign(value)
        return
    with declared.graph.as_default(), declared.graph.control_dependencies(None):
        tensor = dispatch.convert(value, variable.dtype)
        state.assign_variable(variable.handle, tensor, name="init_from_checkpoint/Assign")
    declared.initializer = declared.graph.nodes[-1]
    declared.initial_value = tensor
