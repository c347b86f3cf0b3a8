"""`KerasTensor`: a shape and a dtype that stand for a value while a model is put together.

It remembers which call of which operation gave it. Python's operators on it are
those of `keras.ops`, which is loaded when one is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.scopes import calls
from tapeflow._src.keras.utils.naming import auto_name

_IS_SYMBOLIC = (
    "A KerasTensor is symbolic: while a model is being defined it has a shape and a dtype, but no "
    "values to convert to {}. Use `keras.ops`, tf functions or a `keras.layers.Lambda` in the "
    "model, and call the model on data to compute values."
)
_NO_TENSOR = (
    "TensorFlow functions need values, and a KerasTensor has none while a model is being defined: "
    "it can be passed to Keras layers and used with Python's operators. Received: {}\n"
    "For a single expression, write\n\n"
    "    x = tf.keras.layers.Lambda(tf_fn)(x)\n\n"
    "or apply the function in the `call` of a subclass of `tf.keras.layers.Layer`, which can have "
    "weights and be saved."
)

_ops = LazyModule("tapeflow.keras.ops")
_op_control_flow = LazyModule("tapeflow._src.keras.op_control_flow")
_op_tensors = LazyModule("tapeflow._src.keras.op_tensors")
_tf_functions = LazyModule("tapeflow._src.keras.tf_functions")
_mask_passing = LazyModule("tapeflow._src.keras.layers.mask_passing")


class DTypeName(str):
    """The name of a dtype, with the attribute `name` that dtypes have in Keras 2."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name as a plain string."""
        return str(self)


