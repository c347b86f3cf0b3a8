"""`tf.compat.v1.test`: the namespace `tf.test`, and a folder for the tests of a process."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later
from tapeflow.test.files import get_temp_dir as get_temp_dir

__getattr__, __dir__ = _later(__name__, globals(), {}, rest="tapeflow.test")
