"""`tf.compat.v1.debugging`: assertions with `data`, and what TensorFlow 2 has."""

from __future__ import annotations

from tapeflow._src.compat.v1 import assertions as _assertions
from tapeflow._src.compat.v1.aliases import aliases as _aliases

_OWN = [name for name in dir(_assertions) if name.startswith("assert_")]

__getattr__, __dir__ = _aliases(
    __name__, globals(), dict.fromkeys(_OWN, "tapeflow._src.compat.v1.assertions")
)