def _binary(name: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: getattr(_ops, name)(self, other)


def _reflected(name: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: getattr(_ops, name)(other, self)


def _unary(name: str) -> Callable[[Any], Any]:
    return lambda self: getattr(_ops, name)(self)


def standardize_shape(shape: Any) -> tuple[int | None, ...]:
    """A shape as a tuple of sizes, with None for those that are not known."""
    if shape is None:
        raise ValueError("Undefined shapes are not supported.")
    if isinstance(shape, tf.TensorShape):
        if shape.rank is None:
            raise ValueError("Undefined shapes (of unknown rank) are not supported.")
        return tuple(shape.as_list())
    if not hasattr(shape, "__iter__"):
        raise ValueError(f"Cannot convert '{shape}' to a shape.")
    dims = []
    for size in shape:
        if size is not None and not hasattr(size, "__index__"):
            raise ValueError(
                f"Cannot convert '{shape}' to a shape: a dimension is an integer, or None if "
                f"unknown. Received the dimension {size!r} of type {type(size).__name__}"
            )
        if size is not None and size < 0:
            raise ValueError(
                f"Cannot convert '{shape}' to a shape: the dimension {size} is negative. Use None "
                f"for a size that is not known yet."
            )
        dims.append(None if size is None else int(size))
    return tuple(dims)


class StaticShape(tuple[Any, ...]):
    """The sizes of a KerasTensor: a tuple, with what shapes have in Keras 2 besides."""

    __slots__ = ()

    def as_list(self) -> list[int | None]:
        """Return the sizes as a list."""
        return list(self)

    @property
    def rank(self) -> int:
        return len(self)

    @property
    def ndims(self) -> int:
        return len(self)

    def is_fully_defined(self) -> bool:
        """Whether all sizes are known."""
        return None not in self

    def num_elements(self) -> int | None:
        """Return the number of elements; None if a size is unknown."""
        return math.prod(self) if self.is_fully_defined() else None

    def __getitem__(self, index: Any) -> Any:
        sizes = tuple.__getitem__(self, index)
        return StaticShape(sizes) if isinstance(index, slice) else sizes

    def __reduce__(self) -> Any:
        return tuple, (tuple(self),)


class KerasTensor:
    """Symbolic tensor: the shape and dtype of a layer's future output.

    `keras.Input` creates the first ones; layers, `keras.ops` and Python's operators create others
    from them, and record how. It has no value: converting it to an array raises.

    Args:
        shape: Shape with the batch axis; None for sizes that vary.
        dtype: Dtype of the values.
        sparse: Whether it stands for a `tf.SparseTensor`.
        ragged: Whether it stands for a `tf.RaggedTensor`.
        record_history: Whether calls on it are recorded.
        name: Name; None for a new one.
        ragged_rank: Number of ragged axes.
        row_splits_dtype: Dtype of the row splits of a ragged tensor.

    Raises:
        ValueError: It is both sparse and ragged, or the shape is invalid.

    Example:
        >>> x = tf.keras.Input((3,))
        >>> (x * 2).shape
        (None, 3)
    """

    # NumPy must leave `array + tensor` to the tensor.
    __array_priority__ = 1000
    # Of a tensor that was read from a file: the names of what gave it.
    _saved_history: Any = None
    # Of a comparison `x == y`: whether `x` is `y`.
    _tpf_same: bool | None = None

    def __init__(
        self,
        shape: Any,
        dtype: Any = "float32",
        sparse: bool = False,
        ragged: bool = False,
        record_history: bool = True,
        name: str | None = None,
        *,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = None,
    ) -> None:
        if sparse and ragged:
            raise ValueError("A KerasTensor is either sparse or ragged. Received both as True.")
        self._shape = StaticShape(standardize_shape(shape))
        self._dtype = DTypeName(standardize_dtype(dtype))
        self._sparse = bool(sparse)
        self._ragged = bool(ragged)
        self._ragged_rank = None if ragged_rank is None else int(ragged_rank)
        self._row_splits_dtype = (
            None if row_splits_dtype is None else standardize_dtype(row_splits_dtype)
        )
        self.name = name or auto_name("keras_tensor")
        self.record_history = record_history
        # (operation, number of its call, number of the output); set by the call.
        self._keras_history: Any = None

    @property
    def shape(self) -> tuple[int | None, ...]:
        return self._shape

    @property
    def dtype(self) -> str:
        return self._dtype

    @property
    def sparse(self) -> bool:
        return self._sparse

    @property
    def ragged(self) -> bool:
        return self._ragged

    # -- of Keras 2 --------------------------------------------------------------------------

    is_tensor_like = True

    def get_shape(self) -> Any:
        """Return the shape, as a `tf.TensorShape`."""
        return tf.TensorShape(self._shape)

    def set_shape(self, shape: Any) -> None:
        """Take over the sizes of `shape` that are unknown so far.

        Args:
            shape: Shape of the same rank, with None for sizes that stay as they are.

        Raises:
            ValueError: The shapes are incompatible.

        Example:
            >>> x = tf.keras.KerasTensor((None, 3))
            >>> x.set_shape((8, None))
            >>> x.shape
            (8, 3)
        """
        merged = tf.TensorShape(self._shape).merge_with(shape)
        self._shape = StaticShape(standardize_shape(merged))

    @property
    def type_spec(self) -> Any:
        """The spec of the tensors that it stands for."""
        if self._sparse:
            return tf.SparseTensorSpec(self._shape, self._dtype)
        if self._ragged:
            return tf.RaggedTensorSpec(self._shape, self._dtype)
        return tf.TensorSpec(self._shape, self._dtype, name=self.name)

    @property
    def node(self) -> Any:
        """The call of a layer that gave it."""
        history = self._keras_history
        return history.operation._inbound_nodes[history.node_index]

    @property
    def ragged_rank(self) -> int | None:
        """The number of ragged axes, if it was passed."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> str | None:
        """The dtype of the row splits, if it was passed."""
        return self._row_splits_dtype

    def __getattr__(self, name: str) -> Any:
        # Of sparse and ragged tensors: `values`, `indices`, `row_splits`, ...
        if name.startswith("_") or not (self._sparse or self._ragged):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return _tf_functions.member_of(self, name)

    @property
    def _keras_mask(self) -> Any:
        """The mask that the tensor will have, as a tensor that models can compute with."""
        return _mask_passing.connected_mask(self)

    @_keras_mask.setter
    def _keras_mask(self, mask: Any) -> None:
        self.__dict__["_keras_mask"] = mask

    @_keras_mask.deleter
    def _keras_mask(self) -> None:
        self.__dict__.pop("_keras_mask", None)

    @property
    def ndim(self) -> int:
        return len(self._shape)

    @property
    def T(self) -> Any:
        """The tensor with its axes in the reverse order."""
        return _ops.transpose(self)

    def reshape(self, *shapes: Any, newshape: Any = None) -> Any:
        """Return the tensor with another shape.

        Args:
            *shapes: Sizes with the batch, or one tuple of them; -1 for one that is inferred.
            newshape: The shape, instead of `shapes`.

        Returns:
            A KerasTensor.

        Example:
            >>> tf.keras.KerasTensor((2, 6)).reshape(2, 3, 2).shape
            (2, 3, 2)
        """
        if newshape is not None:
            return _ops.reshape(self, newshape)
        shape = shapes[0] if len(shapes) == 1 else shapes
        return _ops.reshape(self, shape)

    def squeeze(self, axis: Any = None) -> Any:
        """Return the tensor without axes of size 1.

        Args:
            axis: Axis or axes to remove; None for all of size 1.

        Returns:
            A KerasTensor.

        Example:
            >>> tf.keras.KerasTensor((2, 1, 6)).squeeze(1).shape
            (2, 6)
        """
        return _ops.squeeze(self, axis)

    def __repr__(self) -> str:
        if is_keras_2():
            made_by = self.name if self._keras_history is None else self._keras_history[0].name
            return (
                f"<KerasTensor: shape={self.shape} dtype={self.dtype} "
                f"(created by layer '{made_by}')>"
            )
        return (
            f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse={self.sparse}, "
            f"ragged={self.ragged}, name={self.name}>"
        )

    # -- what it has not: a value ------------------------------------------------------------

    @property
    def _plain(self) -> KerasTensor:
        """The tensor itself: see `OpTensor`."""
        return self

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if calls.captures is not None:
            return calls.captures.value_of(self)
        if not tf.executing_eagerly():
            raise ValueError(_NO_TENSOR.format(self))
        return _op_tensors.OpTensor(self)

    def __tf_control_flow__(self, function: Any, args: Any, kwargs: Any) -> Any:
        return _op_control_flow.deferred(function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise ValueError(_IS_SYMBOLIC.format("a NumPy array"))

    def __int__(self) -> int:
        raise ValueError(_IS_SYMBOLIC.format("an int"))

    def __float__(self) -> float:
        raise ValueError(_IS_SYMBOLIC.format("a float"))

    def __bool__(self) -> bool:
        if self._tpf_same is not None:
            return self._tpf_same
        raise TypeError(
            "A KerasTensor has no value yet, so it is neither true nor false. Move the condition "
            "into a layer's `call` and use `tf.where` or `tf.cond` there."
        )

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(
            "A KerasTensor has no values to iterate over. Use `tf.unstack` in a layer's `call`, "
            "or index it: `x[:, 0]`."
        )

    # -- operators ---------------------------------------------------------------------------

    def __eq__(self, other: Any) -> Any:
        # Programs compare arguments with names and None before they know what they received.
        if other is None or isinstance(other, str):
            return False
        try:
            result = _ops.equal(self, other)
        except ValueError:  # as for tensors, the shapes do not broadcast
            return False
        # Where Python itself asks, as for `x in tensors`, tensors are equal if they are the same.
        result._tpf_same = self is other
        return result

    __hash__ = object.__hash__
    __add__, __radd__ = _binary("add"), _reflected("add")
    __sub__, __rsub__ = _binary("subtract"), _reflected("subtract")
    __mul__, __rmul__ = _binary("multiply"), _reflected("multiply")
    __matmul__, __rmatmul__ = _binary("matmul"), _reflected("matmul")
    __truediv__, __rtruediv__ = _binary("true_divide"), _reflected("true_divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide"), _reflected("floor_divide")
    __mod__, __rmod__ = _binary("mod"), _reflected("mod")
    __pow__, __rpow__ = _binary("power"), _reflected("power")
    __and__, __rand__ = _binary("logical_and"), _reflected("logical_and")
    __or__, __ror__ = _binary("logical_or"), _reflected("logical_or")
    __xor__, __rxor__ = _binary("logical_xor"), _reflected("logical_xor")
    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __ne__ = _binary("not_equal")  # type: ignore[assignment]
    __getitem__ = _binary("get_item")
    __neg__, __abs__, __invert__ = _unary("negative"), _unary("absolute"), _unary("logical_not")


def is_keras_tensor(x: Any) -> bool:
    """Return whether `x` is a KerasTensor.

    Args:
        x: Any value.

    Returns:
        A bool.

    Example:
        >>> tf.keras.utils.is_keras_tensor(tf.keras.Input((3,)))
        True
    """
    return isinstance(x, KerasTensor)
