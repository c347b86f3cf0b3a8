"""`tf.group`, `tf.tuple` and `tf.no_op`: control dependencies. No effect in eager mode."""

from __future__ import annotations

import builtins
from typing import Any

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.subgraphs import current_graph, is_composite
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.graph import nodes as graph_nodes


def no_op(name: str | None = None) -> Any:
    """Create an operation that does nothing; useful as a control dependency.

    Args:
        name: Name of the op in a graph.

    Returns:
        An operation in a graph, None in eager mode.

    Example:
        >>> tf.no_op() is None
        True
    """
    if not tracing():
        return None
    graph_nodes.no_op(name=name)
    return current_graph().nodes[-1]


def group(*inputs: Any, **kwargs: Any) -> Any:
    """Create an operation that depends on all `inputs`.

    Args:
        *inputs: Tensors, operations or structures of them.
        **kwargs: `name`.

    Returns:
        An operation in a graph, None in eager mode.

    Raises:
        TypeError: An input is something else.
    """
    if not tracing():
        return None
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    operations = []
    for item in nest.flatten(inputs, expand_composites=True):
        if item is None:
            continue
        if not isinstance(item, (Tensor, Operation)) and not hasattr(item, "__tf_tensor__"):
            raise TypeError(
                f"'inputs' must be tensors, operations or structures of them, received {item!r} of "
                f"type {type(item).__name__}."
            )
        operations.append(item)
    with current_graph().control_dependencies(operations):
        return no_op(name or "group_deps")


@scoped("tuple")
def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """Return `tensors` with control dependencies on all of them and on `control_inputs`.

    Args:
        tensors: A list of tensors; entries may be None.
        control_inputs: Further operations or tensors to wait for.
        name: Name of the op in a graph.

    Returns:
        The same values: in a graph, none is available before all are computed.

    Raises:
        ValueError: There are no tensors.

    Example:

        >>> [t.numpy() for t in tf.tuple([tf.constant(1), tf.constant(2)])]
        [np.int32(1), np.int32(2)]
    """
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


def _waiting(tensor: TensorLike) -> Any:
    return identity(tensor, name="control_dependency")
