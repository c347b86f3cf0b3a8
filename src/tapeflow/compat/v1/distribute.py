"""`tf.compat.v1.distribute`: the strategies of TensorFlow 2, and a function of TensorFlow 1."""

from __future__ import annotations

from tapeflow import distribute as _distribute
from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.distribute.legacy_strategy import get_loss_reduction as get_loss_reduction

_NAMES = [name for name in vars(_distribute) if not name.startswith("_")]

__getattr__, __dir__ = _aliases(__name__, globals(), dict.fromkeys(_NAMES, "tapeflow.distribute"))
