"""`tf.constant`, `tf.convert_to_tensor` and related functions: convert Python values to tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.composite.ragged.kinds import Ragged
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core.dispatch import base_mode, convert, embedded, use_mode
from tapeflow._src.core.dispatch import constant as new_constant
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor, TensorBase
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.eager.variable import Variable
from tapeflow._src.graph.tensor import SymbolicTensor, is_symbolic, tracing
from tapeflow._src.ops.array.filling import fill
from tapeflow._src.ops.array.shape import identity, reshape, static_ints
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.indexed_slices import IndexedSlices


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Convert a Python, NumPy or tensor-like value to a `tf.Tensor`.

    Python ints become int32 (int64 if one is too large for that), floats float32, and NumPy arrays
    keep their dtype. Tensors are returned as they are.

    Args:
        value: A tensor, a NumPy array, a Python number, string or nested list, or an object with a
            registered conversion.
        dtype: The dtype of the result; an error if `value` cannot have it.
        dtype_hint: A dtype that is used if possible and ignored otherwise.
        name: A name for the tensor.

    Returns:
        A tensor. Inside of `tf.function` Python and NumPy values become constants of the graph.

    Raises:
        ValueError: `value` has no conversion to a tensor, is a tensor of another dtype than
            `dtype`, or a list whose rows differ in length.
        TypeError: `value` cannot be represented in `dtype`, such as 1.5 in int32.

    Example:

        >>> tf.convert_to_tensor([[1, 2], [3, 4]])
        <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
        array([[1, 2],
               [3, 4]], dtype=int32)>
        >>> tf.convert_to_tensor(3, dtype=tf.float32)
        <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
        >>> tf.convert_to_tensor(3, dtype_hint=tf.float32).dtype
        tf.float32
    """
    return convert(value, dtype, dtype_hint, name or "Const")


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """Create a constant tensor from Python or NumPy values.

    `tf.convert_to_tensor` does the same for values that may be tensors already; only `constant` can
    change the shape.

    Args:
        value: A number, a string, a nested list or an array.
        dtype: The dtype of the result; inferred from `value` by default.
        shape: The shape of the result, known in full; a single element is repeated to fill it.
        name: A name for the tensor.

    Returns:
        A tensor of shape `shape`, or of the shape of `value`.

    Raises:
        TypeError: `value` is a symbolic tensor, or has more than one element and does not fit
            `shape`.
        ValueError: `shape` has unknown sizes.

    Example:

        >>> tf.constant([1, 2, 3])
        <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
        >>> tf.constant([1, 2, 3, 4], shape=(2, 2)).numpy().tolist()
        [[1, 2], [3, 4]]
        >>> tf.constant(7, tf.int64, shape=(2, 2)).numpy().tolist()
        [[7, 7], [7, 7]]
    """
    if is_symbolic(value):
        raise TypeError(
            f"tf.constant expects a Python or NumPy value, received the tensor {value}, which has "
            "no value yet. Use tf.convert_to_tensor or tf.identity."
        )
    if shape is None:
        return _of_value(value, dtype, name)
    dims: Any = TensorShape(shape)
    if not dims.is_fully_defined():
        raise ValueError(f"tf.constant needs a shape that is known in full, got {dims}.")
    dims = tuple(dims)
    if not tracing() or math.prod(dims) > _LARGE:
        return _shaped(_of_value(value, dtype, name), dims, value)
    with use_mode(base_mode()):
        tensor = _shaped(_of_value(value, dtype, name), dims, value)
    return embedded(tensor, name)


# In a graph, a constant with more elements is computed when the graph runs.
_LARGE = 1 << 16


def _of_value(value: TensorLike, dtype: DTypeLike, name: str) -> Any:
    try:
        return new_constant(value, dtype, name)
    except ValueError:
        if isinstance(value, Tensor) and dtype is not None:
            raise TypeError(
                f"Expected dtype {as_dtype(dtype).name}, received a tensor of dtype "
                f"{value.dtype.name}: use tf.cast. The tensor: {value}"
            ) from None
        raise


def _shaped(tensor: Any, dims: tuple[int, ...], value: Any) -> Any:
    """Reshape the tensor of a constant to `dims`; repeat a single element."""
    if tensor.static_shape == dims:
        return tensor
    count, expected = math.prod(tensor.static_shape), math.prod(dims)
    if count == expected:
        return reshape(tensor, static_ints(dims))
    if count == 1:
        return fill(static_ints(dims), reshape(tensor, static_ints(())))
    raise TypeError(
        f"tf.constant: a value with {count} elements cannot take shape {dims}, which has "
        f"{expected}; only a single element fills any shape. Value: {value}."
    )


