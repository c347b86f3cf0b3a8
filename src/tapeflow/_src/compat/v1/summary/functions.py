"""Summaries in graphs: serialized messages, collected, merged and run like other tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.api.math.casting import cast
from tapeflow._src.compat.v1.graphs import GraphKeys, add_to_collections, get_collection, name_scope
from tapeflow._src.core import dispatch, dtypes, protos
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.graph import summary_messages as ops

_NOT_IN_TAGS = re.compile(r"[^-/\w.]")


@contextmanager
def _scope(name: str, family: str | None, values: TensorLike) -> Iterator[tuple[str, str]]:
    """Yield the tag of a summary and the scope, in which its op has the whole of it as name."""
    name = _NOT_IN_TAGS.sub("_", name).lstrip("/")
    family = None if family is None else _NOT_IN_TAGS.sub("_", family).lstrip("/")
    whole = name if family is None else f"{family}/{name}"
    with name_scope(whole, values=values) as scope:
        inner = scope.rstrip("/")
        yield (inner if family is None else f"{family}/{inner}"), scope


def _collected(summary: Any, collections: Any) -> Any:
    """Add a summary to collections of the graph, by default to those of `merge_all`."""
    if getattr(dispatch.state.mode, "graph", None) is not None:
        add_to_collections([GraphKeys.SUMMARIES] if collections is None else collections, summary)
    return summary


def scalar(
    name: str, tensor: TensorLike, collections: Any = None, family: str | None = None
) -> Any:
    """Return a summary of a number.

    Args:
        name: How the op is named and, with the scopes around it, the tag.
        tensor: The number.
        collections: The collections of the graph that get the summary; that of `merge_all` by
            default.
        family: What the tag begins with, or None.
    """
    with _scope(name, family, [tensor]) as (tag, scope):
        summary = ops.scalar_summary(tag, dispatch.convert(tensor), name=scope)
    return _collected(summary, collections)


def histogram(
    name: str, values: TensorLike, collections: Any = None, family: str | None = None
) -> Any:
    """Return a summary of how values are distributed; arguments as for `scalar`."""
    with _scope(name, family, [values]) as (tag, scope):
        summary = ops.histogram_summary(tag, dispatch.convert(values), name=scope)
    return _collected(summary, collections)


def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Return a summary of the first images of a batch; other arguments as for `scalar`.

    Args:
        name: How the op is named; its images have numbered tags.
        tensor: Images of shape (batch, height, width, channels): bytes, or numbers, which are
            scaled so that the largest one is bright.
        max_outputs: How many images.
        collections: As for `scalar`.
        family: As for `scalar`.
    """
    with _scope(name, family, [tensor]) as (tag, scope):
        tensor = dispatch.convert(tensor)
        summary = ops.image_summary(tag, tensor, max_images=max_outputs, name=scope)
    return _collected(summary, collections)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """Return a summary of the first sounds of a batch; other arguments as for `scalar`.

    Args:
        name: How the op is named; its sounds have numbered tags.
        tensor: Sounds of shape (batch, samples) or (batch, samples, channels), from -1 to 1.
        sample_rate: Samples a second.
        max_outputs: How many sounds.
        collections: As for `scalar`.
        family: As for `scalar`.
    """
    with _scope(name, family, [tensor]) as (tag, scope):
        rate = cast(dispatch.convert(sample_rate), float32)
        tensor = dispatch.convert(tensor)
        summary = ops.audio_summary_v2(tag, tensor, rate, max_outputs=max_outputs, name=scope)
    return _collected(summary, collections)


def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: Any = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Any:
    """Return a summary of a tensor, with the `SummaryMetadata` message that says what it is."""
    metadata = protos.SummaryMetadata()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    if display_name is not None:
        metadata.display_name = display_name
    if summary_description is not None:
        metadata.summary_description = summary_description
    with _scope(name, family, [tensor]) as (tag, scope):
        summary = ops.tensor_summary_v2(
            tag, dispatch.convert(tensor), metadata.SerializeToString(), name=scope
        )
    return _collected(summary, collections)


def text(name: str, tensor: Any, collections: Any = None) -> Any:
    """Return a summary of strings."""
    tensor = dispatch.convert(tensor)
    if tensor.dtype != dtypes.string:
        raise ValueError(
            f"tf.compat.v1.summary.text: expected strings for {name!r}, received "
            f"{tensor.dtype.name}. Use tf.strings.as_string."
        )
    metadata = protos.SummaryMetadata()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(name, tensor, collections=collections, summary_metadata=metadata)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """Return a summary with the values of all; it is in no collection by default."""
    with name_scope(name, "Merge", inputs):
        summary = ops.merge_summary(list(inputs))
    return _collected(summary, collections or ())


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Any:
    """Return a summary with the values of all in a collection of the graph; None if it is empty."""
    if getattr(dispatch.state.mode, "graph", None) is None:
        raise RuntimeError(
            "tf.compat.v1.summary.merge_all belongs to graphs. Eagerly, use tf.summary, whose "
            "functions write at once."
        )
    summaries = get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None
