"""`tf.summary`: event files for TensorBoard, written eagerly and by functions whenever they run."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.summary.data import audio as audio
from tapeflow._src.summary.data import graph as graph
from tapeflow._src.summary.data import histogram as histogram
from tapeflow._src.summary.data import image as image
from tapeflow._src.summary.data import scalar as scalar
from tapeflow._src.summary.data import text as text
from tapeflow._src.summary.data import write as write
from tapeflow._src.summary.traces import trace_export as trace_export
from tapeflow._src.summary.traces import trace_off as trace_off
from tapeflow._src.summary.traces import trace_on as trace_on
from tapeflow._src.summary.writer import SummaryWriter as SummaryWriter
from tapeflow._src.summary.writer import create_file_writer as create_file_writer
from tapeflow._src.summary.writer import create_noop_writer as create_noop_writer
from tapeflow._src.summary.writer import flush as flush
from tapeflow._src.summary.writer import record_if as record_if
from tapeflow._src.summary.writer import should_record_summaries as should_record_summaries
from tapeflow.summary import experimental as experimental

__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]

_explain_missing(__name__)