def is_tensor(x: Any) -> bool:
    """Return whether `x` is a tensor, a variable, or another type that ops accept as a tensor.

    Sparse and ragged tensors and `tf.IndexedSlices` count; NumPy arrays and lists do not, although
    ops convert them.

    Args:
        x: Any object.

    Returns:
        A bool.

    Example:

        >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(tf.Variable(1)), tf.is_tensor(np.array(1))
        (True, True, False)
    """
    if isinstance(x, (TensorBase, IndexedSlices, Ragged, SparseTensor)):
        return True
    # A tensor with a type of its own, such as one whose dtype is weak.
    return hasattr(x, "_type_spec") and hasattr(x, "__tf_tensor__")


def is_symbolic_tensor(tensor: Any) -> bool:
    """Return whether `tensor` belongs to a graph and has no value until the graph runs.

    Args:
        tensor: Any object.

    Returns:
        A bool: True for the tensors of a function that is being traced, False for eager tensors,
        variables and everything else.

    Example:

        >>> tf.is_symbolic_tensor(tf.constant(1))
        False
        >>> @tf.function
        ... def traced(x):
        ...     print(tf.is_symbolic_tensor(x))
        >>> traced(tf.constant(1))
        True
    """
    return isinstance(tensor, SymbolicTensor)


# The ops whose results `tf.get_static_value` computes. Programs ask it in order to choose between
# Python numbers and tensors: a value where TensorFlow returns None takes them down a path that has
# never been run. Captured tensors are placeholders.
_SHAPE_OPS = frozenset({"Rank", "Shape", "Size"})
_FOLDED = _SHAPE_OPS | {
    *("Cast", "Concat", "ConcatV2", "Const", "Equal", "Fill", "Identity", "NotEqual", "Pack"),
    *("Placeholder", "Range", "Split", "StopGradient", "Unpack"),
}


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Return the value of a tensor as a NumPy array if it is known without running ops, else None.

    In a graph that holds for constants and for what a few ops compute of them: shapes, ranges,
    casts, stacks, concatenations, comparisons for equality. Eager tensors always have a value;
    variables have none here.

    Args:
        tensor: A tensor. Anything else is returned unchanged.
        partial: Whether a stack of which only some parts are known is an array of objects, with
            None for the others.

    Returns:
        A NumPy array, a NumPy scalar for a tensor of rank 0, or None.

    Example:

        >>> tf.get_static_value(tf.constant([1, 2]))
        array([1, 2], dtype=int32)
        >>> @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
        ... def traced(x):
        ...     print(tf.get_static_value(x), tf.get_static_value(tf.stack([1, 2])))
        >>> traced(tf.constant([1]))
        None [1 2]
    """
    if (
        isinstance(tensor, SymbolicTensor)
        and tensor.static_value is not None
        and not _folds(tensor)
    ):
        return None
    return known_value(tensor, partial)


def _folds(tensor: SymbolicTensor) -> bool:
    """Whether a tensor is computed only by ops that `get_static_value` evaluates."""
    todo, seen = [tensor], set()
    while todo:
        node = todo.pop().op
        if node in seen:
            continue
        seen.add(node)
        if node.type not in _FOLDED:
            return False
        if node.type not in _SHAPE_OPS:
            todo.extend(node.inputs)
    return True


def known_value(tensor: TensorLike, partial: bool = False) -> Any:
    """Return the statically known value of a tensor, whichever op computes it, else None."""
    if isinstance(tensor, (Variable, IndexedSlices)):
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    value = tensor.static_value
    if value is None:
        return _stacked_parts(tensor) if partial and isinstance(tensor, SymbolicTensor) else None
    return value[()] if value.ndim == 0 else value.copy()


def _stacked_parts(tensor: SymbolicTensor) -> np.ndarray | None:
    """Return the static values of the inputs of a `Pack` op, None where unknown."""
    node = tensor.op
    while node.definition is identity:
        node = node.inputs[0].op
    if node.definition is not pack or node.attrs["axis"] != 0:
        return None
    return np.array([known_value(part, partial=True) for part in node.inputs], object)
