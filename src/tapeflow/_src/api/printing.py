"""`tf.print`."""

from __future__ import annotations

import sys
from typing import Any

from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.ragged.text import to_text
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import string
from tapeflow._src.core.repr import format_inputs
from tapeflow._src.core.tensor import Tensor, tensor_in
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.graph.printing import print_v2, string_format
from tapeflow._src.ops.strings.text import string_join


def print(*inputs: Any, **kwargs: Any) -> Any:
    """Print tensors and other values.

    In a graph, return the operation that prints; it runs in program order in a `tf.function`.

    Args:
        *inputs: The values, separated by `sep` (a space).
        **kwargs: `output_stream` (standard error), `summarize` (how many elements of each end of an
            axis are shown), `sep`, `end` and `name`.

    Returns:
        None eagerly; in a graph, the operation.

    Example:
        >>> import sys
        >>> tf.print("values:", tf.constant([1, 2]), output_stream=sys.stdout)
        values: [1 2]
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    print_v2(
        _text(inputs, summarize, sep),
        output_stream=_stream_name(stream),
        end="\n" if end is None else end,
    )
    graph = dispatch.current_graph()
    return None if graph is None else graph.nodes[-1]


def _text(inputs: tuple[Any, ...], summarize: int, sep: str) -> Any:
    """Format the values as a string tensor: now, or when the graph runs."""
    only = inputs[0] if len(inputs) == 1 else None
    if isinstance(only, Tensor) and only.dtype is string and only.static_shape == ():
        return only
    unknown: list[Any] = []
    texts: list[Any] = []

    def content(leaf: Any) -> Any:
        """Return the array of a tensor, the text of a composite, None for other values."""
        leaf = leaf.value() if isinstance(leaf, Variable) else tensor_in(leaf)
        if isinstance(leaf, RaggedTensor):
            text = to_text(leaf, summarize)
            if text.static_value is not None:
                return text.numpy().decode(errors="replace")
            texts.append(text)
            return _TEXT
        if isinstance(leaf, SparseTensor):
            parts = (leaf.indices, leaf.values, leaf.dense_shape)
            shown = [format_inputs([part], content, summarize, "", "") for part in parts]
            return "'SparseTensor(indices={}, values={}, shape={})'".format(*shown)
        if not isinstance(leaf, Tensor):
            return None
        if leaf.static_value is None:
            unknown.append(leaf)
            return _PLACEHOLDER
        return leaf.static_value

    pieces = []
    for piece in format_inputs(inputs, content, summarize, sep, "").split(_TEXT):
        count = piece.count(_PLACEHOLDER)
        pieces.append(_filled(piece, unknown[:count], summarize))
        del unknown[:count]
    if not texts:
        return pieces[0]
    joined = [part for pair in zip(pieces, texts) for part in pair]
    return string_join([*joined, pieces[-1]])


def _filled(template: str, tensors: list[Any], summarize: int) -> Any:
    """Fill the texts of tensors into a template."""
    if not tensors:
        return dispatch.convert(template)
    placeholder = _PLACEHOLDER
    if "{}" not in template.replace(_PLACEHOLDER, ""):
        # Unless the template contains it, files of graphs use the default placeholder.
        template, placeholder = template.replace(_PLACEHOLDER, "{}"), "{}"
    options = {"template": template, "placeholder": placeholder, "summarize": summarize}
    return string_format(tensors, **options)


# The mark of a tensor in a text while its value is unknown: no user text contains it.
_PLACEHOLDER = "\x00{}\x00"
# And for a text that is not known yet, which is not quoted as the elements of tensors are.
_TEXT = "\x00text\x00"


def _stream_name(stream: Any) -> str:
    if stream is sys.stdout:
        return "stdout"
    if stream is sys.stderr:
        return "stderr"
    if isinstance(stream, str):
        return stream
    raise ValueError(
        f"Unsupported output stream {stream!r}: sys.stdout, sys.stderr or a 'file://' path."
    )
