"""`experimental_enable_numpy_behavior`: the switches of a process that make tensors like arrays.

They are the operators' promotion of dtypes, indexing with arrays, and NumPy's methods.
"""

from __future__ import annotations

from typing import Any

from tapeflow.core.tensor import Tensor
from tapeflow.experimental.numpy import indexing, linear_algebra
from tapeflow.experimental.numpy.lattice import PromoMode
from tapeflow.experimental.numpy.methods import METHODS
from tapeflow.experimental.numpy.promotion import policy, promote_as_numpy
from tapeflow.ops import operators

_MODES = {
    "off": PromoMode.NONE,
    "legacy": PromoMode.LEGACY,
    "safe": PromoMode.SAFE,
    "all": PromoMode.ALL,
}


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Make tensors behave like NumPy's arrays, in this process and from now on.

    prefer_float32: Python's floats are float32 on their own, not float64.
    dtype_conversion_mode: "legacy" has the operators promote dtypes as NumPy does, "all" and
    "safe" have every operation promote, "off" none.
    """
    mode = _MODES.get(dtype_conversion_mode)
    if mode is None:
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. Make sure the "
            f"provided dtype conversion mode is one of the followings: 'off', 'legacy', 'safe' or "
            f"'all'."
        )
    if mode in (PromoMode.SAFE, PromoMode.ALL):
        raise NotImplementedError(
            f"dtype_conversion_mode={dtype_conversion_mode!r} is not there yet: use 'legacy'."
        )
    policy.prefer_float32 = bool(prefer_float32)
    legacy = mode is PromoMode.LEGACY
    operators.behave(
        promote=promote_operands if legacy else None,
        matmul=linear_algebra.matmul if legacy else None,
        get_item=indexing.numpy_get_item,
    )
    for name, method in METHODS.items():
        setattr(Tensor, name, method)


def promote_operands(x: Any, y: Any) -> tuple[Any, ...]:
    """Both operands of an operator in the dtype that they have together."""
    return promote_as_numpy(x, y)
