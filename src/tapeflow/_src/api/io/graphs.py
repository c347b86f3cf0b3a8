"""`tf.io.write_graph`."""

from __future__ import annotations

import os
from typing import Any

from tapeflow._src.core.atomic_files import write_file
from tapeflow._src.core.lazy import LazyModule

text_format = LazyModule("google.protobuf.text_format", "graphs as text")


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a graph or a message to the file `name` in `logdir` and return its path.

    Args:
        graph_or_graph_def: A `tf.Graph`, or a message such as a GraphDef.
        logdir: The folder.
        name: The name of the file.
        as_text: Whether to write the text format instead of bytes.

    Returns:
        The path of the file.

    Raises:
        TypeError: If it is something else.

    Example:
        >>> tf.io.write_graph(tf.Graph(), "graphs", "empty.pbtxt")
        'graphs/empty.pbtxt'
    """
    as_graph_def = getattr(graph_or_graph_def, "as_graph_def", None)
    message = graph_or_graph_def if as_graph_def is None else as_graph_def()
    if not hasattr(message, "SerializeToString"):
        raise TypeError(f"tf.io.write_graph writes graphs and messages, not {message!r}.")
    path = os.path.join(os.fspath(logdir), name)
    if as_text:
        data = text_format.MessageToString(message).encode()
    else:
        data = message.SerializeToString(deterministic=True)
    write_file(path, data)
    return path
