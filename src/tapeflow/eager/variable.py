"""`Variable`: a name, a handle and a value that can change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from itertools import count
from typing import Any

import numpy as np

from tapeflow.core import dispatch
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.repr import variable_repr
from tapeflow.core.resource import Cell
from tapeflow.core.shape import TensorShape
from tapeflow.eager.tensor import DEVICE, EagerTensor
from tapeflow.ops import state
from tapeflow.ops.operators import Operators

_creation_index = count().__next__


class VariableSynchronization(Enum):
    """When the copies of a distributed variable are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(Enum):
    """How the copies of a distributed variable are brought together."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class Variable(Operators):
    """A value that can change, with a fixed dtype and shape.

    Reading gives a tensor, which keeps the value it was read with.
    """

    # NumPy must leave `array + variable` to the variable.
    __array_priority__ = 100

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified, as a value or as a "
                "function that gives one."
            )
        value = self._initial_tensor(initial_value, dtype)
        declared = value.shape if shape is None else TensorShape(shape)
        if not declared.is_compatible_with(value.shape):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is "
                f"not compatible with the explicitly supplied `shape` argument ({shape})."
            )
        self._name = dispatch.state.name_scope + (name or "Variable")
        self._trainable = True if trainable is None else bool(trainable)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._shape = declared
        self._dtype = value.dtype
        # The array may be shared with the tensor given: the first write in place copies it.
        dims = None if declared.rank is None else tuple(declared)
        self._cell = Cell(value._array, value.dtype, dims, self._name)
        self._handle: Any = EagerTensor(self._cell)  # type: ignore[arg-type]
        self._creation_index = _creation_index()

    @staticmethod
    def _initial_tensor(initial_value: Any, dtype: Any) -> Any:
        if callable(initial_value):
            initial_value = initial_value()
        try:
            return dispatch.convert(initial_value, dtype)
        except ValueError as error:
            raise ValueError(f"initial_value: {error}") from None

    # -- what it is --------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return f"{self._name}:0"

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def _dims(self) -> tuple[int | None, ...] | None:
        return self._cell.shape

    def get_shape(self) -> TensorShape:
        """The shape: the same as `.shape`."""
        return self._shape

    @property
    def handle(self) -> Any:
        """The tensor that stands for the variable itself, not for its value."""
        return self._handle

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function an optimizer applies to the value after each update."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        return self._aggregation

    @property
    def device(self) -> str:
        return DEVICE

    # -- reading -----------------------------------------------------------------------------

    def value(self) -> Any:
        """The value now, as a tensor."""
        if dispatch.state.recorders:
            dispatch.variable_accessed(self)
        return state.read_variable(self._handle, dtype=self._dtype)

    def read_value(self) -> Any:
        """The value now, as a tensor."""
        return self.value()

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if dtype is not None and as_dtype(dtype) is not self._dtype:
            raise ValueError(
                f"Incompatible type conversion requested to type {as_dtype(dtype).name!r} for "
                f"`tf.Variable of type {self._dtype.name!r}'. (Variable: {self!r})"
            )
        return self.value()

    def numpy(self) -> Any:
        """The value now, as a NumPy array of its own."""
        return self.value().numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.value().__array__(dtype, copy)

    # -- changing ----------------------------------------------------------------------------

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Give the variable a new value."""
        tensor = dispatch.convert(value, self._dtype)
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable "
                f"shape {self._shape}, and the assigned value shape {tensor.shape} are "
                f"incompatible."
            )
        state.assign_variable(self._handle, tensor)
        return self if read_value else None

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Add `delta` to the variable."""
        state.assign_add_variable(self._handle, dispatch.convert(delta, self._dtype))
        return self if read_value else None

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtract `delta` from the variable."""
        state.assign_sub_variable(self._handle, dispatch.convert(delta, self._dtype))
        return self if read_value else None

    # -- as an object ------------------------------------------------------------------------

    def __hash__(self) -> int:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __bool__(self) -> bool:
        return bool(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __complex__(self) -> complex:
        return complex(self.value())

    def __index__(self) -> int:
        return self.value().__index__()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __repr__(self) -> str:
        return variable_repr(self.name, self._shape, self._dtype.name, self._cell.array)
