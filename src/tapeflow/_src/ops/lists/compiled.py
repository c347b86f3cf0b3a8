"""The list ops in compiled code, where a list is one array (`backends.jax_lists.DenseList`).

Here `xp` is JAX's and `xp.lists` its lists. Errors are reported by the interpreter, which runs
the call again; so the messages of `require` are never seen.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import FROM_NUMPY, as_dtype, variant
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.tensor_list import merged
from tapeflow._src.ops.lists import bulk as tensor_list_bulk
from tapeflow._src.ops.lists import tensor_list
from tapeflow._src.ops.lists.tensor_list import dims_of, fits, is_static, require_dtype

# Never shown: the interpreter runs the call again and raises the error itself.
_CHECK_FAILED = "a check of a list failed"


def _dtype(array: Any) -> Any:
    return FROM_NUMPY[np.dtype(array.dtype)]


def _require_fit(handle: Any, item: Any) -> None:
    if item.dtype is variant:
        return require_dtype(handle, variant)
    require_dtype(handle, _dtype(item))
    if not fits(tuple(item.shape), handle.element_shape):
        raise invalid("an element does not fit the list")
    return None


def _shaped(xp: ModuleType, handle: Any, element_shape: Any) -> Any:
    """Return the list with rows, if its element shape is static."""
    if handle.items is not None or handle.value_dtype is variant:
        return handle
    dims = merged(dims_of(element_shape), handle.element_shape)
    if dims is None or not is_static(dims):
        raise xp.lists.ListError("the shape of the elements is not known when it is compiled")
    return handle.shaped(dims)


# -- making and asking -------------------------------------------------------------------------


@tensor_list.empty_tensor_list.kernel("jax")
def _(xp, element_shape, max_num_elements, *, element_dtype):
    dims, most = dims_of(element_shape), int(max_num_elements)
    result = xp.lists.DenseList(as_dtype(element_dtype), dims, 0, None, most)
    return result.shaped(dims) if is_static(dims) and result.value_dtype is not variant else result


@tensor_list.tensor_list_reserve.kernel("jax")
def _(xp, element_shape, num_elements, *, element_dtype):
    dims, dtype = dims_of(element_shape), as_dtype(element_dtype)
    if not isinstance(num_elements, np.ndarray):
        # As long as another list, of which only the most it can be is known.
        rows = xp.lists.bound_of(num_elements)
        result = xp.lists.DenseList(dtype, dims, num_elements)
        return (
            result.shaped(dims).with_rows(rows)
            if is_static(dims) and dtype is not variant
            else result
        )
    count = int(num_elements)
    if count < 0:
        raise invalid(f"The num_elements to reserve must not be negative, but is {count}")
    result = xp.lists.DenseList(dtype, dims, count)
    return result.shaped(dims) if is_static(dims) and dtype is not variant else result


tensor_list.tensor_list_reserve.computes("num_elements")


@tensor_list.tensor_list_length.kernel("jax")
def _(xp, input_handle):
    length = input_handle.length
    if input_handle.counts:
        return np.array(length, np.int32)
    return xp.lists.remember_bound(length, input_handle.rows)


tensor_list.tensor_list_element_shape.kernel("jax")(tensor_list.tensor_list_element_shape.body)


# -- one element -------------------------------------------------------------------------------


@tensor_list.tensor_list_push_back.kernel("jax")
def _(xp, input_handle, tensor):
    _require_fit(input_handle, tensor)
    length = input_handle.length
    if input_handle.max_length >= 0:
        xp.require(length < input_handle.max_length, _CHECK_FAILED)
    return input_handle.put(length, tensor, length + 1)


@tensor_list.tensor_list_pop_back.kernel("jax")
def _(xp, input_handle, element_shape, *, element_dtype):
    require_dtype(input_handle, as_dtype(element_dtype))
    handle = _shaped(xp, input_handle, element_shape)
    last = handle.length - 1
    if handle.counts and last < 0:
        raise invalid("Trying to pop from an empty list.")
    xp.require(xp.asarray(last >= 0), _CHECK_FAILED)
    return handle.put(last, handle.zero(), last), handle.get(last)


@tensor_list.tensor_list_get_item.kernel("jax")
def _(xp, input_handle, index, element_shape, *, element_dtype):
    require_dtype(input_handle, as_dtype(element_dtype))
    handle = _shaped(xp, input_handle, element_shape)
    xp.require((index >= 0) & (index < handle.length), _CHECK_FAILED)
    return handle.get(index)


@tensor_list.tensor_list_set_item.kernel("jax")
def _(xp, input_handle, index, item, *, resize_if_index_out_of_bounds=False):
    _require_fit(input_handle, item)
    length = input_handle.length
    xp.require(index >= 0, _CHECK_FAILED)
    if resize_if_index_out_of_bounds:
        if input_handle.counts and isinstance(index, np.ndarray):
            return input_handle.put(index, item, max(length, int(index) + 1))
        return input_handle.put(index, item, xp.maximum(length, index.astype(np.int32) + 1))
    xp.require(index < length, _CHECK_FAILED)
    return input_handle.put(index, item, length)


@tensor_list.tensor_list_resize.kernel("jax")
def _(xp, input_handle, size):
    xp.require(size >= 0, _CHECK_FAILED)
    is_concrete = isinstance(size, np.ndarray)
    return input_handle.resized(int(size) if is_concrete else size.astype(np.int32))


@tensor_list.tensor_list_concat_lists.kernel("jax")
def _(xp, input_a, input_b, *, element_dtype):
    first, second = input_a.elements(), input_b.elements()
    joined = xp.concatenate([first, second])
    return xp.lists.DenseList(
        input_a.value_dtype, input_a.element_shape, joined.shape[0], joined, input_a.max_length
    )


# -- all of them -------------------------------------------------------------------------------


@tensor_list_bulk.tensor_list_stack.kernel("jax")
def _(xp, input_handle, element_shape, *, element_dtype, num_elements=-1):
    require_dtype(input_handle, as_dtype(element_dtype))
    handle = _shaped(xp, input_handle, element_shape)
    merged(dims_of(element_shape), tuple(handle.items.shape[1:]))
    if num_elements >= 0:
        xp.require(xp.asarray(handle.length == num_elements), _CHECK_FAILED)
        if not handle.counts:
            return handle.with_rows(num_elements).items[:num_elements]
    return handle.elements()


@tensor_list_bulk.tensor_list_from_tensor.kernel("jax")
def _(xp, tensor, element_shape):
    dims = tensor_list_bulk.rows_of(tensor, element_shape)
    return xp.lists.DenseList(_dtype(tensor), dims, tensor.shape[0], tensor)


@tensor_list_bulk.tensor_list_gather.kernel("jax")
def _(xp, input_handle, indices, element_shape, *, element_dtype):
    require_dtype(input_handle, as_dtype(element_dtype))
    handle = _shaped(xp, input_handle, element_shape)
    positions = indices.reshape(-1)
    xp.require(((positions >= 0) & (positions < handle.length)).all(), _CHECK_FAILED)
    return handle.with_rows(1).items[positions]


def _checked_positions(xp: ModuleType, tensor: Any, indices: Any) -> Any:
    positions = indices.reshape(-1)
    if positions.shape[0] != tensor.shape[0]:
        raise invalid("a list needs one place for each row")
    xp.require((positions >= 0).all(), _CHECK_FAILED)
    return positions


@tensor_list_bulk.tensor_list_scatter_v2.kernel("jax")
def _(xp, tensor, indices, element_shape, num_elements):
    dims = tensor_list_bulk.rows_of(tensor, element_shape)
    positions = _checked_positions(xp, tensor, indices)
    count = int(num_elements)
    if count < 0:
        raise xp.lists.ListError("the length of the list depends on the indices")
    xp.require((positions < count).all(), _CHECK_FAILED)
    rows = xp.zeros((count, *tensor.shape[1:]), tensor.dtype).at[positions].set(tensor, mode="drop")
    return xp.lists.DenseList(_dtype(tensor), dims, count, rows)


@tensor_list_bulk.tensor_list_scatter_into.kernel("jax")
def _(xp, input_handle, tensor, indices):
    require_dtype(input_handle, _dtype(tensor))
    positions = _checked_positions(xp, tensor, indices)
    handle = input_handle.shaped(tuple(tensor.shape[1:]))
    if not positions.shape[0]:
        return handle
    # Beyond its end the list would grow, by how much depends on the values.
    xp.lists.note_outgrown((positions >= handle.length).any())
    return handle.scattered(positions, tensor)


@tensor_list_bulk.tensor_list_concat_v2.kernel("jax")
def _(xp, input_handle, element_shape, leading_dims, *, element_dtype):
    require_dtype(input_handle, as_dtype(element_dtype))
    pieces = _shaped(xp, input_handle, element_shape).elements()
    if pieces.ndim < 2:
        raise invalid("Concat requires elements to be at least vectors, found scalars instead.")
    lengths = np.full(pieces.shape[:1], pieces.shape[1], np.int64)
    return pieces.reshape((-1, *pieces.shape[2:])), lengths
