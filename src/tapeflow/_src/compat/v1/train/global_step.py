"""The global step: a variable that counts what optimizers do.

It belongs to the graph around all functions, and outside of graphs to the program.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.scopes import executing_eagerly, init_scope
from tapeflow._src.compat.v1.graphs import GraphKeys, get_default_graph
from tapeflow._src.compat.v1.initializers.classes import zeros_initializer
from tapeflow._src.compat.v1.variable_scope import (
    AUTO_REUSE,
    get_variable,
    get_variable_scope,
    variable_scope,
)
from tapeflow._src.core.dtypes import int64


def get_global_step(graph: Any = None) -> Any:
    """Return the variable that counts steps, or None."""
    with init_scope():
        steps = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    if len(steps) > 1:
        raise RuntimeError(
            f"The collection 'global_step' holds {len(steps)} variables, at most 1 is expected."
        )
    return steps[0] if steps else None


def create_global_step(graph: Any = None) -> Any:
    """Return a new variable that counts steps."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with init_scope():
        if executing_eagerly():
            step = _counter(AUTO_REUSE)
            get_default_graph().add_to_collection(GraphKeys.GLOBAL_STEP, step)
            return step
        with (graph or get_default_graph()).as_default():
            return _counter(None)


def _counter(reuse: Any) -> Any:
    """Return a variable that starts with 0."""
    with variable_scope(get_variable_scope(), reuse=reuse, auxiliary_name_scope=False):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=int64,
            initializer=zeros_initializer(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Any = None) -> Any:
    """Return the variable that counts steps; create it if there is none."""
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Return the global step in a session."""
    return int(sess.run(global_step_tensor))
