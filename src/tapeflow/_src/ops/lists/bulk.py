"""Lists of tensors, all elements at once: stacked, gathered, joined, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FROM_NUMPY, as_dtype
from tapeflow._src.core.errors import fmt_shape, invalid
from tapeflow._src.core.infer import Shape, element_count
from tapeflow._src.core.registry import Index, Static, Variant, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.tensor_list import TensorList, merged
from tapeflow._src.core.traits import INHERITS_NUMERICS
from tapeflow._src.core.types import DTypeLike, ShapeLike
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.select import select
from tapeflow._src.ops.array.shape import scalar_int, size, static_ints
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.lists.tensor_list import (
    A_LIST,
    dims_of,
    fits,
    inferred_dims,
    is_static,
    require_dtype,
    tensor_list_element_shape,
    tensor_list_length,
    tensor_list_resize,
    zeros,
)
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.segment import unsorted_segment_max
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum


def _sizes_after_first(shape: Any) -> Any:
    """Return a shape, given as a tensor, without its first size."""
    if shape.static_value is not None:
        return static_ints(tuple(shape.static_value[1:].tolist()))
    return strided_slice(shape, static_ints((1,)), static_ints((0,)), static_ints((1,)), end_mask=1)


def _items_of(tensor: Any) -> list[Any]:
    """Return the rows of an array, as arrays."""
    return [tensor[i, ...] for i in range(tensor.shape[0])]


def rows_of(tensor: Any, element_shape: Any) -> Shape:
    """Return the element shape of a list made from the rows of `tensor`."""
    if not tensor.ndim:
        raise invalid(f"Tensor must be at least a vector, but saw shape: {fmt_shape(tensor.shape)}")
    dims = dims_of(element_shape)
    if not fits(tensor.shape[1:], dims):
        raise invalid(
            f"Specified a list with shape {fmt_shape(dims)} from a tensor with shape "
            f"{fmt_shape(tensor.shape[1:])}"
        )
    return dims


# -- stacked ----------------------------------------------------------------------------------


@op("TensorListStack", traits=(INHERITS_NUMERICS,))
def tensor_list_stack(
    xp, input_handle: Variant, element_shape: Static, *, element_dtype, num_elements=-1
):
    """Stack the elements along a new first axis."""
    require_dtype(input_handle, as_dtype(element_dtype))
    count = input_handle.length
    if num_elements not in (-1, count):
        raise invalid(
            f"Operation expected a list with {num_elements} elements but got a list with {count} "
            f"elements."
        )
    items = input_handle.items()
    dims = merged(dims_of(element_shape), input_handle.element_shape)
    for item in items.values():
        dims = merged(dims, item.shape)
    if not is_static(dims):
        what = (
            "stack list which only contains uninitialized tensors and has a"
            if count
            else "stack elements of an empty list with"
        )
        raise invalid(f"Tried to {what} non-fully-defined element_shape: {fmt_shape(dims)}")
    return _stacked(input_handle, items, range(count), dims)


def _stacked(handle: TensorList, items: dict[int, Any], indices: Any, dims: Any) -> Any:
    """Return the elements at `indices` in one array."""
    dtype = handle.value_dtype
    result = zeros((len(indices), *dims), dtype)
    for position, index in enumerate(indices):
        item = items.get(index)
        if item is not None:
            # A scalar array of texts would become an element itself.
            result[position] = item if item.ndim else item[()]
    return result


@tensor_list_stack.infer
def _(input_handle, element_shape, *, element_dtype, num_elements):
    dims = inferred_dims(element_shape)
    count = None if num_elements < 0 else num_elements
    return Spec(None if dims is None else (count, *dims), as_dtype(element_dtype))


@tensor_list_stack.gradient
def _(dz, *, input_handle):
    element_shape = tensor_list_element_shape(input_handle, shape_type=dtypes.int32)
    return tensor_list_from_tensor(dz, element_shape)


@op("TensorListFromTensor")
def tensor_list_from_tensor(xp, tensor, element_shape: Static):
    """Create a list of the rows of a tensor."""
    dims = rows_of(tensor, element_shape)
    items = dict(enumerate(_items_of(tensor)))
    return TensorList(FROM_NUMPY[tensor.dtype], dims, len(items), items)


@tensor_list_from_tensor.infer
def _(tensor, element_shape):
    return Spec((), dtypes.variant)


@tensor_list_from_tensor.gradient
def _(dlist, *, shape_of_tensor, dtype_of_tensor):
    shape = shape_of_tensor.static_value
    return tensor_list_stack(
        dlist,
        _sizes_after_first(shape_of_tensor),
        element_dtype=dtype_of_tensor,
        num_elements=-1 if shape is None else int(shape[0]),
    )


# -- some of the elements ---------------------------------------------------------------------


@op("TensorListGather", traits=(INHERITS_NUMERICS,))
def tensor_list_gather(
    xp, input_handle: Variant, indices: Index, element_shape: Static, *, element_dtype
):
    """Stack the elements at `indices` along a new first axis."""
    require_dtype(input_handle, as_dtype(element_dtype))
    requested = indices.reshape(-1).tolist()
    for index in requested:
        if not 0 <= index < input_handle.length:
            raise invalid(
                f"Index {index} out of range; list only has {input_handle.length} elements."
            )
    items = input_handle.items()
    dims = merged(dims_of(element_shape), input_handle.element_shape)
    for index in requested:
        if index in items:
            dims = merged(dims, items[index].shape)
    if not is_static(dims) and requested and items:
        dims = merged(dims, next(iter(items.values())).shape)
    if not is_static(dims):
        what = "uninitialized tensors" if requested else "0-elements"
        kind = "element_shape" if requested else "shape"
        raise invalid(
            f"Tried to gather {what} from a list with non-fully-defined {kind}: {fmt_shape(dims)}"
        )
    return _stacked(input_handle, items, requested, dims)


@tensor_list_gather.infer
def _(input_handle, indices, element_shape, *, element_dtype):
    dims = inferred_dims(element_shape)
    count = element_count(indices.shape)
    return Spec(None if dims is None else (count, *dims), as_dtype(element_dtype))


@tensor_list_gather.gradient
def _(dz, *, input_handle, indices):
    # An element gathered several times gets the sum, written to it as many times.
    length = tensor_list_length(input_handle)
    sums = gather_v2(unsorted_segment_sum(dz, indices, length), indices, scalar_int(0))
    element_shape = tensor_list_element_shape(input_handle, shape_type=dtypes.int32)
    return tensor_list_scatter_v2(sums, indices, element_shape, length)


def _checked_positions(indices: Any, rows: int) -> list[int]:
    """Return the indices as a list; raise unless there is one per row."""
    positions: list[int] = indices.reshape(-1).tolist()
    if len(positions) != rows:
        raise invalid(
            f"Invalid number of rows in input tensor. Expected: {len(positions)} Actual: {rows}"
        )
    if positions and min(positions) < 0:
        raise invalid("Indices in TensorListScatter must all be non-negative.")
    return positions


@op("TensorListScatterV2", infer=A_LIST)
def tensor_list_scatter_v2(xp, tensor, indices: Index, element_shape: Static, num_elements: Static):
    """Create a list with the rows of a tensor at these indices."""
    dims = rows_of(tensor, element_shape)
    positions = _checked_positions(indices, tensor.shape[0])
    count = int(num_elements)
    if count < -1:
        raise invalid(f"TensorListScatter expects num_elements >= -1, found: {count}")
    highest = max(positions, default=-1)
    if count != -1 and highest >= count:
        raise invalid(
            f"TensorListScatter: Trying to scatter at index {highest} in list with size {count}"
        )
    items = dict(zip(positions, _items_of(tensor), strict=True))
    return TensorList(FROM_NUMPY[tensor.dtype], dims, highest + 1 if count == -1 else count, items)


@tensor_list_scatter_v2.gradient
def _(dlist, *, indices, shape_of_tensor, dtype_of_tensor):
    return _gradient_of_scattered(dlist, indices, shape_of_tensor, dtype_of_tensor)


def _gradient_of_scattered(dlist: Any, indices: Any, shape: ShapeLike, dtype: DTypeLike) -> Any:
    """Compute the gradient of rows written to a list: zeros for overwritten rows."""
    drows = tensor_list_gather(dlist, indices, _sizes_after_first(shape), element_dtype=dtype)
    known_indices = indices.static_value
    if known_indices is not None and len(set(known_indices.tolist())) == known_indices.size:
        return drows
    number = range_(scalar_int(0), size(indices), scalar_int(1))
    last = unsorted_segment_max(number, indices, tensor_list_length(dlist))
    stays = equal(gather_v2(last, indices, scalar_int(0)), number)
    return select(stays, drows, zeros_like(drows))


@op("TensorListScatterIntoExistingList", infer=A_LIST)
def tensor_list_scatter_into(xp, input_handle: Variant, tensor, indices: Index):
    """Return a list with the rows of a tensor at these indices, other elements unchanged."""
    require_dtype(input_handle, FROM_NUMPY[tensor.dtype])
    if not tensor.ndim or indices.size != tensor.shape[0]:
        raise invalid(
            f"Expected len(indices) == tensor.shape[0], but saw: {indices.size} vs. "
            f"{fmt_shape(tensor.shape)}"
        )
    if not fits(tensor.shape[1:], input_handle.element_shape):
        raise invalid(
            f"Tried to scatter a tensor with rows of shape {fmt_shape(tensor.shape[1:])} into a "
            f"list of elements of shape {fmt_shape(input_handle.element_shape)}"
        )
    positions = _checked_positions(indices, tensor.shape[0])
    length = max(input_handle.length, max(positions, default=-1) + 1)
    return input_handle.changed(dict(zip(positions, _items_of(tensor), strict=True)), length)


@tensor_list_scatter_into.gradient
def _(dlist, *, input_handle, indices, shape_of_tensor, dtype_of_tensor, needed):
    dtensor = _gradient_of_scattered(dlist, indices, shape_of_tensor, dtype_of_tensor)
    if not needed[0]:
        return None, dtensor
    rest = tensor_list_scatter_into(dlist, zeros_like(dtensor), indices)
    return tensor_list_resize(rest, tensor_list_length(input_handle)), dtensor


# -- joined -----------------------------------------------------------------------------------


@op("TensorListConcatV2", outputs=("tensor", "lengths"), traits=(INHERITS_NUMERICS,))
def tensor_list_concat_v2(
    xp, input_handle: Variant, element_shape: Static, leading_dims: Index, *, element_dtype
):
    """Concatenate the elements along their first axis; return the length of each, too."""
    require_dtype(input_handle, as_dtype(element_dtype))
    items = input_handle.items()
    first, rest = _shape_of_pieces(
        items, merged(dims_of(element_shape), input_handle.element_shape)
    )
    lengths, pieces = [], []
    for index in range(input_handle.length):
        item = items.get(index)
        if item is None:
            if index < leading_dims.size:
                first = int(leading_dims[index])
            elif first is None:
                raise invalid(
                    f"List contains uninitialized tensor at index {index} but leading_dims has "
                    f"only {leading_dims.size} elements."
                )
            item = zeros((first, *rest), input_handle.value_dtype)
        lengths.append(item.shape[0])
        pieces.append(item)
    joined = xp.concatenate(pieces) if pieces else zeros((0, *rest), input_handle.value_dtype)
    return joined, np.array(lengths, np.int64)


def _shape_of_pieces(items: dict[int, Any], dims: Shape) -> tuple[int | None, Any]:
    """Return the length of an undefined element, if known, and the further sizes of all."""
    if dims == ():
        raise invalid("Concat requires elements to be at least vectors, found scalars instead.")
    first, rest = (None, None) if dims is None else (dims[0], dims[1:])
    for index, item in sorted(items.items()):
        if not item.ndim:
            raise invalid(
                f"TensorArray.concat joins elements along their first axis, but element {index} is "
                "a scalar: use stack."
            )
        rest = merged(rest, item.shape[1:])
    if not is_static(rest):
        raise invalid(
            f"All except the first dimension must be fully defined when concating an empty tensor "
            f"list. element_shape: {fmt_shape(dims)}"
        )
    if first is None:
        leading_sizes = {item.shape[0] for item in items.values()}
        first = leading_sizes.pop() if len(leading_sizes) == 1 else None
    return first, rest


@tensor_list_concat_v2.infer
def _(input_handle, element_shape, leading_dims, *, element_dtype):
    dims = inferred_dims(element_shape)
    joined = (None, *dims[1:]) if dims else None
    return Spec(joined, as_dtype(element_dtype)), Spec((None,), dtypes.int64)


@tensor_list_concat_v2.gradient
def _(dz=None, dlengths=None, *, input_handle, lengths):
    element_shape = tensor_list_element_shape(input_handle, shape_type=dtypes.int32)
    return tensor_list_split(dz, element_shape, lengths)


@op("TensorListSplit", infer=A_LIST)
def tensor_list_split(xp, tensor, element_shape: Static, lengths: Index):
    """Create a list of consecutive pieces of a tensor, of these lengths."""
    if not tensor.ndim:
        raise invalid(f"Tensor must be at least a vector, but saw shape: {fmt_shape(tensor.shape)}")
    dims = dims_of(element_shape)
    if dims == () or not fits(tensor.shape[1:], None if dims is None else dims[1:]):
        raise invalid(
            f"tensor shape {fmt_shape(tensor.shape)} is not compatible with element_shape "
            f"{fmt_shape(dims)}"
        )
    items, start, total = {}, 0, tensor.shape[0]
    for index, length in enumerate(lengths.reshape(-1).tolist()):
        if length < 0:
            raise invalid(f"Invalid value in lengths: {length}")
        if start + length > total:
            raise invalid(
                f"Attempting to slice [{start}, {start + length}] from tensor with length {total}"
            )
        items[index] = tensor[start : start + length]
        start += length
    if start < total:
        raise invalid(f"Unused values in tensor. Length of tensor: {total} Values used: {start}")
    dims = None if dims is None else (None, *dims[1:])
    return TensorList(FROM_NUMPY[tensor.dtype], dims, len(items), items)


@tensor_list_split.gradient
def _(dlist, *, lengths, shape_of_tensor, dtype_of_tensor):
    rest = _sizes_after_first(shape_of_tensor)
    if rest.static_value is not None:
        element_shape = static_ints((-1, *rest.static_value.tolist()))
    else:
        element_shape = concat_v2([static_ints((-1,)), rest], scalar_int(0))
    dtensor, _ = tensor_list_concat_v2(dlist, element_shape, lengths, element_dtype=dtype_of_tensor)
    return dtensor
