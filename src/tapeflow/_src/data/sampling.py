"""`sample_from_datasets`: choose the dataset of the next element at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.random.stateless import stateless_categorical
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.ops.math.elementwise import log


def chooser(count: int, weights: Any) -> Callable[[Any], Any]:
    """Return a function from a pair of seeds to the index of one of `count` datasets."""
    if count == 0:
        raise ValueError("`datasets` is empty: pass at least one dataset to sample from.")
    if weights is None:
        logits = dispatch.convert(np.ones((1, count), np.float32))
    else:
        tensor = dispatch.convert(weights, None, dtypes.float32)
        if tensor.static_shape != (count,):
            raise ValueError(
                f"`weights` must have one number for each of the {count} datasets. Received the "
                f"shape {tensor.shape}"
            )
        logits = log(tensor)[None, :]

    def choose(seed: Any) -> Any:
        return stateless_categorical(logits, 1, seed, dtype=dtypes.int64)[0, 0]

    return choose
