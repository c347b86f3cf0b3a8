"""`tf.compat.v1.summary`: summaries that are computed in graphs, and their files."""

from __future__ import annotations

from tapeflow._src.compat.v1.summary.functions import audio as audio
from tapeflow._src.compat.v1.summary.functions import histogram as histogram
from tapeflow._src.compat.v1.summary.functions import image as image
from tapeflow._src.compat.v1.summary.functions import merge as merge
from tapeflow._src.compat.v1.summary.functions import merge_all as merge_all
from tapeflow._src.compat.v1.summary.functions import scalar as scalar
from tapeflow._src.compat.v1.summary.functions import tensor_summary as tensor_summary
from tapeflow._src.compat.v1.summary.functions import text as text
from tapeflow._src.core.lazy import later as _later
from tapeflow._src.core.protos import Event as Event
from tapeflow._src.core.protos import SessionLog as SessionLog
from tapeflow._src.core.protos import Summary as Summary
from tapeflow._src.core.protos import TaggedRunMetadata as TaggedRunMetadata

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    dict.fromkeys(("FileWriter", "FileWriterCache"), "tapeflow._src.summary.file_writer"),
)
