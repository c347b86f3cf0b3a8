"""`tf.compat.v1.random`: random numbers, with signatures of TensorFlow 1 where they differ."""

from __future__ import annotations

from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.graphs import set_random_seed as set_random_seed
from tapeflow._src.compat.v1.legacy import get_seed as get_seed
from tapeflow._src.compat.v1.legacy import multinomial as multinomial
from tapeflow._src.compat.v1.legacy import random_poisson as poisson  # noqa: F401
from tapeflow._src.compat.v1.legacy import stateless_multinomial as stateless_multinomial

__getattr__, __dir__ = _aliases(__name__, globals(), {"experimental": "tapeflow.random"})
