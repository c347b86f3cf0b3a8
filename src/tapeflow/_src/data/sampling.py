"""`sample_from_datasets`: choose the dataset of the next element at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.random.stateless import stateless_categorical
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.ops.math.elementwise import log


def as_weights(count: int, weights: Any) -> Any:
    """Return the weights of `count` datasets as a vector, equal ones for None.

    Raises:
        TypeError: if they are no floating-point numbers.
        ValueError: if they are not one number for each dataset.
    """
    if count == 0:
        raise ValueError("`datasets` is empty: pass at least one dataset to sample from.")
    if weights is None:
        return dispatch.convert(np.ones(count, np.float32))
    tensor = dispatch.convert(weights)
    require_weights(count, tensor.dtype, tensor.static_shape)
    return tensor


def require_weights(count: int, dtype: Any, dims: Any) -> None:
    """Raise unless weights of this dtype and shape are one number for each dataset."""
    if dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"`weights` must be of dtype tf.float32 or tf.float64. Received: {dtype.name}"
        )
    if dims is not None and dims != (count,):
        raise ValueError(
            f"`weights` must have one number for each of the {count} datasets. Received the shape "
            f"{dims}"
        )


def nonzero(weights: Any) -> list[int]:
    """Return the indices of the datasets that can be chosen, as far as that is known."""
    values = weights.static_value
    return list(range(weights.shape[0]) if values is None else np.flatnonzero(values).tolist())


def choose(weights: Any, seed: Any) -> Any:
    """Return a random index, with probabilities that are proportional to `weights`."""
    return stateless_categorical(log(weights)[None, :], 1, seed, dtype=dtypes.int64)[0, 0]


def chooser(weights: Any) -> Callable[[Any], Any]:
    """Return a function from a pair of seeds to the index of a dataset."""
    return lambda seed: choose(weights, seed)
