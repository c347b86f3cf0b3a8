"""Writing to event files: what stands behind a writer's handle takes tensors and messages."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.registry import Free, Resource, op
from tapeflow._src.core.spec import Spec

_HOST = "event files"


class Events:
    """The resource behind the handle of a summary writer."""

    dtype = dtypes.resource
    ndim = 0
    shape: tuple[int, ...] = ()

    def write(self, tag: str, tensor: Any, step: int, metadata: bytes) -> None:
        """Write a tensor with its serialized `SummaryMetadata`."""
        raise NotImplementedError

    def write_summary(self, summary: bytes, step: int) -> None:
        """Write a serialized `Summary`."""
        raise NotImplementedError

    def flush(self) -> None:
        """Flush what was written to the operating system."""
        raise NotImplementedError


def _no_outputs(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    return ()


@op("WriteSummary", infer=_no_outputs, outputs=(), effect="io", host=_HOST, grad=None)
def write_summary(
    xp, writer: Resource, step: Free, tensor: Free, tag: Free, summary_metadata: Free
):
    """Write a tensor to an event file."""
    writer.write(tag.item().decode(), tensor, int(step), summary_metadata.item())


@op("WriteRawProtoSummary", infer=_no_outputs, outputs=(), effect="io", host=_HOST, grad=None)
def write_raw_proto_summary(xp, writer: Resource, step: Free, tensor: Free):
    """Write serialized `Summary` messages to an event file."""
    for summary in tensor.reshape(-1).tolist():
        writer.write_summary(summary, int(step))


@op("FlushSummaryWriter", infer=_no_outputs, outputs=(), effect="io", host=_HOST, grad=None)
def flush_summary_writer(xp, writer: Resource):
    """Flush what was written to the operating system."""
    writer.flush()
