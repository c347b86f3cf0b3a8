"""`WeakTensor`: a tensor with a weak dtype, which yields to explicit dtypes in promotion.

Where every operation promotes, Python numbers become weak tensors, and so do results of weak
operands alone. Operations that do not promote use the tensor inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

import numpy as np

from tapeflow._src.api.experimental.numpy.lattice import Kind, PromoMode, join
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.operators import Operators


class _State:
    """How the operations of the process promote."""

    mode = PromoMode.NONE


state = _State()


def enabled() -> bool:
    """Whether every operation promotes."""
    return state.mode in (PromoMode.SAFE, PromoMode.ALL)


# The tensors whose dtypes are weak, by identity: where a weak tensor is converted to a tensor on
# its way into an operation, that is one of these.
_marks: dict[int, ref[Any]] = {}


def marked(tensor: TensorLike) -> Any:
    """Mark `tensor` as having a weak dtype and return it."""
    key = id(tensor)
    _marks[key] = ref(tensor, lambda _: _marks.pop(key, None))
    return tensor


def is_weak(value: TensorLike) -> bool:
    """Whether `value` is a tensor whose dtype is weak."""
    return type(value) is WeakTensor or id(value) in _marks


class _Gradient:
    """Tapes watch the tensor inside a weak tensor; its gradient is weak again."""

    @staticmethod
    def get_gradient_components(value: WeakTensor) -> Any:
        return value.tensor

    @staticmethod
    def replace_gradient_components(value: WeakTensor, components: Any) -> Any:
        # The gradient may be another source's, too, which is not weak.
        return None if components is None else WeakTensor(identity(components))


class WeakTensor(Operators):
    """A tensor with a weak dtype; other attributes are those of the tensor inside."""

    __array_priority__ = 100
    __composite_gradient__ = _Gradient

    def __init__(self, tensor: TensorLike) -> None:
        self.tensor = marked(tensor)

    @property
    def dtype(self) -> DType:
        return self.tensor.dtype

    @property
    def shape(self) -> TensorShape:
        return self.tensor.shape

    @property
    def _value_tensor(self) -> Any:
        return self.tensor

    # Tapes know it as the tensor.
    @property
    def _id(self) -> Any:
        return self.tensor._id

    @_id.setter
    def _id(self, token: Any) -> None:
        self.tensor._id = token

    @property
    def _type_spec(self) -> WeakTensorSpec:
        return WeakTensorSpec(self.shape, self.dtype)

    def to_tensor(self) -> Any:
        """Return the tensor inside, whose dtype is strong."""
        return identity(self.tensor)

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        return dispatch.convert(self.tensor, dtype)

    def __getattr__(self, name: str) -> Any:
        if name == "tensor":  # not there yet, as in copies being made
            raise AttributeError(name)
        return getattr(self.tensor, name)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        return self.tensor.__array__(dtype, copy)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __complex__(self) -> complex:
        return complex(self.tensor)

    def __index__(self) -> int:
        return self.tensor.__index__()

    def __len__(self) -> int:
        return len(self.tensor)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tensor)

    def __hash__(self) -> int:
        return hash(self.tensor)

    def __copy__(self) -> WeakTensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> WeakTensor:
        return WeakTensor(self.tensor)

    def __reduce__(self) -> Any:
        return WeakTensor, (self.tensor,)

    def __format__(self, spec: str) -> str:
        return format(self.tensor, spec)

    def __repr__(self) -> str:
        return f"{repr(self.tensor)[:-1]}, weak=True>"

    def __str__(self) -> str:
        return f"{str(self.tensor)[:-1]}, weak=True)"


class WeakTensorSpec(TypeSpec):
    """The type spec of weak tensors."""

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)

    @property
    def value_type(self) -> type:
        return WeakTensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec(self._shape, self._dtype)

    def _batch(self, size: int | None) -> WeakTensorSpec:
        return WeakTensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> WeakTensorSpec:
        return WeakTensorSpec(self._shape[1:], self._dtype)

    def _to_components(self, value: WeakTensor) -> Any:
        return value.tensor

    def _from_components(self, components: Any) -> WeakTensor:
        return WeakTensor(components)


nest.register_composite(
    WeakTensor, lambda weak: (weak.tensor,), lambda weak, parts: WeakTensor(*parts)
)


def weaken(tensor: Any) -> Any:
    """Wrap `tensor` as a weak one; booleans and strings stay as they are."""
    if isinstance(tensor, WeakTensor) or not tensor.dtype.is_numeric:
        return tensor
    return WeakTensor(tensor)


def strengthen(value: TensorLike) -> Any:
    """Return the tensor inside a weak tensor; anything else unchanged."""
    return value.tensor if type(value) is WeakTensor else value


# -- the dtypes of operands --------------------------------------------------------------------

_PYTHON: dict[type, Kind] = {
    bool: (dtypes.bool, False),
    int: (dtypes.int32, True),
    float: (dtypes.float32, True),
    complex: (dtypes.complex128, True),
}


def is_python_number(value: TensorLike) -> bool:
    """Whether `value` is a Python number or a nested list of them."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(is_python_number, value))
    return type(value) in (int, float, complex)


def kind_of(value: Any) -> Kind:
    """Return the dtype of an operand or dtype, and whether it is weak."""
    if is_weak(value):
        return value.dtype, True
    own = getattr(value, "dtype", None)
    if isinstance(own, DType):
        return own, False
    if isinstance(value, (list, tuple)) and value:
        return joined(*map(kind_of, value))
    dtype = _PYTHON.get(type(value))
    if dtype is not None:
        return dtype
    if isinstance(value, (np.ndarray, np.generic)):
        return as_dtype(value.dtype), False
    if isinstance(value, (DType, np.dtype, type)):
        return as_dtype(value), False
    return dispatch.convert(value).dtype, False


def joined(*kinds: Kind) -> Kind:
    """Return the promoted dtype of several."""
    result = kinds[0]
    for kind in kinds[1:]:
        result = join(result, kind, state.mode)
    return result


def result_type(*values: Any) -> DType:
    """Return the promoted dtype of operands, dtypes and Python numbers."""
    return joined(*map(kind_of, values))[0] if values else dtypes.float32
