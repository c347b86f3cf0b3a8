"""Names of `tensorflow.python.framework.ops` and related modules besides public functions."""

from __future__ import annotations

from itertools import count
from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor, known_value
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.gradients.custom import custom_gradient

_uids = count()


def uid() -> int:
    """Return a number that no other call in this process returns."""
    return next(_uids)


def name_from_scope_name(name: str) -> str:
    """Return the name of a scope without the slash at its end."""
    return name[:-1] if name.endswith("/") else name


def convert_to_tensor_or_composite(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Return a composite tensor as it is, anything else as a tensor."""
    if isinstance(value, Composite):
        return value
    return convert_to_tensor(value, dtype, name=name)


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Return the shape that a tensor of sizes stands for, as far as it is known."""
    value = known_value(tensor, partial=True)
    if value is None:
        return TensorShape([None] * tensor.shape[0] if tensor.shape.rank == 1 else None)
    return TensorShape([None if size is None or size == -1 else int(size) for size in value])


def prevent_gradient(input: TensorLike, message: str = "", name: str | None = None) -> Any:
    """Return the input, as a tensor that cannot be differentiated."""

    @custom_gradient
    def compute(x: TensorLike) -> Any:
        def refuse(upstream: Any) -> Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message}")

        return x, refuse

    return compute(input)
