"""`tf.test.assert_equal_graph_def`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import protos


def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Raise AssertionError unless the messages have the same nodes, in any order.

    Args:
        expected: A GraphDef.
        actual: The GraphDef to compare.

    Returns:
        None.

    Raises:
        TypeError: If one is no GraphDef.

    Example:
        >>> tf.test.assert_equal_graph_def(tf.Graph().as_graph_def(), tf.Graph().as_graph_def())
    """
    for name, graph_def in (("expected", expected), ("actual", actual)):
        if not isinstance(graph_def, protos.GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(graph_def).__name__}")
    nodes, actual_nodes = _by_name(expected), _by_name(actual)
    for name, node in nodes.items():
        if name not in actual_nodes:
            raise AssertionError(f"Node named {name!r} expected in graph, but not found.")
        _compare(node, actual_nodes[name])
    for name in actual_nodes:
        if name not in nodes:
            raise AssertionError(f"Node named {name!r} in graph, but not expected.")


def _by_name(graph_def: Any) -> dict[str, Any]:
    return {node.name: node for node in graph_def.node}


def _inputs(node: Any) -> tuple[list[str], list[str]]:
    """Return the data inputs in order, and the control inputs as a set."""
    names = [text.removesuffix(":0") for text in node.input]
    return (
        [text for text in names if not text.startswith("^")],
        sorted(text for text in names if text.startswith("^")),
    )


def _compare(expected: Any, actual: Any) -> None:
    name = expected.name
    for field in ("op", "device"):
        ours, actual_value = getattr(expected, field), getattr(actual, field)
        if ours != actual_value:
            raise AssertionError(
                f"Node named {name!r} has {field} {actual_value!r}, expected {ours!r}."
            )
    if _inputs(expected) != _inputs(actual):
        raise AssertionError(
            f"Node named {name!r} has inputs {list(actual.input)}, expected {list(expected.input)}."
        )
    for key in sorted({*expected.attr, *actual.attr} - {"_output_shapes"}):
        if key not in actual.attr or key not in expected.attr:
            where = "lacks" if key not in actual.attr else "has unexpected"
            raise AssertionError(f"Node named {name!r} {where} attr {key!r}.")
        if expected.attr[key] != actual.attr[key]:
            raise AssertionError(
                f"Node named {name!r} has attr {key!r} with value: {actual.attr[key]} that does "
                f"not match expected: {expected.attr[key]}"
            )
