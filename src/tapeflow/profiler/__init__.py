"""`tf.profiler`: marks in programs for profiles."""

from tapeflow.profiler import experimental as experimental

__all__ = ["experimental"]
