"""Functions whose arguments have been renamed, reordered or dropped since TensorFlow 1."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from tapeflow import math
from tapeflow._src.api import arrays, control_flow
from tapeflow._src.api.arrays import conversion
from tapeflow._src.api.control_flow import python_functions
from tapeflow._src.api.math import casting
from tapeflow._src.api.random import stateful
from tapeflow._src.compat.v1.graphs import GraphKeys, get_collection
from tapeflow._src.compat.v1.variables import global_variables, local_variables
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import Axis, DTypeLike, ShapeLike, TensorLike
from tapeflow._src.ops.array.select import select
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.indexed_slices import IndexedSlices


def _renamed_argument(name: str, value: Any, old_name: str, old: Any) -> Any:
    """Return an argument passed under either its new or its old name, but not both."""
    if old is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old


# -- reductions --------------------------------------------------------------------------------


def _reduction(new: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reduction that also accepts the old names of its arguments."""

    def reduce(
        input_tensor: TensorLike,
        axis: Axis | None = None,
        keepdims: Any = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Any:
        axis = _renamed_argument("axis", axis, "reduction_indices", reduction_indices)
        keep = _renamed_argument("keepdims", keepdims, "keep_dims", keep_dims)
        return new(input_tensor, axis, bool(keep), name=name)

    reduce.__name__ = reduce.__qualname__ = new.__name__
    reduce.__doc__ = new.__doc__
    return reduce


reduce_all = _reduction(math.reduce_all)
reduce_any = _reduction(math.reduce_any)
reduce_logsumexp = _reduction(math.reduce_logsumexp)
reduce_max = _reduction(math.reduce_max)
reduce_mean = _reduction(math.reduce_mean)
reduce_min = _reduction(math.reduce_min)
reduce_prod = _reduction(math.reduce_prod)
reduce_sum = _reduction(math.reduce_sum)


def argmax(
    input: TensorLike,
    axis: Axis | None = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: DTypeLike = dtypes.int64,
) -> Any:
    """Return the index of the maximum along an axis."""
    axis = _renamed_argument("axis", axis, "dimension", dimension)
    return math.argmax(input, axis, output_type, name)


def argmin(
    input: TensorLike,
    axis: Axis | None = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: DTypeLike = dtypes.int64,
) -> Any:
    """Return the index of the minimum along an axis."""
    axis = _renamed_argument("axis", axis, "dimension", dimension)
    return math.argmin(input, axis, output_type, name)


# -- arrays ------------------------------------------------------------------------------------


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Any:
    """Create a constant; with `verify_shape`, of exactly this shape."""
    result = conversion.constant(value, dtype, None if verify_shape else shape, name)
    if verify_shape and shape is not None and list(result.shape) != list(shape):
        raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {tuple(result.shape)}.")
    return result


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """Convert `value` to a tensor."""
    hint = _renamed_argument("dtype_hint", dtype_hint, "preferred_dtype", preferred_dtype)
    return conversion.convert_to_tensor(value, dtype, hint, name)


def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """Return the shape of a tensor."""
    return arrays.shape(input, dtypes.int32 if out_type is None else out_type, name)


def size(input: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """Return the number of elements of a tensor."""
    return arrays.size(input, dtypes.int32 if out_type is None else out_type, name)


def zeros_like(
    tensor: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> Any:
    """Create zeros with the shape of `tensor`."""
    return arrays.zeros_like(tensor, dtype, name)


def ones_like(
    tensor: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> Any:
    """Create ones with the shape of `tensor`."""
    return arrays.ones_like(tensor, dtype, name)


def expand_dims(
    input: TensorLike, axis: Axis | None = None, name: str | None = None, dim: Any = None
) -> Any:
    """Insert an axis of size 1."""
    axis = _renamed_argument("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("expand_dims needs `axis`: where to insert the new axis.")
    return arrays.expand_dims(input, axis, name)


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    """Remove axes of size 1."""
    axis = _renamed_argument("axis", axis, "squeeze_dims", squeeze_dims)
    if axis is not None and not isinstance(axis, (list, builtins.tuple)):
        axis = [axis]
    return arrays.squeeze(input, axis, name)


def transpose(
    a: TensorLike, perm: Any = None, name: str = "transpose", conjugate: bool = False
) -> Any:
    """Permute the axes of a tensor."""
    return arrays.transpose(a, perm, conjugate, name)


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Axis | None = None,
    batch_dims: int = 0,
) -> Any:
    """Gather slices of `params` along an axis."""
    return arrays.gather(params, indices, validate_indices, axis, batch_dims, name)


def pad(
    tensor: TensorLike,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Any:
    """Pad a tensor."""
    return arrays.pad(tensor, paddings, mode, constant_values, name)


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, name: str = "boolean_mask", axis: Axis | None = None
) -> Any:
    """Return the elements where the mask is true."""
    return arrays.boolean_mask(tensor, mask, axis, name)


# -- numbers -----------------------------------------------------------------------------------


def to_float(x: TensorLike, name: str = "ToFloat") -> Any:
    """Cast `x` to float32."""
    return casting.cast(x, dtypes.float32, name)


def to_double(x: TensorLike, name: str = "ToDouble") -> Any:
    """Cast `x` to float64."""
    return casting.cast(x, dtypes.float64, name)


def to_int32(x: TensorLike, name: str = "ToInt32") -> Any:
    """Cast `x` to int32."""
    return casting.cast(x, dtypes.int32, name)


def to_int64(x: TensorLike, name: str = "ToInt64") -> Any:
    """Cast `x` to int64."""
    return casting.cast(x, dtypes.int64, name)


def div(x: Any, y: Any, name: str | None = None) -> Any:
    """Divide; integers are rounded down."""
    x = convert(x)
    y = convert(y, None, x.dtype)
    return math.floordiv(x, y) if x.dtype.is_integer else math.divide(x, y)


def random_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draw numbers from a normal distribution."""
    return stateful.normal(shape, mean, stddev, dtype, seed, name)


def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draw numbers from a normal distribution truncated at two standard deviations."""
    return stateful.truncated_normal(shape, mean, stddev, dtype, seed, name)


def random_uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draw uniform numbers."""
    return stateful.uniform(shape, minval, maxval, dtype, seed, name)


def random_shuffle(value: Any, seed: Any = None, name: str | None = None) -> Any:
    """Shuffle a tensor along its first axis."""
    return stateful.shuffle(value, seed, name)


# -- control flow ------------------------------------------------------------------------------


def cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Any = None,
    fn2: Any = None,
) -> Any:
    """Call one of two functions; unpack a result list of one item, unless `strict`."""
    true_fn, false_fn = (
        _renamed_argument("true_fn", true_fn, "fn1", fn1),
        _renamed_argument("false_fn", false_fn, "fn2", fn2),
    )
    for function, what in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"'{what}' must be callable, got {function!r}.")
    result = control_flow.cond(pred, true_fn, false_fn, name)
    single = not strict and isinstance(result, (list, builtins.tuple)) and len(result) == 1
    return result[0] if single else result


def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeat `body` while `cond` holds.

    Unpack a list of one loop variable, unless requested otherwise.
    """
    result = control_flow.while_loop(
        cond,
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        name,
    )
    return result if return_same_structure or len(result) != 1 else result[0]


def tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> Any:
    """Return `tensors` with control dependencies on all of them and on `control_inputs`."""
    return control_flow.tuple(tensors, control_inputs, name)


def py_func(func: Any, inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
    """Call a Python function of NumPy arrays."""
    return python_functions.numpy_function(func, inp, Tout, stateful, name)


# -- choosing ----------------------------------------------------------------------------------


def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Return the coordinates of true elements, or `x` where `condition` holds and `y` elsewhere.

    Nothing is broadcast, but a vector of conditions chooses whole rows.
    """
    if x is None and y is None:
        return arrays.where(condition, name=name)
    if x is None or y is None:
        raise ValueError(f"where: expected both x and y, or neither. Received x={x!r} and y={y!r}.")
    return select(convert(condition, dtypes.bool), x, y, name=name)


def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    name: str | None = None,
    batch_dims: Any = 0,
    bad_indices_policy: str = "",
) -> Any:
    """Gather slices of `params` at the coordinates in the last axis of `indices`."""
    return arrays.gather_nd(params, indices, batch_dims, name, bad_indices_policy)


# -- variables ---------------------------------------------------------------------------------


def scatter_update(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replace rows of a variable."""
    return ref.scatter_update(IndexedSlices(convert(updates, ref.dtype), convert(indices)))


def scatter_add(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Add to rows of a variable."""
    return ref.scatter_add(IndexedSlices(convert(updates, ref.dtype), convert(indices)))


def report_uninitialized_variables(
    var_list: Any = None, name: str = "report_uninitialized_variables"
) -> Any:
    """Return the names of the variables that have no value yet."""
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    if not variables:
        return identity(conversion.constant([], dtypes.string))
    names = conversion.constant([v.name.partition(":")[0] for v in variables])
    empty = math.logical_not(arrays.stack([v.is_initialized() for v in variables]))
    return arrays.boolean_mask(names, empty)


def tables_initializer(name: str = "init_all_tables") -> Any:
    """Return an operation that runs the initializers of tables that the graph collects.

    Lookup tables of `tf.lookup` have their entries from the beginning and are not among them.
    """
    return control_flow.group(*get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)
