"""`tf.math.sobol_sample`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.math.sobol import sobol_sample as sobol_sample_op


@scoped("sobol")
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Generate `num_results` points of the Sobol sequence in `dim` dimensions."""
    return sobol_sample_op(dim, num_results, skip, dtype=dtype)
