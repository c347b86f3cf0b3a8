"""`tf.profiler`: where the time of a run went."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.profiler import experimental as experimental

__all__ = ["experimental"]

_explain_missing(__name__)
