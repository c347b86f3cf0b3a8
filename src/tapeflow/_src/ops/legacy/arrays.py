"""Joining, taking, reversing, sorting and adding, as ops did it before."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import NUMERIC, REAL
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape, require_rank, same_as
from tapeflow._src.core.registry import UNREGISTERED, Bool, Index, InferError, Many, Static, op
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import INHERITS_NUMERICS
from tapeflow._src.ops.array.common import scalar_int
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.legacy.renaming import infer, run, static_spec
from tapeflow._src.ops.math.sorting import in_top_k_v2, top_k_v2
from tapeflow._src.ops.nn.bias import bias_add, bias_add_grad

_FIRST = np.array(0, np.int32)


@op("Concat", traits=(INHERITS_NUMERICS,))
def concat(xp, concat_dim: Static, values: Many):
    """Concatenate tensors along an axis."""
    return run(concat_v2, xp, values, concat_dim)


@concat.infer
def _(concat_dim, values):
    return infer(concat_v2, values, concat_dim)


@concat.gradient
def _(dz, *, shape_of_values, concat_dim):
    parts, _ = concat_v2.gradient_rule.fn(dz, shape_of_values=shape_of_values, axis=concat_dim)
    return None, parts


@op("ParallelConcat", grad=UNREGISTERED, checked=True)
def parallel_concat(xp, values: Many, *, shape):
    """Concatenate tensors of one row each."""
    return xp.concatenate(values, axis=0)


@parallel_concat.infer
def _(values, *, shape):
    dims = as_dims(shape)
    if dims is None or None in dims:
        raise InferError("All dimensions of the attr 'shape' must be known.")
    for value in values:
        merge_shape((1, *dims[1:]), value.shape, "All input shapes must match, with one row each")
    return Spec(dims, values[0].dtype)


@op("Gather", traits=(INHERITS_NUMERICS,))
def gather(xp, params, indices: Index, *, validate_indices=True):
    """Return the slices of `params` at `indices` along its first axis."""
    return run(gather_v2, xp, params, indices, _FIRST)


@gather.infer
def _(params, indices, *, validate_indices):
    return infer(gather_v2, params, indices, static_spec(0))


@gather.gradient
def _(dz, *, shape_of_params, indices):
    return gather_v2.gradient_rule.fn(
        dz,
        shape_of_params=shape_of_params,
        indices=indices,
        axis=scalar_int(0),
        batch_dims=0,
    )[:2]


@op("Reverse", dtypes=NUMERIC | {dtypes.bool, dtypes.string}, checked=True)
def reverse(xp, tensor, dims: Bool):
    """Reverse `tensor` along each axis for which `dims` is true."""
    for axis in range(tensor.ndim):
        tensor = xp.where(dims[axis], xp.flip(tensor, axis), tensor)
    return tensor


@reverse.infer
def _(tensor, dims):
    require_rank(dims, 1, "dims")
    if tensor.shape is not None:
        merge_shape((len(tensor.shape),), dims.shape, "dims must have one value for each axis")
    return Spec(tensor.shape, tensor.dtype)


@reverse.gradient
def _(dz, *, dims):
    return reverse(dz, dims), None


@op("TileGrad", grad=UNREGISTERED, checked=True)
def tile_grad(xp, input, multiples: Static):
    """Sum the copies that `Tile` made."""
    times = multiples.tolist()
    folded = [size for n, times_n in zip(input.shape, times) for size in (times_n, n // times_n)]
    return xp.sum(input.reshape(folded), axis=tuple(range(0, 2 * len(times), 2)), dtype=input.dtype)


@tile_grad.infer
def _(input, multiples):
    times = multiples.value
    if input.shape is None or times is None:
        return Spec(None if input.shape is None else (None,) * len(input.shape), input.dtype)
    if times.shape != (len(input.shape),):
        raise InferError(f"multiples must have {len(input.shape)} values, got {times.tolist()}")
    for size, n in zip(input.shape, times.tolist(), strict=True):
        if n < 1 or (size is not None and size % n):
            raise InferError(f"{fmt_shape(input.shape)} is not made of {times.tolist()} copies")
    dims = zip(input.shape, times.tolist(), strict=True)
    return Spec(tuple(None if size is None else size // n for size, n in dims), input.dtype)


@op("AccumulateNV2", dtypes=NUMERIC, checked=True)
def accumulate_n_v2(xp, inputs: Many, *, shape):
    """Return the sum of tensors of one shape."""
    total = inputs[0]
    for value in inputs[1:]:
        total = total + value
    return total


@accumulate_n_v2.infer
def _(inputs, *, shape):
    dims = as_dims(shape)
    for value in inputs:
        dims = merge_shape(dims, value.shape, "From merging the shapes of the inputs")
    return Spec(dims, inputs[0].dtype)


@accumulate_n_v2.gradient
def _(dz, *, shape_of_inputs):
    return [dz] * len(shape_of_inputs)


@op("BiasAddV1", dtypes=NUMERIC, checked=True)
def bias_add_v1(xp, value, bias):
    """Add `bias` to `value` along its last axis."""
    return run(bias_add, xp, value, bias)


@bias_add_v1.infer
def _(value, bias):
    return infer(bias_add, value, bias)


@bias_add_v1.gradient
def _(dz, *, needed):
    return dz, bias_add_grad(dz) if needed[1] else None


# -- the largest -------------------------------------------------------------------------------


@op("TopK", dtypes=REAL, outputs=("values", "indices"), checked=True)
def top_k(xp, input, *, k, sorted=True):
    """Return the `k` largest along the last axis, in descending order, and their indices."""
    return run(top_k_v2, xp, input, np.array(k, np.int32))


@top_k.infer
def _(input, *, k, sorted):
    return infer(top_k_v2, input, static_spec(k))


@top_k.gradient
def _(dvalues, dindices, *, shape_of_input, indices):
    return top_k_v2.gradient_rule.fn(
        dvalues, dindices, shape_of_input=shape_of_input, indices=indices
    )[0]


@op(
    "InTopK",
    dtypes=frozenset({dtypes.float32}),
    outputs=("precision",),
    grad=UNREGISTERED,
    checked=True,
)
def in_top_k(xp, predictions, targets: Index, *, k):
    """Whether fewer than `k` predictions of a row exceed that of its target."""
    return run(in_top_k_v2, xp, predictions, targets, np.array(k, np.int32))


@in_top_k.infer
def _(predictions, targets, *, k):
    return infer(in_top_k_v2, predictions, targets, static_spec(k))


# -- rows replaced -----------------------------------------------------------------------------


def _rows(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    x, i, v = specs
    require_rank(i, 1, "i")
    if x.shape is not None and not x.shape:
        raise InferError("x must be at least 1-dimensional")
    if x.shape is not None and v.shape is not None:
        merge_shape((None, *x.shape[1:]), v.shape, "v must have rows like those of x")
    merge_shape(i.shape, None if v.shape is None else v.shape[:1], "v must have a row for each i")
    return Spec(x.shape, x.dtype)


def _wrapped(xp: ModuleType, x: Any, i: Any) -> Any:
    """Return row numbers modulo the number of rows, as TensorFlow reads them."""
    return i % x.shape[0] if x.shape[0] else i


@op("InplaceUpdate", infer=_rows, grad=UNREGISTERED, checked=True)
def inplace_update(xp, x, i: Index, v):
    """Return `x` with the rows `i` replaced by those of `v`."""
    return xp.index_set(x, _wrapped(xp, x, i), v)


@op("InplaceAdd", infer=_rows, dtypes=NUMERIC, grad=UNREGISTERED, checked=True)
def inplace_add(xp, x, i: Index, v):
    """Return `x` with the rows of `v` added to the rows `i`."""
    return xp.index_add(x, _wrapped(xp, x, i), v)


@op("InplaceSub", infer=_rows, dtypes=NUMERIC, grad=UNREGISTERED, checked=True)
def inplace_sub(xp, x, i: Index, v):
    """Return `x` with the rows of `v` subtracted from the rows `i`."""
    return xp.index_add(x, _wrapped(xp, x, i), -v)


# -- one value ---------------------------------------------------------------------------------


@op("ToBool", grad=UNREGISTERED)
def to_bool(xp, input):
    """Whether a number is not zero, a text not empty, any other tensor not without values."""
    if input.ndim:
        return np.asarray(input.size > 0)
    if input.dtype == object:
        return np.asarray(len(input.item()) > 0)
    return input != 0


@to_bool.infer
def _(input):
    return Spec((), dtypes.bool)


@op("DeepCopy", infer=same_as("x"), grad=UNREGISTERED)
def deep_copy(xp, x):
    """Copy `x`."""
    return x.copy()


# -- layouts of images -------------------------------------------------------------------------


def _layouts(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    (x,) = specs
    source, target = attrs["src_format"], attrs["dst_format"]
    if len(source) not in (4, 5) or sorted(source) != sorted(target):
        raise InferError(
            f"Source and destination formats must be permutations of 4 or 5 letters, got "
            f"{source!r} and {target!r}"
        )
    return Spec(x.shape, x.dtype)


@op(
    "DataFormatDimMap",
    infer=_layouts,
    dtypes=dtypes.INDEX,
    outputs=("y",),
    grad=UNREGISTERED,
    checked=True,
)
def data_format_dim_map(xp, x, *, src_format="NHWC", dst_format="NCHW"):
    """Convert the axes `x` of one layout to those of the other."""
    destinations = np.array([dst_format.index(letter) for letter in src_format], x.dtype)
    xp.require(xp.all((x >= -len(destinations)) & (x < len(destinations))), "axes out of range")
    return xp.take(destinations, x % len(destinations))


@op("DataFormatVecPermute", dtypes=dtypes.INDEX, outputs=("y",), grad=UNREGISTERED, checked=True)
def data_format_vec_permute(xp, x, *, src_format="NHWC", dst_format="NCHW"):
    """Permute sizes, or pairs of them, to the other layout; spatial ones only, if fewer."""
    permutation = _permutation(src_format, dst_format, x.shape[0])
    return x[np.array(permutation, np.intp)]


def _permutation(source: str, target: str, count: int) -> list[int]:
    if count == len(source) - 2:
        source, target = (text.replace("N", "").replace("C", "") for text in (source, target))
    return [source.index(letter) for letter in target]


@data_format_vec_permute.infer
def _(x, *, src_format, dst_format):
    _layouts(None, (x,), {"src_format": src_format, "dst_format": dst_format})
    if x.shape is None:
        return Spec(None, x.dtype)
    if len(x.shape) not in (1, 2) or (len(x.shape) == 2 and x.shape[1] not in (2, None)):
        raise InferError(f"x must be a vector or have two columns, got {fmt_shape(x.shape)}")
    if x.shape[0] not in (len(src_format), len(src_format) - 2, None):
        raise InferError(
            f"1D input must be of size {len(src_format) - 2} or {len(src_format)}, but got shape "
            f"{fmt_shape(x.shape)}"
        )
    return Spec(x.shape, x.dtype)
