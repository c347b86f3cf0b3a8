"""Variables of graphs, and the operations that initialize and change them."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.control_flow.grouping import group, no_op
from tapeflow._src.compat.v1.graphs import GraphKeys, get_collection
from tapeflow._src.core import dispatch
from tapeflow._src.core.types import DTypeLike, ShapeLike
from tapeflow._src.eager.replication import VariableAggregation, VariableSynchronization
from tapeflow._src.eager.variable import Variable as VariableV2


def Variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: DTypeLike | None = None,
    expected_shape: Any = None,
    import_scope: str | None = None,
    constraint: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
    shape: ShapeLike | None = None,
    experimental_enable_variable_lifting: bool | None = None,
) -> VariableV2:
    """Return a variable; in a graph, running its initializer assigns the first value."""
    if use_resource is False:
        raise ValueError("use_resource=False: variables are resource variables here.")
    variable = VariableV2(
        initial_value,
        trainable=trainable,
        validate_shape=validate_shape,
        caching_device=caching_device,
        name=name,
        dtype=dtype,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
        shape=shape,
    )
    if collections is not None and variable._declared is not None:
        move_to(variable, collections)
    return variable


def move_to(variable: VariableV2, collections: Any) -> None:
    """Keep the variable in these collections of its graph, instead of among the global ones."""
    graph = variable.graph
    collection = graph.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
    collection[:] = [other for other in collection if other is not variable]
    for key in dict.fromkeys(collections):
        if not any(other is variable for other in graph.get_collection(key)):
            graph.add_to_collection(key, variable)


# -- which there are ---------------------------------------------------------------------------


def global_variables(scope: str | None = None) -> list[Any]:
    """Return the variables of the default graph."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """Return the variables of the default graph that are not saved."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """Return the variables of the default graph that were declared to be a model's."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """Return the variables of the default graph that are trained."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


# -- initializing ------------------------------------------------------------------------------


def variables_initializer(var_list: Any, name: str = "init") -> Any:
    """Return an operation that initializes the variables."""
    if var_list and dispatch.current_graph() is not None:
        return group(*[variable.initializer for variable in var_list], name=name)
    return no_op(name=name)


def global_variables_initializer() -> Any:
    """Return an operation that initializes the global variables."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """Return an operation that initializes all local variables of the graph."""
    return variables_initializer(local_variables())


def is_variable_initialized(variable: Any) -> Any:
    """Whether the variable has a value."""
    return variable.is_initialized()


# -- changing ----------------------------------------------------------------------------------


def assign(
    ref: Any,
    value: Any,
    validate_shape: Any = None,
    use_locking: Any = None,
    name: str | None = None,
) -> Any:
    """Assign `value` to `ref`."""
    return ref.assign(value, name=name)


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Add to the variable `ref`."""
    return ref.assign_add(value, name=name)


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtract from the variable `ref`."""
    return ref.assign_sub(value, name=name)
