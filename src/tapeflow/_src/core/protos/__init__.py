"""TensorFlow's protobuf messages, without TensorFlow: `protos.GraphDef()`, `protos.DataType`.

The tables of this folder define the messages; `schema` builds classes of them at first use, so that
programs that write neither files nor graphs do not load protobuf.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tapeflow._src.core.protos.config import CONFIG
from tapeflow._src.core.protos.events import EVENTS
from tapeflow._src.core.protos.examples import EXAMPLES
from tapeflow._src.core.protos.graph import GRAPH
from tapeflow._src.core.protos.profile import PROFILE
from tapeflow._src.core.protos.saving import SAVING
from tapeflow._src.core.protos.schema import Schema


@cache
def schema() -> Schema:
    """Return all messages, in one pool."""
    return Schema((GRAPH, SAVING, CONFIG, EVENTS, EXAMPLES, PROFILE))


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        message = schema().find(name)
    except KeyError:
        raise AttributeError(f"There is no message {name!r} in {__name__}.") from None
    globals()[name] = message
    return message
