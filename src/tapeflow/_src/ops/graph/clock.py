"""The time now."""

from __future__ import annotations

import time

import numpy as np

from tapeflow._src.core.dtypes import float64
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import op


@op("Timestamp", infer=fixed((), float64), grad=None, effect="io", host="asks the clock")
def timestamp(xp):
    """Return the seconds since the epoch, as a float."""
    return np.array(time.time())
