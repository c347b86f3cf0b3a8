"""`tf.profiler.experimental.client`: profiles of other processes, which are refused."""

from tapeflow._src.api.profiler.remote import monitor as monitor
from tapeflow._src.api.profiler.remote import trace as trace

__all__ = ["monitor", "trace"]
