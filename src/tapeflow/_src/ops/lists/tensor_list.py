"""Lists of tensors, one element at a time. Loops collect values in them.

A list is the value of a scalar tensor of dtype variant (`core.tensor_list`). Element shapes are
encoded as in TensorFlow: a vector with -1 for an unknown size, or the scalar -1 for unknown rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.errors import ListIndexError, fmt_shape, invalid
from tapeflow._src.core.infer import Shape, fixed, require_rank
from tapeflow._src.core.registry import UNREGISTERED, Free, Index, InferError, Static, Variant, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.tensor_list import TensorList, merged
from tapeflow._src.core.traits import INHERITS_NUMERICS, LENGTH_ONLY
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.shape import scalar_int

A_LIST = fixed((), dtypes.variant)


# -- shapes of elements -----------------------------------------------------------------------


def dims_of(element_shape: Any) -> Shape:
    """Return the shape that a tensor of sizes describes; -1 is an unknown size or rank."""
    if not element_shape.ndim:
        if element_shape.item() >= 0:
            raise InferError(
                f"A scalar as the shape of an element can only be -1, got {element_shape.item()}"
            )
        return None
    return tuple([size if size >= 0 else None for size in element_shape.tolist()])


def inferred_dims(spec: Spec) -> Shape:
    """Like `dims_of`, as far as the value is static."""
    if spec.value is not None:
        return dims_of(spec.value)
    return (None,) * spec.shape[0] if spec.shape and spec.shape[0] is not None else None


def is_static(dims: Shape) -> bool:
    return dims is not None and None not in dims


def zeros(dims: Any, dtype: DType) -> Any:
    """Return the value of an undefined element."""
    if dtype is dtypes.string:
        return np.full(dims, b"", object)
    if dtype is dtypes.variant:
        raise invalid("Trying to read an uninitialized list in a list of lists.")
    return np.zeros(dims, dtype.np)


def shape_of_absent(handle: TensorList, element_shape: Any) -> Shape:
    """Return the static shape of an undefined element, which it shares with the others."""
    dims = merged(dims_of(element_shape), handle.element_shape)
    if not is_static(dims):
        for item in handle.items().values():
            if dims is None or len(dims) == item.ndim:
                return merged(dims, item.shape)
    return dims


def require_dtype(handle: TensorList, dtype: DType) -> None:
    if handle.value_dtype is not dtype:
        raise invalid(
            f"Invalid data types; op elements {dtype.name} but list elements "
            f"{handle.value_dtype.name}"
        )


def fits(dims: tuple[int, ...], expected: Shape) -> bool:
    """Whether an element of that shape may be in a list of such elements."""
    return (
        expected is None
        or dims == expected
        or (
            len(dims) == len(expected)
            and all(w is None or d == w for d, w in zip(dims, expected, strict=True))
        )
    )


# -- making -----------------------------------------------------------------------------------


@op("EmptyTensorList", infer=A_LIST, grad=None)
def empty_tensor_list(xp, element_shape: Static, max_num_elements: Static, *, element_dtype):
    """Create an empty list, with an optional maximum number of elements."""
    return TensorList(
        as_dtype(element_dtype), dims_of(element_shape), max_length=int(max_num_elements)
    )


@op("TensorListReserve", infer=A_LIST, grad=None)
def tensor_list_reserve(xp, element_shape: Static, num_elements: Static, *, element_dtype):
    """Create a list of that many undefined elements."""
    count = int(num_elements)
    if count < 0:
        raise invalid(f"The num_elements to reserve must be a non negative number, but got {count}")
    return TensorList(as_dtype(element_dtype), dims_of(element_shape), count)


# -- asking -----------------------------------------------------------------------------------


@op("TensorListLength", infer=fixed((), dtypes.int32), grad=None, traits=(LENGTH_ONLY,))
def tensor_list_length(xp, input_handle: Variant):
    """Return the number of elements."""
    return np.array(input_handle.length, np.int32)


@op("TensorListElementShape", grad=None, traits=(LENGTH_ONLY,))
def tensor_list_element_shape(xp, input_handle: Variant, *, shape_type):
    """Return the static shape of the elements."""
    dims = input_handle.element_shape
    sizes = -1 if dims is None else [-1 if size is None else size for size in dims]
    return np.array(sizes, as_dtype(shape_type).np)


@tensor_list_element_shape.infer
def _(input_handle, *, shape_type):
    return Spec(None, as_dtype(shape_type))


def reserve_like(input_handle: Any, element_dtype: Any) -> Any:
    """Create a list of undefined elements with the length and shapes of another."""
    return tensor_list_reserve(
        tensor_list_element_shape(input_handle, shape_type=dtypes.int32),
        tensor_list_length(input_handle),
        element_dtype=element_dtype,
    )


# -- at the end -------------------------------------------------------------------------------


@op("TensorListPushBack", infer=A_LIST)
def tensor_list_push_back(xp, input_handle: Variant, tensor: Free):
    """Return the list with one more element at its end."""
    require_dtype(input_handle, dtypes.FROM_NUMPY[tensor.dtype])
    expected = input_handle.element_shape
    if expected != tensor.shape and not fits(tensor.shape, expected):
        raise invalid(
            f"Tried to append a tensor with incompatible shape to a list. Op element shape: "
            f"{fmt_shape(tensor.shape)} list shape: {fmt_shape(expected)}"
        )
    count = input_handle.length
    if count == input_handle.max_length:
        raise invalid(
            f"Tried to push item into a full list list size: {count} max_num_elements: {count}"
        )
    return input_handle.put(count, tensor, count + 1)


@tensor_list_push_back.gradient
def _(dlist, *, shape_of_tensor, dtype_of_tensor):
    return tensor_list_pop_back(dlist, shape_of_tensor, element_dtype=dtype_of_tensor)


@op("TensorListPopBack", outputs=("output_handle", "tensor"), traits=(INHERITS_NUMERICS,))
def tensor_list_pop_back(xp, input_handle: Variant, element_shape: Static, *, element_dtype):
    """Return the list without its last element, and that element."""
    require_dtype(input_handle, as_dtype(element_dtype))
    last = input_handle.length - 1
    if last < 0:
        raise invalid("Trying to pop from an empty list.")
    item = input_handle.get(last)
    if item is None:
        dims = shape_of_absent(input_handle, element_shape)
        if not is_static(dims):
            raise invalid(
                f"Trying to read an uninitialized tensor but element_shape is not fully defined."
                f"{fmt_shape(dims)}"
            )
        item = zeros(dims, input_handle.value_dtype)
    return input_handle.put(last, None, last), item


@tensor_list_pop_back.infer
def _(input_handle, element_shape, *, element_dtype):
    return Spec((), dtypes.variant), Spec(inferred_dims(element_shape), as_dtype(element_dtype))


@tensor_list_pop_back.gradient
def _(dlist=None, delement=None, *, input_handle, element_dtype):
    if delement is None:
        return tensor_list_resize(dlist, tensor_list_length(input_handle))
    if dlist is None:
        whole = reserve_like(input_handle, element_dtype)
        return tensor_list_set_item(
            whole, tensor_list_length(input_handle) - scalar_int(1), delement
        )
    return tensor_list_push_back(dlist, delement)


@op("TensorListResize", infer=A_LIST)
def tensor_list_resize(xp, input_handle: Variant, size: Index):
    """Return the list truncated, or extended by undefined elements."""
    count = int(size)
    if count < 0:
        raise invalid(f"TensorListSlice expects size to be non-negative. Got: {count}")
    return input_handle.resized(count)


@tensor_list_resize.gradient
def _(dlist, *, input_handle):
    return tensor_list_resize(dlist, tensor_list_length(input_handle))


# -- anywhere ---------------------------------------------------------------------------------


def _scalar(index: Any) -> int:
    if index.ndim:
        raise invalid(
            f"Expected argument 1 to be a scalar. Received shape {fmt_shape(index.shape)}"
        )
    return int(index)


@op("TensorListGetItem", traits=(INHERITS_NUMERICS,))
def tensor_list_get_item(
    xp, input_handle: Variant, index: Index, element_shape: Static, *, element_dtype
):
    """Return one element; zeros if it is undefined."""
    if input_handle.value_dtype is not element_dtype:
        require_dtype(input_handle, as_dtype(element_dtype))
    at = _scalar(index)
    if not 0 <= at < input_handle.length:
        raise ListIndexError(
            None,
            None,
            f"Trying to access element {at} in a list with {input_handle.length} elements.",
        )
    item = input_handle.get(at)
    if item is None:
        dims = shape_of_absent(input_handle, element_shape)
        if not is_static(dims):
            raise invalid(
                f"Trying to read element {at}, which was never written (an uninitialized tensor), "
                f"and element_shape is not fully defined: {fmt_shape(dims)}. Write it first, "
                f"array = array.write({at}, value), or pass element_shape to read zeros."
            )
        item = zeros(dims, input_handle.value_dtype)
    return item


@tensor_list_get_item.infer
def _(input_handle, index, element_shape, *, element_dtype):
    require_rank(index, 0, "index")
    return Spec(inferred_dims(element_shape), as_dtype(element_dtype))


@tensor_list_get_item.gradient
def _(ditem, *, input_handle, index, element_dtype):
    return tensor_list_set_item(reserve_like(input_handle, element_dtype), index, ditem)


@op("TensorListSetItem")
def tensor_list_set_item(
    xp, input_handle: Variant, index: Index, item: Free, *, resize_if_index_out_of_bounds=False
):
    """Return the list with another element at `index`."""
    require_dtype(input_handle, dtypes.FROM_NUMPY[item.dtype])
    at = _scalar(index)
    length = input_handle.length
    if at < 0 or (at >= length and not resize_if_index_out_of_bounds):
        text = f"Trying to modify element {at} in a list with {length} elements."
        raise ListIndexError(None, None, text)
    expected = input_handle.element_shape
    if expected != item.shape and not fits(item.shape, expected):
        raise invalid(
            f"Tried to set a tensor with incompatible shape at a list index. Item element shape: "
            f"{fmt_shape(item.shape)} list shape: {fmt_shape(expected)}"
        )
    return input_handle.put(at, item, length if at < length else at + 1)


@tensor_list_set_item.infer
def _(input_handle, index, item, *, resize_if_index_out_of_bounds):
    require_rank(index, 0, "index")
    return Spec((), dtypes.variant)


@tensor_list_set_item.gradient
def _(dlist, *, input_handle, index, shape_of_item, dtype_of_item, needed, attrs):
    ditem = tensor_list_get_item(dlist, index, shape_of_item, element_dtype=dtype_of_item)
    if not needed[0]:
        return None, None, ditem
    rest = tensor_list_set_item(dlist, index, zeros_like(ditem))
    if attrs["resize_if_index_out_of_bounds"]:
        rest = tensor_list_resize(rest, tensor_list_length(input_handle))
    return rest, None, ditem


@op("TensorListConcatLists", infer=A_LIST, grad=UNREGISTERED)
def tensor_list_concat_lists(xp, input_a: Variant, input_b: Variant, *, element_dtype):
    """Concatenate two lists."""
    dtype = as_dtype(element_dtype)
    for name, handle in (("input_a", input_a), ("input_b", input_b)):
        if handle.value_dtype is not dtype:
            raise invalid(
                f"{name}[0].dtype != element_dtype.  Saw: {handle.value_dtype.name} vs. "
                f"{dtype.name}"
            )
    if input_a.element_shape != input_b.element_shape:
        raise invalid(
            f"input_a and input_b TensorList element shapes are not identical at index 0.  Saw "
            f"{fmt_shape(input_a.element_shape)} vs. {fmt_shape(input_b.element_shape)}"
        )
    first = input_a.length
    added = {first + i: item for i, item in input_b.items().items()}
    return input_a.changed(added, first + input_b.length)
