"""The two ways in which a `TensorArray` holds its elements.

Eagerly it is a Python list of tensors, changed in place. In a graph, where every version must be a
tensor that loops can carry, it is a TensorList.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.errors import InvalidArgumentError, ListIndexError, fmt_shape
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.shape import TensorShape, as_dims
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.filling import fill
from tapeflow._src.ops.array.joining import concat_v2, split_v
from tapeflow._src.ops.array.shape import identity, scalar_int, static_ints
from tapeflow._src.ops.array.stacking import pack, unpack
from tapeflow._src.ops.lists.bulk import (
    tensor_list_concat_v2,
    tensor_list_from_tensor,
    tensor_list_gather,
    tensor_list_scatter_into,
    tensor_list_split,
    tensor_list_stack,
)
from tapeflow._src.ops.lists.tensor_list import (
    tensor_list_get_item,
    tensor_list_length,
    tensor_list_reserve,
    tensor_list_set_item,
)
from tapeflow._src.ops.math.cast import cast


def _is_static(dims: tuple[int | None, ...] | None) -> bool:
    return dims is not None and None not in dims


def shape_argument(shape: TensorShape) -> Any:
    """Return a partly known shape as the tensor that list ops take for one."""
    if shape.rank is None:
        return scalar_int(-1)
    return static_ints(tuple(-1 if size is None else size for size in shape))


class ListedElements:
    """A Python list of tensors, None for those not written, or cleared after they were read."""

    def __init__(
        self,
        dtype: DType,
        size: int,
        dynamic_size: bool,
        clear_after_read: bool,
        infer_shape: bool,
        element_shape: TensorShape,
    ) -> None:
        self.dtype = dtype
        self.dynamic_size = dynamic_size
        self.infer_shape = infer_shape
        self.element_shape = element_shape
        self._clears = clear_after_read
        self._items: list[Any] = [None] * size
        self._cleared: set[int] = set()

    @property
    def flow(self) -> Any:
        """Nothing flows: the array itself is changed."""
        return scalar_int(0)

    def as_list(self) -> Any:
        """Return the elements as a TensorList."""
        shape = shape_argument(self.element_shape)
        handle = tensor_list_reserve(shape, scalar_int(len(self._items)), element_dtype=self.dtype)
        for i, item in enumerate(self._items):
            if item is not None:
                handle = tensor_list_set_item(handle, scalar_int(i), item)
        return handle

    def size(self, name: str | None = None) -> Any:
        return scalar_int(len(self._items))

    def close(self) -> None:
        self._items.clear()

    # -- one element -------------------------------------------------------------------------

    def read(self, index: Any, name: str | None = None) -> Any:
        at = operator.index(index)
        if at < 0:
            raise ListIndexError(
                None, None, f"Reading from negative indices (index {at}) is not allowed."
            )
        if at >= len(self._items):
            raise ListIndexError(
                None, None, f"Tried to read from index {at} but array size is: {len(self._items)} "
            )
        item = self._items[at]
        if item is None:
            if at in self._cleared:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"TensorArray: element {at} has been read and cleared; to read elements more "
                    "than once, create the array with clear_after_read=False.",
                )
            item = self._item(at)
        if self._clears:
            self._items[at] = None
            self._cleared.add(at)
        return item

    def _item(self, index: int) -> Any:
        """Return an element; zeros, stored from now on, if it was not written."""
        item = self._items[index]
        if item is None:
            item = self._items[index] = _zeros((), self.element_shape, self.dtype)
        return item

    def write(self, index: Any, value: Any, name: str | None = None) -> None:
        at = operator.index(index)
        if at < 0:
            raise ListIndexError(
                None, None, f"Writing to negative indices (index {at}) is not allowed."
            )
        size = len(self._items)
        if at >= size:
            if not self.dynamic_size:
                raise ListIndexError(
                    None,
                    None,
                    f"TensorArray: cannot write to index {at}, the size is {size}. Create the "
                    "array with a larger size, or with dynamic_size=True.",
                )
            self._items.extend([None] * (at - size + 1))
        tensor = dispatch.convert(value, None, self.dtype)
        if tensor.dtype is not self.dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"TensorArray: expected values of dtype {self.dtype.name}, received "
                f"{tensor.dtype.name}: use tf.cast.",
            )
        if not self.element_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Incompatible shape for value ({tensor.shape}), expected ({self.element_shape})"
            )
        if self.infer_shape:
            self.element_shape = self.element_shape.merge_with(tensor.shape)
        self._items[at] = tensor

    # -- all of them -------------------------------------------------------------------------

    def stack(self, name: str | None = None) -> Any:
        return self._packed([self._item(i) for i in range(len(self._items))], name)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        return self._packed([self._item(int(i)) for i in np.asarray(indices).reshape(-1)], name)

    def _packed(self, items: list[Any], name: str | None) -> Any:
        if items:
            return pack(items, axis=0, name=name)
        shape = self.element_shape if _is_static(as_dims(self.element_shape)) else TensorShape(())
        return _zeros((0,), shape, self.dtype)

    def concat(self, name: str | None = None) -> Any:
        items = [self._item(i) for i in range(len(self._items))]
        for i, item in enumerate(items):
            if not item.static_shape:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"TensorArray.concat joins elements along their first axis, but element {i} is "
                    "a scalar: use stack.",
                )
        return concat_v2(items, scalar_int(0), name=name)

    def unstack(self, value: Any, name: str | None = None) -> None:
        tensor = dispatch.convert(value, None, self.dtype)
        if not tensor.static_shape:
            raise ValueError("Argument `axis` = 0 not in range [0, 0)")
        count = tensor.static_shape[0]
        if count > len(self._items) and not self.dynamic_size:
            raise ValueError(
                f"TensorArray: cannot unstack {count} tensors into an array of size "
                f"{len(self._items)}; create it with that size, or with dynamic_size=True."
            )
        self._items = list(unpack(tensor, num=count, axis=0))

    def scatter(self, indices: TensorLike, value: Any, name: str | None = None) -> None:
        tensor = dispatch.convert(value, None, self.dtype)
        rows = unpack(tensor, num=tensor.static_shape[0], axis=0)
        for index, row in zip(np.asarray(indices).reshape(-1), rows, strict=True):
            self.write(int(index), row)

    def split(self, value: Any, lengths: TensorLike, name: str | None = None) -> None:
        tensor = dispatch.convert(value, None, self.dtype)
        sizes = np.asarray(dispatch.convert(lengths, None, dtypes.int32))
        total = int(sizes.sum())
        if sizes.ndim != 1:
            raise InvalidArgumentError(
                None,
                None,
                "TensorArray.split: lengths must be a vector, received shape "
                f"{fmt_shape(sizes.shape)}.",
            )
        if not tensor.static_shape:
            raise InvalidArgumentError(
                None,
                None,
                "TensorArray.split: value must have at least one axis, received a scalar of shape "
                f"{fmt_shape(tensor.static_shape)}.",
            )
        if total != tensor.static_shape[0]:
            raise InvalidArgumentError(
                None,
                None,
                f"TensorArray.split: the lengths add up to {total}, but value has "
                f"{tensor.static_shape[0]} rows (shape {fmt_shape(tensor.static_shape)}).",
            )
        if not self.dynamic_size and sizes.size != len(self._items):
            raise InvalidArgumentError(
                None,
                None,
                f"TensorArray.split: {sizes.size} lengths do not fit an array of size "
                f"{len(self._items)}; create it with that size, or with dynamic_size=True.",
            )
        pieces = split_v(tensor, sizes, scalar_int(0), num_split=sizes.size)
        self._items = list(pieces)


def _zeros(before: tuple[int, ...], shape: TensorShape, dtype: DType) -> Any:
    """Zeros of an element's shape, which must be known."""
    if not _is_static(as_dims(shape)):
        raise ValueError(
            f"The element shape {shape} must be fully known: an element never written is zeros of "
            "that shape. Pass element_shape to TensorArray."
        )
    value = b"" if dtype is dtypes.string else np.zeros((), dtype.np)
    return fill(static_ints((*before, *shape)), dispatch.convert(value, dtype))


