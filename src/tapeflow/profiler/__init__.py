"""`tf.profiler`: where the time of a run went."""

from tapeflow.profiler import experimental as experimental

__all__ = ["experimental"]
