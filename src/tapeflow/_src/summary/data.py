"""The kinds of summaries that TensorBoard shows: numbers, texts, images, sounds, histograms."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays import constant, convert_to_tensor
from tapeflow._src.api.control_flow import numpy_function
from tapeflow._src.api.debugging.comparisons import assert_non_negative
from tapeflow._src.api.debugging.structure import assert_rank, assert_scalar
from tapeflow._src.api.image.conversion import convert_image_dtype
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.graph import summaries as ops
from tapeflow._src.summary import encoding as plugins
from tapeflow._src.summary.event_file import displayed
from tapeflow._src.summary.writer import emit, in_force, recording, summary_scope


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
    tag: str, tensor: TensorLike, step: Any = None, metadata: Any = None, name: str | None = None
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

    Example:
        >>> with tf.summary.create_file_writer("logs").as_default():
        ...     bool(tf.summary.write("tag", tf.constant([1, 2]), step=1))
        True
    """
    return _write(
        "write",
        tag,
        lambda: convert_to_tensor(tensor() if callable(tensor) else tensor),
        step,
        metadata,
    )


def write_raw_pb(tensor: TensorLike, step: Any = None, name: str | None = None) -> Any:
    """Write serialized `Summary` messages with the writer in force.

    Args:
        tensor: The messages, a string tensor.
        step: The step; by default that of `as_default` or `set_step`.

    Returns:
        Whether they were written, a boolean tensor.
    """
    return emit(
        "experimental.write_raw_pb",
        step,
        lambda handle, step: ops.write_raw_proto_summary(handle, step, convert_to_tensor(tensor)),
    )


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Write a number with the writer in force.

    Args:
        name: The name under which it is shown.
        data: The number, a scalar.
        step: The step; by default that of `as_default` or `set_step`.
        description: What the user of TensorBoard reads about it.

    Returns:
        Whether it was written, a boolean tensor.

    Raises:
        ValueError: If `data` is no scalar, or there is no step.

    Example:
        >>> with tf.summary.create_file_writer("logs").as_default():
        ...     bool(tf.summary.scalar("loss", 0.5, step=1))
        True
    """
    with summary_scope(name, "scalar_summary") as (tag, _):
        metadata = plugins.metadata("scalars", description=description)
        return _write("scalar", tag, lambda: _number(data), step, metadata)


def _number(data: Any) -> Any:
    tensor = convert_to_tensor(data)
    if tensor.shape.rank not in (0, None):
        raise ValueError(
            f"tf.summary.scalar: expected a number, received a tensor of shape {tensor.shape}. "
            "Use tf.summary.histogram, or reduce it."
        )
    assert_scalar(tensor)
    return cast(tensor, dtypes.float32)


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Write strings, which TensorBoard shows as Markdown.

    Args:
        name: The name under which they are shown.
        data: A string tensor.
        step: The step; by default that of `as_default` or `set_step`.
        description: What the user of TensorBoard reads about them.

    Returns:
        Whether they were written, a boolean tensor.

    Example:
        >>> with tf.summary.create_file_writer("logs").as_default():
        ...     bool(tf.summary.text("note", "*slow*", step=1))
        True
    """
    with summary_scope(name, "text_summary") as (tag, _):
        metadata = plugins.metadata("text", description=description)
        return _write("text", tag, lambda: convert_to_tensor(data, dtypes.string), step, metadata)


def histogram(
    name: str, data: Any, step: Any = None, buckets: Any = None, description: str | None = None
) -> Any:
    """Write how values are distributed; returns whether that was written.

    Args:
        name: The name under which it is shown.
        data: The values, of any shape.
        step: The step; by default that of `as_default` or `set_step`.
        buckets: The number of buckets, an integer or a scalar tensor; 30 by default. Values that
            are all equal are in the last one.
        description: What the user of TensorBoard reads about it.

    Returns:
        Whether it was written, a boolean tensor.

    Example:
        >>> with tf.summary.create_file_writer("logs").as_default():
        ...     bool(tf.summary.histogram("weights", tf.ones([100]), step=1))
        True
    """
    buckets = plugins.BUCKETS if buckets is None else buckets

    def rows() -> Any:
        values = cast(convert_to_tensor(data), dtypes.float64)
        return _computed(plugins.histogram_rows, dtypes.float64, values, buckets)

    with summary_scope(name, "histogram_summary") as (tag, _):
        metadata = plugins.metadata("histograms", description=description)
        return _write("histogram", tag, rows, step, metadata)


