"""The kinds of summaries that TensorBoard shows: numbers, texts, images, sounds, histograms."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.api.control_flow import numpy_function
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dtypes, protos
from tapeflow._src.ops.graph import summaries as ops
from tapeflow._src.summary import event_file as files
from tapeflow._src.summary.writer import emit, in_force, summary_scope


def _write(
    function: str,
    tag: str,
    value: Any,
    step: Any,
    metadata: Any,
) -> Any:
    """Write what `value()` returns, called only if a summary is written."""
    content = b"" if metadata is None else metadata.SerializeToString()
    return emit(
        function,
        step,
        lambda handle, step: ops.write_summary(handle, step, value(), tag, content),
    )


def write(
    tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> Any:
    """Write a tensor with the writer in force.

    Args:
        tag: The name under which it is shown.
        tensor: The tensor, or a function that returns it, called only if it is written.
        step: The step; by default that of `as_default` or `set_step`.
        metadata: A `SummaryMetadata` message that says what the tensor is, or None.
        name: Accepted, without effect: the op has no result to name.

    Returns:
        Whether it was written.
    """
    return _write(
        "write",
        tag,
        lambda: convert_to_tensor(tensor() if callable(tensor) else tensor),
        step,
        metadata,
    )


def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Any:
    """Write serialized `Summary` messages; returns whether they were written."""
    return emit(
        "experimental.write_raw_pb",
        step,
        lambda handle, step: ops.write_raw_proto_summary(handle, step, convert_to_tensor(tensor)),
    )


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Write a number with the writer in force; returns whether it was written."""
    with summary_scope(name, "scalar_summary") as (tag, _):
        metadata = files.metadata("scalars", files.SCALAR, description=description)
        return _write("scalar", tag, lambda: _number(data), step, metadata)


def _number(data: Any) -> Any:
    tensor = convert_to_tensor(data)
    if tensor.shape.rank not in (0, None):
        raise ValueError(
            f"tf.summary.scalar: expected a number, received a tensor of shape {tensor.shape}. "
            "Use tf.summary.histogram, or reduce it."
        )
    return cast(tensor, dtypes.float32)


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Write strings, which TensorBoard shows as Markdown; returns whether they were written."""
    with summary_scope(name, "text_summary") as (tag, _):
        metadata = files.metadata("text", files.TENSOR, description=description)
        return _write("text", tag, lambda: convert_to_tensor(data, dtypes.string), step, metadata)


def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: Any = None
) -> Any:
    """Write how values are distributed; returns whether that was written.

    Args:
        name: The name under which it is shown.
        data: The values, of any shape.
        step: The step; by default that of `as_default` or `set_step`.
        buckets: The number of buckets; 30 by default.
        description: What the user of TensorBoard reads about it.
    """
    with summary_scope(name, "histogram_summary") as (tag, _):
        metadata = files.metadata("histograms", files.TENSOR, description=description)
        return _write(
            "histogram",
            tag,
            lambda: _computed(lambda x: files.histogram_rows(x, buckets), data, dtypes.float64),
            step,
            metadata,
        )


def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> Any:
    """Write the first images of a batch; returns whether they were written.

    Args:
        name: The name under which they are shown.
        data: Images of shape (batch, height, width, channels): bytes, or values from 0 to 1.
        step: The step; by default that of `as_default` or `set_step`.
        max_outputs: How many of the batch are written.
        description: What the user of TensorBoard reads about them.
    """
    with summary_scope(name, "image_summary") as (tag, _):
        metadata = files.metadata("images", files.BLOBS, description=description)
        return _write(
            "image",
            tag,
            lambda: _computed(lambda x: files.image_blobs(x, max_outputs), data, dtypes.string),
            step,
            metadata,
        )


def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Write the first sounds of a batch; returns whether they were written.

    Args:
        name: The name under which they are shown.
        data: Sounds of shape (batch, samples, channels), values from -1 to 1.
        sample_rate: Samples a second.
        step: The step; by default that of `as_default` or `set_step`.
        max_outputs: How many of the batch are written.
        encoding: "wav" or None.
        description: What the user of TensorBoard reads about them.
    """
    if encoding not in (None, "wav"):
        raise ValueError(
            f"tf.summary.audio: expected `encoding` 'wav' or None. Received: {encoding!r}"
        )
    with summary_scope(name, "audio_summary") as (tag, _):
        metadata = files.metadata("audio", files.BLOBS, files.WAV, description)
        return _write(
            "audio",
            tag,
            lambda: _computed(
                lambda x, rate: files.audio_blobs(x, rate, max_outputs),
                data,
                dtypes.string,
                convert_to_tensor(sample_rate),
            ),
            step,
            metadata,
        )


def _computed(function: Any, data: Any, dtype: Any, *others: Any) -> Any:
    """Apply a function to data on the host: now, or whenever the graph runs."""
    return numpy_function(function, [convert_to_tensor(data), *others], dtype, stateful=False)


def graph(graph_data: Any) -> bool:
    """Write a graph, a `tf.Graph` or a `GraphDef` message; returns whether it was written."""
    if in_force.writer is None:
        return False
    in_force.writer._check_open()
    message = graph_data if hasattr(graph_data, "SerializeToString") else graph_data.as_graph_def()
    event = protos.Event(graph_def=message.SerializeToString())
    in_force.writer._file.event(event)
    return True
