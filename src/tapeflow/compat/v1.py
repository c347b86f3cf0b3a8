"""`tf.compat.v1`: the messages that TensorFlow 2 still keeps there, and graphs from them.

Messages are loaded when they are used.
"""

from __future__ import annotations

from typing import Any

from tapeflow.core import protos as _protos
from tapeflow.graph.graph import Graph as Graph
from tapeflow.graph_util import import_graph_def as import_graph_def

_MESSAGES = (
    "AttrValue",
    "ConfigProto",
    "Event",
    "GPUOptions",
    "GraphDef",
    "GraphOptions",
    "HistogramProto",
    "LogMessage",
    "MetaGraphDef",
    "NameAttrList",
    "NodeDef",
    "OptimizerOptions",
    "RunMetadata",
    "RunOptions",
    "SessionLog",
    "Summary",
    "SummaryMetadata",
    "TensorInfo",
)


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        return getattr(_protos, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted((*_MESSAGES, "Graph", "import_graph_def"))
