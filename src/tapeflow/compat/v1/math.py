"""`tf.compat.v1.math`: mathematics, with signatures of TensorFlow 1 where they differ."""

from __future__ import annotations

from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.functions import argmax as argmax
from tapeflow._src.compat.v1.functions import argmin as argmin
from tapeflow._src.compat.v1.functions import reduce_all as reduce_all
from tapeflow._src.compat.v1.functions import reduce_any as reduce_any
from tapeflow._src.compat.v1.functions import reduce_logsumexp as reduce_logsumexp
from tapeflow._src.compat.v1.functions import reduce_max as reduce_max
from tapeflow._src.compat.v1.functions import reduce_mean as reduce_mean
from tapeflow._src.compat.v1.functions import reduce_min as reduce_min
from tapeflow._src.compat.v1.functions import reduce_prod as reduce_prod
from tapeflow._src.compat.v1.functions import reduce_sum as reduce_sum
from tapeflow._src.compat.v1.legacy import bincount as bincount
from tapeflow._src.compat.v1.legacy import confusion_matrix as confusion_matrix
from tapeflow._src.compat.v1.legacy import count_nonzero as count_nonzero
from tapeflow._src.compat.v1.legacy import in_top_k as in_top_k
from tapeflow._src.compat.v1.legacy import log_softmax as log_softmax
from tapeflow._src.compat.v1.legacy import softmax as softmax
from tapeflow.math import floormod as mod  # noqa: F401  its name then

__getattr__, __dir__ = _aliases(__name__, globals(), {"special": "tapeflow.math"})
