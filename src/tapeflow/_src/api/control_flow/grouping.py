"""`tf.group`, `tf.tuple` and `tf.no_op`: things to wait for. Eagerly, everything has been done."""

from __future__ import annotations

import builtins
from typing import Any

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.subgraphs import current_graph, is_composite
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.graph import nodes as graph_nodes


def no_op(name: str | None = None) -> Any:
    """An operation that does nothing; only useful to depend on."""
    if not tracing():
        return None
    graph_nodes.no_op(name=name)
    return current_graph().nodes[-1]


def group(*inputs: Any, **kwargs: Any) -> Any:
    """One operation that waits for all `inputs`."""
    if not tracing():
        return None
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    found = []
    for item in nest.flatten(inputs, expand_composites=True):
        if item is None:
            continue
        if not isinstance(item, (Tensor, Operation)) and not hasattr(item, "__tf_tensor__"):
            raise TypeError(
                f"'inputs' must be tensors, operations or structures of them, received {item!r} of "
                f"type {type(item).__name__}."
            )
        found.append(item)
    with current_graph().control_dependencies(found):
        return no_op(name or "group_deps")


@scoped("tuple")
def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """`tensors`, each of which is there only when all of them are, and `control_inputs` too."""
    if not tracing():
        return tensors
    items = [
        item if item is None or is_composite(item) else dispatch.convert(item) for item in tensors
    ]
    if all(item is None for item in items):
        raise ValueError(f"'tensors' must contain one tensor or more, received {tensors}.")
    waited_for = [item for item in items if item is not None]
    waited_for += [] if control_inputs is None else builtins.list(control_inputs)
    with current_graph().control_dependencies(nest.flatten(waited_for, expand_composites=True)):
        return [
            None if item is None else nest.map_structure(_waiting, item, expand_composites=True)
            for item in items
        ]


def _waiting(tensor: Any) -> Any:
    return identity(tensor, name="control_dependency")
