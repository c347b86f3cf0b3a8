"""`experimental_enable_numpy_behavior`: process-wide switches that make tensors like arrays.

They are the operators' promotion of dtypes, indexing with arrays, and NumPy's methods.
"""

from __future__ import annotations

from tapeflow._src.api.experimental.numpy import indexing, linear_algebra, promoting, weak
from tapeflow._src.api.experimental.numpy.lattice import PromoMode
from tapeflow._src.api.experimental.numpy.methods import METHODS
from tapeflow._src.api.experimental.numpy.promotion import policy, promote, promote_operands
from tapeflow._src.api.scopes import get_logger
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops import operators

_MODES = {
    "off": PromoMode.NONE,
    "legacy": PromoMode.LEGACY,
    "safe": PromoMode.SAFE,
    "all": PromoMode.ALL,
}


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Make tensors behave like NumPy arrays, for the rest of the process.

    Args:
        prefer_float32: Whether Python floats are float32, rather than float64, by default.
        dtype_conversion_mode: "legacy": operators promote dtypes as NumPy does; "all" and "safe":
            every operation promotes; "off": none does.

    Returns:
        None.

    Raises:
        ValueError: If the mode is unknown.
    """
    mode = _MODES.get(dtype_conversion_mode)
    if mode is None:
        raise ValueError(
            "The dtype conversion mode must be 'off', 'legacy', 'safe' or 'all', received "
            f"{dtype_conversion_mode!r}."
        )
    policy.prefer_float32 = bool(prefer_float32)
    weak.state.mode = mode
    promoting.promote_modes(weak.enabled())
    if weak.enabled():
        get_logger().warning(
            "Every operation promotes dtypes from now on, but not those of functions traced "
            "before: call experimental_enable_numpy_behavior at the beginning of the program."
        )
    get_item = indexing.numpy_get_item
    if mode is PromoMode.LEGACY:
        operators.behave(promote_operands, matmul=linear_algebra.matmul, get_item=get_item)
    elif weak.enabled():
        # The other operators are operations that promote; these two convert what they compare.
        operators.behave(promote, ("eq", "ne"), get_item=get_item)
    else:
        operators.behave(get_item=get_item)
    for name, method in METHODS.items():
        setattr(Tensor, name, method)
        setattr(weak.WeakTensor, name, method)