def image(
    name: str, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None
) -> Any:
    """Write the first images of a batch; returns whether they were written.

    Args:
        name: The name under which they are shown.
        data: Images of shape (batch, height, width, channels): floats from 0 to 1, clipped, or
            integers over the range of their dtype.
        step: The step; by default that of `as_default` or `set_step`.
        max_outputs: How many of the batch are written at most.
        description: What the user of TensorBoard reads about them.

    Returns:
        Whether they were written, a boolean tensor.

    Example:
        >>> with tf.summary.create_file_writer("logs").as_default():
        ...     bool(tf.summary.image("input", tf.zeros([1, 8, 8, 3]), step=1))
        True
    """

    def blobs() -> Any:
        images = convert_to_tensor(data)
        assert_rank(images, 4)
        assert_non_negative(max_outputs)
        pixels = convert_image_dtype(images, dtypes.uint8, saturate=True)
        return _computed(plugins.image_blobs, dtypes.string, pixels, max_outputs)

    with summary_scope(name, "image_summary") as (tag, _):
        metadata = plugins.metadata("images", description=description)
        return _write("image", tag, blobs, step, metadata)


def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Write the first sounds of a batch; returns whether they were written.

    Args:
        name: The name under which they are shown.
        data: Sounds of shape (batch, samples, channels), float32 from -1 to 1.
        sample_rate: Samples a second, an integer.
        step: The step; by default that of `as_default` or `set_step`.
        max_outputs: How many of the batch are written at most.
        encoding: "wav" or None.
        description: What the user of TensorBoard reads about them.

    Returns:
        Whether they were written, a boolean tensor.

    Example:
        >>> with tf.summary.create_file_writer("logs").as_default():
        ...     bool(tf.summary.audio("tone", tf.zeros([1, 100, 1]), 8000, step=1))
        True
    """
    if encoding not in (None, "wav"):
        raise ValueError(
            f"tf.summary.audio: expected `encoding` 'wav' or None. Received: {encoding!r}"
        )
    with summary_scope(name, "audio_summary") as (tag, _):
        metadata = plugins.metadata("audio", plugins.WAV, description)
        return _write("audio", tag, lambda: _sounds(data, sample_rate, max_outputs), step, metadata)


def _sounds(data: Any, sample_rate: Any, max_outputs: Any) -> Any:
    sounds = convert_to_tensor(data)
    assert_rank(sounds, 3)
    assert_non_negative(max_outputs)
    if sounds.dtype is not dtypes.float32:
        raise InvalidArgumentError(
            None,
            None,
            f"tf.summary.audio: expected sounds of float32 from -1 to 1, received "
            f"{sounds.dtype.name}. Scale and cast them with tf.cast.",
        )
    rate = convert_to_tensor(sample_rate)
    if not rate.dtype.is_integer:
        raise TypeError(
            f"tf.summary.audio: expected an integer as `sample_rate`. Received: {sample_rate!r}"
        )
    return _computed(plugins.audio_blobs, dtypes.string, sounds, rate, max_outputs)


def _computed(function: Any, dtype: DTypeLike, *tensors: Any) -> Any:
    """Apply a function to tensors on the host: now, or whenever the graph runs."""
    return numpy_function(function, [convert_to_tensor(t) for t in tensors], dtype, stateful=False)


def graph(graph_data: Any) -> Any:
    """Write a graph with the writer in force.

    Args:
        graph_data: A `tf.Graph` or a GraphDef message.

    Returns:
        Whether it was written, a boolean tensor.

    Raises:
        ValueError: If it is called in a function, or with something else.

    Example:
        >>> with tf.summary.create_file_writer("logs").as_default():
        ...     bool(tf.summary.graph(tf.Graph()))
        True
    """
    if dispatch.state.mode is not dispatch.base_mode():
        raise ValueError(
            "tf.summary.graph: expected a call in eager code, was called while a graph is built. "
            "Call it outside the function."
        )
    writer = in_force.writer
    if writer is None or not recording():
        return constant(False)
    message = displayed(graph_data)
    if getattr(getattr(message, "DESCRIPTOR", None), "name", "") != "GraphDef":
        raise ValueError(
            "tf.summary.graph: expected a tf.Graph or a GraphDef message, as of "
            f"`f.get_concrete_function(...).graph`. Received: {graph_data!r}"
        )
    writer._check_open()
    writer._file.graph(message)
    return constant(True)
