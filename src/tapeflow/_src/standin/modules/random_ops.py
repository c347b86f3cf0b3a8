"""`tensorflow.python.ops.random_ops`: random numbers beside the public functions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.api.random.stateful import op_seeds, shape_tensor
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.types import DTypeLike, ShapeLike
from tapeflow._src.ops.random import stateful as random


def parameterized_truncated_normal(
    shape: ShapeLike,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return normal numbers within bounds, with parameters for each leading index."""
    parameters = [convert_to_tensor(each, dtype) for each in (means, stddevs, minvals, maxvals)]
    sizes, seeds = shape_tensor(shape), op_seeds(seed)
    return random.parameterized_truncated_normal(sizes, *parameters, name=name, **seeds)
