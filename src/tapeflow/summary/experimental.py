"""`tf.summary.experimental`: the step by default, scopes of tags, and messages as they are."""

from tapeflow._src.summary.data import write_raw_pb as write_raw_pb
from tapeflow._src.summary.writer import get_step as get_step
from tapeflow._src.summary.writer import set_step as set_step
from tapeflow._src.summary.writer import summary_scope as summary_scope

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]
