"""`tf.graph_util`: import GraphDef messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeflow._src.core import dispatch as _dispatch
from tapeflow._src.core.tensor import Tensor as _Tensor
from tapeflow._src.core.text import as_text as _as_text
from tapeflow._src.graph import deserialize as _deserialize
from tapeflow._src.graph import safe_mode as _safe_mode
from tapeflow._src.graph.graph import Graph as _Graph
from tapeflow._src.graph.rollback import unchanged_on_error as _unchanged_on_error


def import_graph_def(
    graph_def: Any,
    input_map: Any = None,
    return_elements: Any = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
    *,
    safe_mode: bool = True,
) -> Any:
    """Add the nodes of a GraphDef to the graph being built, with names that start with `name/`.

    An import that fails leaves the graph as it was.

    Args:
        graph_def: A GraphDef message.
        input_map: Tensors of the graph to put in place of some of the message's, by their names.
        return_elements: Names of operations and tensors to return.
        name: The prefix; "import" by default.
        op_dict: Accepted for compatibility.
        producer_op_list: Accepted: what this version does not know of a node is left out.
        safe_mode: Whether operations that read or write files or call Python functions are refused.

    Returns:
        A list of the elements that `return_elements` names, or None.

    Raises:
        ValueError: Outside of a graph.
        tf.errors.PermissionDeniedError: If safe mode refuses an operation.

    Example:
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.constant(2.0, name="x")
        >>> with tf.Graph().as_default() as copy:
        ...     (y,) = tf.import_graph_def(graph.as_graph_def(), return_elements=["x:0"])
        >>> y.name
        'import/x:0'
    """
    graph = _dispatch.current_graph()
    if not isinstance(graph, _Graph):
        raise ValueError(
            "tf.import_graph_def needs a graph to import into: call it inside a tf.function, or "
            "in a `with tf.Graph().as_default():` block."
        )
    if not hasattr(graph_def, "library") or not hasattr(graph_def, "node"):
        raise TypeError(
            f"graph_def must be a GraphDef message, received {type(graph_def).__name__}."
        )
    requested = None if return_elements is None else _requested_outputs(return_elements)
    guard = _safe_mode.Guard(safe_mode)
    with _unchanged_on_error(graph):
        scope = _scope(graph, "import" if name is None else name)
        replaced = _replaced(input_map or {}, scope)
        done = _deserialize.import_nodes(graph, graph_def, scope, replaced, guard)
        if guard.refused:
            raise _safe_mode.refusal(
                guard.refused, "The GraphDef", "call tf.import_graph_def(..., safe_mode=False)"
            )
        _check_used(replaced, graph_def, done)
        elements = [_element(element, index, done) for element, index in requested or ()]
        graph.calls.update(
            {
                f"{scope}{node}": imported.outputs
                for node, imported in done.items()
                if imported.is_call
            }
        )
    return None if requested is None else elements


def _scope(graph: Any, name: str) -> str:
    """Return a unique name prefix for imported nodes."""
    scope: str = graph.names.scope(_dispatch.state.name_scope, name)
    return scope


def _replaced(input_map: Any, scope: str) -> dict[str, Any]:
    """Return the tensors that replace those of the message, by full name."""
    if not isinstance(input_map, Mapping):
        raise TypeError(
            f"input_map must be a dict from names to tensors, received {type(input_map).__name__}"
        )
    full = {_full(_as_text(key)): value for key, value in input_map.items()}
    if not scope and not all(isinstance(value, _Tensor) for value in full.values()):
        raise ValueError(
            "import_graph_def has to convert values of `input_map` to tensors, which needs a "
            "`name` scope: pass `name`, or call tf.convert_to_tensor on the values first."
        )
    state = _dispatch.state
    outer, state.name_scope = state.name_scope, f"{scope}_inputs/"
    try:
        return {key: state.mode.graph.adopt(_dispatch.convert(v)) for key, v in full.items()}
    finally:
        state.name_scope = outer


def _full(name: str) -> str:
    """Return the name of a tensor with its output index."""
    return name if ":" in name else f"{name}:0"


def _check_used(replaced: dict[str, Any], graph_def: Any, done: dict[str, Any]) -> None:
    """Raise ValueError for entries of `input_map` that no node uses or produces."""
    consumed = {_full(name) for node in graph_def.node for name in node.input}
    missing = []
    for name in replaced.keys() - consumed:
        node, _, index = name.partition(":")
        if node not in done or not index.isdigit() or int(index) >= len(done[node].outputs):
            missing.append(name)
    if missing:
        raise ValueError(
            f"Keys of `input_map` not found in graph_def: [{', '.join(sorted(missing))}]"
        )


def _requested_outputs(return_elements: Any) -> list[tuple[str, int | None]]:
    """Split requested names into names of nodes and output indices."""
    if not all(isinstance(element, str | bytes) for element in return_elements):
        raise TypeError(f"return_elements must list names, as strings; received {return_elements}.")
    elements: list[tuple[str, int | None]] = []
    for element in map(_as_text, return_elements):
        node, colon, index = element.partition(":")
        if colon and not index.isdigit():
            raise ValueError(
                f"{element!r} is no tensor name: expected 'operation:index' with an integer index, "
                f"received {index!r}."
            )
        elements.append((node, int(index) if colon else None))
    return elements


def _element(name: str, index: int | None, done: dict[str, Any]) -> Any:
    if name not in done:
        what = f"node {name!r}" if index is None else f"tensor '{name}:{index}'"
        raise ValueError(f"Requested return {what} not found in graph def")
    imported = done[name]
    if index is None:
        if len(imported.operations) != 1:
            raise ValueError(
                f"The node {name!r} calls a function, which was imported in its place: ask for "
                f"its outputs, e.g. '{name}:0'."
            )
        return imported.operations[0]
    if index >= len(imported.outputs):
        raise ValueError(
            f"Invalid return output {index} of node {name!r}, which has {len(imported.outputs)} "
            f"output(s)"
        )
    return imported.outputs[index]
