"""`tf.train.experimental`: state of Python's own in checkpoints. Loaded when it is used."""

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__, globals(), {"PythonState": "tapeflow._src.checkpoint.python_state"}
)
