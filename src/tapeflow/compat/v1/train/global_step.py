"""The global step: a variable of the graph that counts what optimizers do."""

from __future__ import annotations

from typing import Any

from tapeflow.compat.v1.graphs import GraphKeys, get_default_graph
from tapeflow.compat.v1.initializers import zeros_initializer
from tapeflow.compat.v1.variable_scope import get_variable
from tapeflow.core.dtypes import int64


def get_global_step(graph: Any = None) -> Any:
    """The variable that counts steps, or None."""
    found = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        raise RuntimeError("Multiple items found in collection 'global_step'.")
    return found[0] if found else None


def create_global_step(graph: Any = None) -> Any:
    """A new variable that counts steps."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with (graph or get_default_graph()).as_default():
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=int64,
            initializer=zeros_initializer(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Any = None) -> Any:
    """The variable that counts steps, made if there is none."""
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """How many steps were taken in a session."""
    return int(sess.run(global_step_tensor))
