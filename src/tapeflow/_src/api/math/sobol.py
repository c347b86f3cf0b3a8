"""`tf.math.sobol_sample`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.math.sobol import sobol_sample as sobol_sample_op


@scoped("sobol")
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """Generate `num_results` points of the Sobol sequence in `dim` dimensions.

    The points fill the unit cube more evenly than random ones and are the same at every call.

    Args:
        dim: The number of dimensions.
        num_results: The number of points.
        skip: The number of points of the sequence to leave out first.
        dtype: float32 (the default) or float64.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[num_results, dim]` with values in [0, 1).

    Example:

        >>> tf.math.sobol_sample(2, 3).numpy().tolist()
        [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    return sobol_sample_op(dim, num_results, skip, dtype=dtype)
