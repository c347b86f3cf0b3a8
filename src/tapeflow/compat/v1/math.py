"""`tf.compat.v1.math`: mathematics, with signatures of TensorFlow 1 where they differ."""

from __future__ import annotations

from tapeflow.compat.v1.aliases import aliases as _aliases
from tapeflow.compat.v1.functions import argmax as argmax
from tapeflow.compat.v1.functions import argmin as argmin
from tapeflow.compat.v1.functions import reduce_all as reduce_all
from tapeflow.compat.v1.functions import reduce_any as reduce_any
from tapeflow.compat.v1.functions import reduce_logsumexp as reduce_logsumexp
from tapeflow.compat.v1.functions import reduce_max as reduce_max
from tapeflow.compat.v1.functions import reduce_mean as reduce_mean
from tapeflow.compat.v1.functions import reduce_min as reduce_min
from tapeflow.compat.v1.functions import reduce_prod as reduce_prod
from tapeflow.compat.v1.functions import reduce_sum as reduce_sum
from tapeflow.compat.v1.older import bincount as bincount
from tapeflow.compat.v1.older import confusion_matrix as confusion_matrix
from tapeflow.compat.v1.older import count_nonzero as count_nonzero
from tapeflow.compat.v1.older import in_top_k as in_top_k
from tapeflow.compat.v1.older import log_softmax as log_softmax
from tapeflow.compat.v1.older import softmax as softmax
from tapeflow.math import floormod as mod  # noqa: F401  its name then

__getattr__, __dir__ = _aliases(__name__, globals(), {"special": "tapeflow.math"})
