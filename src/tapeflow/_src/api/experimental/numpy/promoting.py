"""`PromotingMode`: a mode that promotes the dtypes of operands before the mode below runs the op.

It wraps the eager mode and each tracing mode, which receive operands of one dtype and are not
aware of it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from tapeflow._src.api.experimental.numpy.lattice import Kind
from tapeflow._src.api.experimental.numpy.weak import (
    WeakTensor,
    is_python_number,
    is_weak,
    joined,
    kind_of,
    state,
    strengthen,
    weaken,
)
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import NotATensor
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.registry import Op
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.traits import KEEPS_WEAK, PROMOTES
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.eager.conversion import convert as eager_convert
from tapeflow._src.ops.math.arithmetic import real_div
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.extremes import maximum, minimum

# Those whose result is not weak, as TensorFlow has it.
_CHOOSING = (maximum, minimum)
# What integers are divided in.
_QUOTIENTS = dict.fromkeys(
    (dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.uint16, dtypes.bool), dtypes.float32
)


class PromotingMode:
    """Promotes operands and delegates to the mode `below`."""

    __slots__ = ("below",)

    def __init__(self, below: Any) -> None:
        object.__setattr__(self, "below", below)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.below, name, value)

    def convert(self, value: TensorLike, dtype: DTypeLike, hint: Any, name: str | None) -> Any:
        """Convert `value` to a tensor; a Python number is weak unless it has a name or a dtype."""
        if dtype is not None:
            return self._in_dtype(value, as_dtype(dtype), hint, name)
        if type(value) is WeakTensor:
            return value.tensor if name is None else value.to_tensor()
        if name is not None or not is_python_number(value):
            return self.below.convert(value, None, hint, name)
        if hint is not None:
            with suppress(TypeError, ValueError):
                return self.below.convert(value, hint, None, None)
        return strengthen(self.constant(value, None, None))

    def _in_dtype(self, value: Any, dtype: DType, hint: Any, name: str | None) -> Any:
        kind = kind_of(value) if _has_dtype(value) else None
        value = strengthen(value)
        if kind is None or kind[0] is dtype or name is not None or not dtype.is_numeric:
            return self.below.convert(value, dtype, hint, name)
        if not _promotes_to(kind, dtype):
            raise TypeError(
                f"{value} of {kind[0]!r} does not become {dtype!r} by itself in {state.mode}. A "
                f"variable keeps its dtype: cast the value with tf.cast."
            )
        return cast(self.below.convert(value, None, None, None), DstT=dtype)

    def constant(self, value: Any, dtype: Any, name: str | None) -> Any:
        """Create a constant; weak if it is of Python numbers and no dtype is requested."""
        if dtype is not None:
            return self._constant_in_dtype(value, as_dtype(dtype), name)
        if not is_python_number(value):
            return self.below.convert(value, None, None, name)
        # With an explicit dtype, so that a mode that delegates conversion gets no weak tensor back.
        own = eager_convert(value).dtype
        return weaken(self.below.convert(value, own, None, name))

    def _constant_in_dtype(self, value: Any, dtype: DType, name: str | None) -> Any:
        kind = kind_of(value) if _has_dtype(value) else None
        value = strengthen(value)
        if kind is None or kind[0] is dtype:
            return self.below.convert(value, dtype, None, name)
        if not _promotes_to(kind, dtype):
            raise TypeError(
                f"Expected dtype {dtype.name}, received a tensor of dtype {kind[0].name}: use "
                f"tf.cast. The tensor: {value}"
            )
        return cast(self.below.convert(value, None, None, name), DstT=dtype)

    def execute(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None = None
    ) -> Any:
        """Run `op` on promoted operands; the result of only weak operands is weak."""
        if PROMOTES in op.traits and len(inputs) == 2:
            inputs, weak = self._promoted(op, inputs)
        else:
            inputs, weak = self._converted(op, inputs)
        result = self.below.execute(op, inputs, attrs, name)
        return weaken(result) if weak and op.single_output else result

    def _promoted(self, op: Op, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool]:
        try:
            dtype, weak = joined(kind_of(inputs[0]), kind_of(inputs[1]))
        except (NotATensor, NotImplementedError):
            return inputs, False
        if op is real_div and (dtype.is_integer or dtype.is_bool):
            dtype = _QUOTIENTS.get(dtype, dtypes.float64)
        weak = weak and op not in _CHOOSING
        try:
            return tuple(self._cast(value, dtype) for value in inputs), weak
        except NotATensor:
            # The mode below dispatches to the composite.
            return tuple(map(strengthen, inputs)), False

    def _cast(self, value: TensorLike, dtype: DType) -> Any:
        value = strengthen(value)
        if isinstance(value, Tensor) or _has_dtype(value):
            tensor = self.below.convert(value, None, None, None)
            return tensor if tensor.dtype is dtype else cast(tensor, DstT=dtype)
        if dtype is dtypes.string:
            return self.below.convert(value, dtype, None, None)
        # Straight from Python's precision to that of the result.
        with np.errstate(all="ignore"):
            return self.below.convert(np.asarray(value).astype(dtype.np), None, None, None)

    def _converted(self, op: Op, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool]:
        """Convert the inputs to tensors; also return whether the result is weak."""
        if not all(isinstance(value, Tensor) for value in inputs):
            try:
                inputs = op.convert_inputs(inputs)
            except NotATensor:
                return inputs, False
        weak = KEEPS_WEAK in op.traits and bool(inputs) and is_weak(inputs[0])
        strong = [tuple(map(strengthen, v)) if type(v) is tuple else strengthen(v) for v in inputs]
        return tuple(strong), weak


def _has_dtype(value: TensorLike) -> bool:
    return type(value) is WeakTensor or isinstance(getattr(value, "dtype", None), DType)


def _promotes_to(kind: Kind, dtype: DType) -> bool:
    """Whether the promoted dtype is `dtype`."""
    try:
        return joined(kind, (dtype, False))[0] is dtype
    except (TypeError, NotImplementedError):
        return False


def promote_modes(on: bool) -> None:
    """Switch the promotion of the process's modes on or off."""
    dispatch.wrap_modes(_promoting if on else None)


def _promoting(mode: Any) -> PromotingMode:
    return mode if isinstance(mode, PromotingMode) else PromotingMode(mode)