class FlowingElements:
    """A TensorList, of which every change makes another: the flow."""

    def __init__(
        self,
        dtype: DType,
        flow: Any,
        size: int | None,
        dynamic_size: bool,
        infer_shape: bool,
        element_shape: list[TensorShape],
    ) -> None:
        self.dtype = dtype
        self.flow = flow
        self.dynamic_size = dynamic_size
        self.infer_shape = infer_shape
        # The number of elements, if it was specified and cannot change.
        self._size = size
        # All versions of an array share the static shapes.
        self._element_shape = element_shape

    @property
    def element_shape(self) -> TensorShape:
        return self._element_shape[0]

    def with_flow(self, flow: Any) -> FlowingElements:
        return FlowingElements(
            self.dtype, flow, self._size, self.dynamic_size, self.infer_shape, self._element_shape
        )

    def apart(self) -> FlowingElements:
        """Return the same version, which learns of shapes by itself from now on."""
        return FlowingElements(
            self.dtype,
            self.flow,
            self._size,
            self.dynamic_size,
            self.infer_shape,
            [self.element_shape],
        )

    def as_list(self) -> Any:
        return self.flow

    def size(self, name: str | None = None) -> Any:
        if self._size is not None and not self.dynamic_size:
            return scalar_int(self._size)
        return tensor_list_length(self.flow, name=name)

    def close(self) -> None:
        """Do nothing: the list is freed with its last reference."""

    def _learn(self, shape: TensorShape) -> None:
        """Check the shape of an element, and remember it if shapes are to be inferred."""
        element_shape = self.element_shape
        if not shape.is_compatible_with(element_shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {element_shape} ")
        if self.infer_shape:
            self._element_shape[0] = element_shape.merge_with(shape)

    # -- one element -------------------------------------------------------------------------

    @scoped("TensorArrayV2Read")
    def read(self, index: Any, name: str | None = None) -> Any:
        return tensor_list_get_item(
            self.flow,
            _as_index(index),
            shape_argument(self.element_shape),
            element_dtype=self.dtype,
            name=name,
        )

    @scoped("TensorArrayV2Write")
    def write(self, index: Any, value: Any, name: str | None = None) -> FlowingElements:
        tensor = dispatch.convert(value, None, self.dtype)
        self._learn(tensor.shape)
        return self.with_flow(
            tensor_list_set_item(
                self.flow,
                _as_index(index),
                tensor,
                resize_if_index_out_of_bounds=self.dynamic_size,
                name=name,
            )
        )

    # -- all of them -------------------------------------------------------------------------

    @scoped("TensorArrayV2Stack")
    def stack(self, name: str | None = None) -> Any:
        fixed = self._size is not None and not self.dynamic_size
        return tensor_list_stack(
            self.flow,
            shape_argument(self.element_shape),
            element_dtype=self.dtype,
            num_elements=self._size if fixed else -1,
            name=name,
        )

    def gather(self, indices: Any, name: str | None = None) -> Any:
        return tensor_list_gather(
            self.flow,
            _as_index(indices),
            shape_argument(self.element_shape),
            element_dtype=self.dtype,
            name=name,
        )

    def concat(self, name: str | None = None) -> Any:
        shape = self.element_shape
        if shape.rank:
            shape = TensorShape([None]).concatenate(shape[1:])
        joined, _ = tensor_list_concat_v2(
            self.flow,
            shape_argument(shape),
            np.zeros(0, np.int64),
            element_dtype=self.dtype,
            name=name,
        )
        return joined

    @scoped("TensorArrayUnstack")
    def unstack(self, value: Any, name: str | None = None) -> FlowingElements:
        tensor = dispatch.convert(value, None, self.dtype)
        self._learn(tensor.shape[1:])
        shape = shape_argument(self.element_shape)
        return self.with_flow(tensor_list_from_tensor(tensor, shape, name=name))

    @scoped("TensorArrayScatter")
    def scatter(self, indices: TensorLike, value: Any, name: str | None = None) -> FlowingElements:
        tensor = dispatch.convert(value, None, self.dtype)
        self._learn(tensor.shape[1:])
        return self.with_flow(
            tensor_list_scatter_into(self.flow, tensor, _as_index(indices), name=name)
        )

    @scoped("TensorArraySplit")
    def split(self, value: Any, lengths: TensorLike, name: str | None = None) -> FlowingElements:
        tensor = dispatch.convert(value, None, self.dtype)
        sizes = dispatch.convert(lengths, None, dtypes.int64)
        if sizes.dtype is not dtypes.int64:
            sizes = cast(sizes, DstT=dtypes.int64)
        static_sizes = sizes.static_value
        same = (
            static_sizes is not None
            and static_sizes.size
            and (static_sizes == static_sizes[0]).all()
        )
        self._learn(
            TensorShape([int(static_sizes[0]) if same else None]).concatenate(tensor.shape[1:])
        )
        shape = self.element_shape
        if shape.rank:
            shape = TensorShape([None]).concatenate(shape[1:])
        return self.with_flow(tensor_list_split(tensor, shape_argument(shape), sizes, name=name))


def _as_index(index: Any) -> Any:
    """Convert indices to int32, as list ops expect."""
    if isinstance(index, Tensor):
        return cast(index, DstT=dtypes.int32) if index.dtype is dtypes.int64 else index
    return dispatch.convert(index, dtypes.int32)


def identity_of(elements: FlowingElements) -> FlowingElements:
    """Return a version with the same elements, as a tensor of its own."""
    return elements.with_flow(identity(elements.flow))
