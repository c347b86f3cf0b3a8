"""`tf.profiler.experimental.server`: a service for profiles, which is refused."""

from tapeflow._src.api.profiler.remote import start as start
from tapeflow._src.core.lazy import explain_missing as _explain_missing

__all__ = ["start"]

_explain_missing(__name__)
