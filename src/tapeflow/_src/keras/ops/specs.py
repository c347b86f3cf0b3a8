"""Output specs of element-wise ops, computed from shapes and dtypes without tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.promotion import result_type, to_tensor

Shape = tuple[int | None, ...]


def broadcast_shapes(first: Any, second: Any) -> list[int | None]:
    """The shape that two shapes broadcast to; None is a size that is not known."""
    first, second = list(first), list(second)
    rank = max(len(first), len(second))
    pairs = zip([1] * (rank - len(first)) + first, [1] * (rank - len(second)) + second)
    result: list[int | None] = []
    for a, b in pairs:
        if a == 1 or (a is None and b != 1):
            result.append(b)
        elif b == 1 or b is None or a == b:
            result.append(a)
        else:
            raise ValueError(
                f"Shapes must be equal, 1 or unknown axis by axis to broadcast. Received: "
                f"{tuple(first)} and {tuple(second)}"
            )
    return result


def _shape_and_dtype(x: Any, weak: bool) -> tuple[Any, Any]:
    if type(x) is int or type(x) is float:
        return (), type(x) if weak else ("int32" if type(x) is int else "float32")
    if not hasattr(x, "dtype"):
        x = to_tensor(x)
    return x.shape, x.dtype


def broadcast(
    *more: Any, dtype: str | None = None, weak: bool = True, boolean: str = "bool"
) -> Callable[..., Any]:
    """The output spec of an op that broadcasts its operands.

    Args:
        more: Dtypes that the operands are promoted with.
        dtype: The dtype of the result, whatever the operands are.
        weak: Whether Python numbers adapt to tensors.
        boolean: The dtype of the result of boolean operands.
    """

    def spec(self: Any, *operands: Any) -> Any:
        shape: list[int | None] = []
        dtypes: list[Any] = []
        for x in operands:
            own, kind = _shape_and_dtype(x, weak)
            shape = broadcast_shapes(shape, own)
            dtypes.append(kind)
        result = dtype or result_type(*dtypes, *more)
        return KerasTensor(shape, boolean if result == "bool" and not dtype else result)

    return spec
