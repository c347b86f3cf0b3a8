"""Writing tensors out as text."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import InferError, ManyFree, op
from tapeflow._src.core.repr import format_for_print
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import SPEAKS

_STREAMS = ("stderr", "stdout", "log(info)", "log(warning)", "log(error)")


@op("StringFormat", grad=None, host="strings")
def string_format(xp, inputs: ManyFree, *, template="%s", placeholder="%s", summarize=3):
    """Return `template` with the text of one tensor at each placeholder."""
    pieces = template.split(placeholder)
    texts = [format_for_print(array, summarize) for array in inputs]
    text = "".join(a + b for a, b in zip(pieces, [*texts, ""], strict=True))
    return np.array(text.encode(), object)


@string_format.infer
def _(inputs, *, template, placeholder, summarize):
    if template.count(placeholder) != len(inputs):
        raise InferError(
            f"StringFormat: {template.count(placeholder)} placeholders but {len(inputs)} tensors"
        )
    return Spec((), dtypes.string)


@op(
    "PrintV2",
    outputs=(),
    effect="io",
    grad=None,
    host="writes",
    dtypes=frozenset({dtypes.string}),
    checked=True,
    traits=(SPEAKS,),
)
def print_v2(xp, input, *, output_stream="stderr", end="\n"):
    """Write a string to a stream, or to the end of a file."""
    text = input.item().decode(errors="replace") + end
    if output_stream.startswith("file://"):
        with open(output_stream[len("file://") :], "a") as file:
            file.write(text)
        return
    stream: Any = sys.stdout if output_stream == "stdout" else sys.stderr
    stream.write(text)
    stream.flush()


print_v2.accesses("files", when=lambda output_stream, **_: output_stream.startswith("file://"))


@print_v2.infer
def _(input, *, output_stream, end):
    require_rank(input, 0, "input")
    if output_stream not in _STREAMS and not output_stream.startswith("file://"):
        raise InferError(f"Unknown output stream {output_stream!r}: one of {_STREAMS} or file://…")
    return ()
