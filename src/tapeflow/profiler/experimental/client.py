"""`tf.profiler.experimental.client`: profiles of other processes, which are refused."""

from tapeflow._src.api.profiler.remote import monitor as monitor
from tapeflow._src.api.profiler.remote import trace as trace
from tapeflow._src.core.lazy import explain_missing as _explain_missing

__all__ = ["monitor", "trace"]

_explain_missing(__name__)
