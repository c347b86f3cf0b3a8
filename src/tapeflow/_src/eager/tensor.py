"""`EagerTensor`: a concrete value, in an immutable NumPy array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import FROM_NUMPY, DType
from tapeflow._src.core.removed_names import attribute_hint
from tapeflow._src.core.repr import tensor_repr, tensor_str
from tapeflow._src.core.resource import Cell
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import ShapeLike
from tapeflow._src.ops.operators import Operators

_state = dispatch.state
DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


class Placed:
    """A value on the first device, unless a block of `tf.device` placed it elsewhere."""

    __slots__ = ()

    _device = DEVICE

    @property
    def device(self) -> str:
        return self._device


class EagerTensor(Operators, Placed, Tensor):
    """A tensor with a value.

    The array is shared freely between tensors (`reshape` copies nothing), so it is never exposed
    writable: `numpy()` copies, `np.asarray(tensor)` returns a read-only view.
    """

    # The public path in TensorFlow; `eager.ops` has the class too.
    __module__ = "tapeflow._src.eager.ops"

    # Users may set attributes of their own on a tensor, as Keras does.
    __slots__ = ("__dict__", "__weakref__", "_array", "_id", "_packed")
    # Its strings in packed form, of tensors that have one (`eager.packed_tensor`).
    _packed: Any

    def __init__(self, array: np.ndarray) -> None:
        self._array: Any = array
        self._id: Any = None

    # -- properties --------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        return FROM_NUMPY[self._array.dtype]

    @property
    def shape(self) -> TensorShape:
        array = self._array
        # A handle is a scalar, whatever the shape of what it refers to.
        return TensorShape._from_tuple(() if isinstance(array, Cell) else array.shape)

    @property
    def static_shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def static_value(self) -> Any:
        return self._array

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def backing_device(self) -> str:
        return self._device

    @property
    def is_packed(self) -> bool:
        return False

    def set_shape(self, shape: ShapeLike) -> None:
        """Check that `shape` is compatible; the shape of a value is fixed."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with {shape}.")

    def _unavailable(self, attribute: str) -> AttributeError:
        return AttributeError(
            f"Tensor.{attribute} is not defined: an eager tensor has a value, but no graph. It is "
            "available inside tf.function."
        )

    @property
    def name(self) -> str:
        raise self._unavailable("name")

    @property
    def op(self) -> Any:
        raise self._unavailable("op")

    @property
    def graph(self) -> Any:
        raise self._unavailable("graph")

    @property
    def value_index(self) -> int:
        raise self._unavailable("value_index")

    def consumers(self) -> Any:
        raise NotImplementedError(
            "Tensor.consumers is not defined: an eager tensor has a value, but no graph."
        )

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        raise NotImplementedError(
            "Tensor.eval needs a graph and a session; an eager tensor has its value already: use "
            "numpy()."
        )

    # -- value -------------------------------------------------------------------------------

    def numpy(self) -> Any:
        """Return a copy of the value: a NumPy array or scalar (bytes for a string scalar)."""
        array = self._array
        if self._id is not None and _state.recorders:
            _report_exit(self, "numpy()")
        if type(array) is not np.ndarray:
            raise NotImplementedError(
                f"numpy() is not available: a {self.dtype.name} tensor holds a handle, not a value."
            )
        if array.ndim == 0:
            return array[()]
        return array.copy()

    # Libraries use TensorFlow's private name, under which it may share memory.
    _numpy = numpy

    def _readonly(self) -> np.ndarray:
        view = self._array.view()
        view.flags.writeable = False
        return view

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self._id is not None and _state.recorders:
            _report_exit(self, "NumPy")
        if copy:
            return np.array(self._array, dtype=dtype)
        if dtype is not None and np.dtype(dtype) != self._array.dtype:
            if copy is False:
                raise ValueError(f"A {self.dtype.name} tensor cannot be seen as {dtype} uncopied.")
            return self._array.astype(dtype)
        return self._readonly()

    def __dlpack__(self, **options: Any) -> Any:
        # A consumer may write to the array: it gets its own copy.
        return self._array.copy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    def __bool__(self) -> bool:
        array = self._array
        if array.size > 1:
            raise ValueError(
                f"The truth value of a tensor of shape {self.shape} is ambiguous: it has "
                f"{array.size} elements. Use tf.reduce_any(x) or tf.reduce_all(x) in a condition, "
                f"or tf.where(x, a, b) to choose element by element."
            )
        return bool(array) if array.size else False

    def __int__(self) -> int:
        if self._id is not None and _state.recorders:
            _report_exit(self, "int()")
        return int(self._number())

    def __float__(self) -> float:
        if self._id is not None and _state.recorders:
            _report_exit(self, "float()")
        return float(self._number())

    def __complex__(self) -> complex:
        return complex(self._scalar())

    def __index__(self) -> int:
        return self._scalar().__index__()

    def _scalar(self) -> Any:
        if self._array.ndim:
            raise TypeError(
                "A Python number needs a tensor with one element and no axes, received shape "
                f"{self.shape}: index it, or reduce it first."
            )
        return self._array

    def _number(self) -> Any:
        """Return the value for `int` and `float`; warn of a dropped imaginary part."""
        array = self._scalar()
        return array[()] if array.dtype.kind == "c" else array

    def __round__(self, ndigits: int = 0) -> Any:
        return np.round(self._array, ndigits)

    def __format__(self, spec: str) -> str:
        if type(self._array) is not np.ndarray:
            return format(repr(self._array), spec)
        return format(self._array if self._array.ndim else self._array[()], spec)

    # -- as a sequence -----------------------------------------------------------------------

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return self._array.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self._array.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(self._array.shape[0]))

    # -- as an object ------------------------------------------------------------------------

    def __hash__(self) -> int:
        raise TypeError(
            "Tensor is unhashable, because == compares values. Use tensor.ref() as a key."
        )

    def __copy__(self) -> EagerTensor:
        return self

    def _twin(self) -> EagerTensor:
        return EagerTensor(self._array)

    def __deepcopy__(self, memo: dict[int, Any]) -> EagerTensor:
        return EagerTensor(self._array)

    def __reduce__(self) -> Any:
        return _unpickle, (self._array, self.dtype)

    def __repr__(self) -> str:
        if type(self._array) is not np.ndarray:
            return f"<tf.Tensor: shape=(), dtype={self.dtype.name}, value={self._array!r}>"
        return tensor_repr(self._array, self.dtype.name, self.static_shape)

    def __str__(self) -> str:
        if type(self._array) is not np.ndarray:
            return f"tf.Tensor({self._array!r}, shape=(), dtype={self.dtype.name})"
        return tensor_str(self._array, self.dtype.name, self.static_shape)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_GRAPHS:  # a property that has raised ends up here
            raise self._unavailable(name)
        hint = attribute_hint("Tensor", name) or "."
        missing = f"'EagerTensor' object has no attribute {name!r}{hint}"
        if name in _OF_ARRAYS:
            missing += (
                " If you are looking for NumPy's methods, call "
                "tf.experimental.numpy.experimental_enable_numpy_behavior() first."
            )
        raise AttributeError(missing.rstrip("."), name=name, obj=self)

    def cpu(self) -> EagerTensor:
        """Return the tensor on the CPU, where it already is."""
        return self


_OF_GRAPHS = ("name", "op", "graph", "value_index")
# Attributes that tensors have only with NumPy behaviour.
_OF_ARRAYS = frozenset(
    {
        *("T", "astype", "clip", "data", "flatten", "max", "mean", "min", "ravel", "reshape"),
        *("size", "tolist", "transpose"),
    }
)


def _report_exit(tensor: EagerTensor, how: str) -> None:
    """Notify the tapes that follow a tensor that its value goes to NumPy or Python."""
    for recorder in dispatch.state.recorders:
        recorder.left(tensor, how)


def _unpickle(array: np.ndarray, dtype: DType) -> EagerTensor:
    return EagerTensor(array.astype(dtype.np, copy=False))
