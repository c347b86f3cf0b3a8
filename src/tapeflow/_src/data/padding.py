"""`padded_batch`: batch elements of different sizes, padded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.errors import DataLossError, fmt_shape, invalid
from tapeflow._src.core.registry import Bool, Index, ManyFree, ManyIndex, Variant
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.data.arguments import boolean, int64
from tapeflow._src.data.batching import batches, full_size
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage


class PaddedBatch(Stage):
    """Batches of elements padded to `shapes`, where -1 is the largest size in the batch."""

    def __init__(
        self,
        source: Stage,
        size: int,
        shapes: Sequence[tuple[int, ...]],
        values: Sequence[Any],
        drop_remainder: bool,
    ) -> None:
        if size < 1:
            raise invalid("Batch size must be greater than zero.")
        self._source = source
        self._size = size
        self._shapes = shapes
        self._values = values
        self._drop = drop_remainder

    def cursor(self) -> Cursor:
        return _PaddedCursor(self._source.cursor(), self)

    def cardinality(self) -> int:
        return batches(self._source.cardinality(), self._size, self._drop)

    def leading(self) -> int | None:
        return self._size if self._drop else None

    def batch(self, source: Cursor) -> Element | None:
        """Return a batch of the next elements of `source`; None at the end."""
        elements = list(islice(source, self._size))
        if not elements or (self._drop and len(elements) < self._size):
            return None
        columns = enumerate(zip(*elements))
        return tuple([self._padded(arrays, index) for index, arrays in columns])

    def _padded(self, arrays: tuple[Any, ...], index: int) -> Any:
        target = self._shapes[index]
        for array in arrays:
            if array.ndim != len(target):
                raise invalid(
                    f"All elements in a batch must have the same rank as the padded shape for "
                    f"component {index}: expected rank {len(target)} but got element with rank "
                    f"{array.ndim}"
                )
        largest = [max(sizes) for sizes in zip(*(array.shape for array in arrays))]
        dims = [most if size < 0 else size for size, most in zip(target, largest)]
        if any(most > size for most, size in zip(largest, dims)):
            raise DataLossError(
                None,
                None,
                f"Attempted to pad to a smaller size than the input element, in component {index}: "
                f"an element of shape {fmt_shape(largest)} to {fmt_shape(dims)}.",
            )
        out = np.empty((len(arrays), *dims), arrays[0].dtype)
        out[...] = self._values[index]
        for row, array in enumerate(arrays):
            place_in: Any = (row, *[slice(size) for size in array.shape])
            out[place_in] = array if array.ndim else array[()]
        return out


class _PaddedCursor(Cursor):
    def __init__(self, source: Cursor, stage: PaddedBatch) -> None:
        self._source = source
        self._stage = stage

    def __next__(self) -> Element:
        rows = self._stage.batch(self._source)
        if rows is None:
            raise StopIteration
        return rows

    def get_state(self) -> Any:
        return self._source.get_state()

    def set_state(self, state: Any) -> None:
        self._source.set_state(state)


@dataset_op("PaddedBatchDatasetV2")
def padded_batch_dataset_v2(
    xp,
    input_dataset: Variant,
    batch_size: Index,
    padded_shapes: ManyIndex,
    padding_values: ManyFree,
    drop_remainder: Bool,
    *,
    output_shapes,
    parallel_copy=False,
    metadata="",
):
    """Return a dataset of padded batches."""
    shapes = [tuple(shape.tolist()) for shape in padded_shapes]
    return PaddedBatch(input_dataset, int(batch_size), shapes, padding_values, bool(drop_remainder))


# -- the transformation -------------------------------------------------------------------------


def padded_batch(
    dataset: DatasetLike,
    batch_size: Any,
    padded_shapes: Any,
    padding_values: Any,
    drop_remainder: Any,
    name: str | None,
) -> Recipe:
    """Pad elements to the same shapes and combine them into batches."""
    layout = dataset._layout
    for leaf in nest.flatten(layout.spec):
        if not isinstance(leaf, TensorSpec):
            raise TypeError(f"`padded_batch` is only supported for dense tensors, not {leaf}.")
    size, drop = int64(batch_size), boolean(drop_remainder)
    shapes = _shapes(layout, padded_shapes)
    values = _values(layout, padding_values)
    full = full_size(size, drop)
    specs = [
        TensorSpec(TensorShape([full]).concatenate(known), spec.dtype)
        for (_, known), spec in zip(shapes, layout.tensors)
    ]
    result_layout = Layout(nest.pack_sequence_as(layout.spec, specs))
    variant = padded_batch_dataset_v2(
        dataset._variant_tensor,
        size,
        [tensor for tensor, _ in shapes],
        values,
        drop,
        output_shapes=described(result_layout)["output_shapes"],
        name=name,
    )
    return Recipe("_PaddedBatchDataset", variant, result_layout.spec)


def _shapes(layout: Layout, padded_shapes: Any) -> list[tuple[Any, TensorShape]]:
    """Return the shape to pad each component to: as a tensor, -1 where open, and statically."""
    if padded_shapes is None:
        shapes: list[Any] = [spec.shape for spec in layout.tensors]
        for index, shape in enumerate(shapes):
            if shape.rank is None:
                raise ValueError(
                    f"`padded_shapes` is needed, as the rank of component {index} is unknown."
                )
    elif nest.is_nested(layout.spec):
        shapes = nest.flatten_up_to(layout.spec, padded_shapes, check_types=False)
    else:
        shapes = [padded_shapes]
    return [_shape(each, spec.shape) for each, spec in zip(shapes, layout.tensors)]


def _shape(given: Any, component: TensorShape) -> tuple[Any, TensorShape]:
    if isinstance(given, Tensor):
        tensor = given
        sizes = tensor.static_value
        known = [None if n < 0 else int(n) for n in sizes] if sizes is not None else None
        return int64(tensor), as_shape(known)
    shape = as_shape([given] if isinstance(given, int) else _open(given))
    if not _is_padding_of(shape, component):
        raise ValueError(
            f"A component of shape {_shown(component)} cannot be padded to the shape "
            f"{_shown(shape)}."
        )
    sizes = [-1 if n is None else n for n in shape.as_list()]
    return dispatch.convert(np.array(sizes, np.int64), dtypes.int64), shape


def _open(shape: Any) -> Any:
    """Read a shape argument: -1 stands for an open size, as None does."""
    if isinstance(shape, TensorShape):
        return shape
    return [None if n is None or int(n) < 0 else int(n) for n in shape]


def _is_padding_of(shape: TensorShape, component: TensorShape) -> bool:
    if component.rank is None:
        return True
    return shape.rank == component.rank and all(
        a is None or b is None or a >= b for a, b in zip(shape, component)
    )


def _shown(shape: TensorShape) -> str:
    return str(shape)


def _values(layout: Layout, padding_values: Any) -> list[Any]:
    """Return the padding value of each component: 0, or "", by default."""
    if padding_values is None or not nest.is_nested(padding_values):
        values = [padding_values] * len(layout.tensors)
    else:
        values = nest.flatten_up_to(layout.spec, padding_values, check_types=False)
    return [_value(each, spec.dtype) for each, spec in zip(values, layout.tensors)]


def _value(given: Any, dtype: Any) -> Any:
    if given is None:
        return dispatch.convert("" if dtype is dtypes.string else np.zeros((), dtype.np), dtype)
    value = given if isinstance(given, Tensor) else dispatch.convert(given, None, dtype)
    if value.static_shape:
        raise ValueError(
            f"`padding_values` must be scalars, one for each component. Received a tensor of "
            f"shape {value.shape}"
        )
    if value.dtype is not dtype:
        raise TypeError(
            f"`padding_values` must have the dtypes of the components. Received {value.dtype.name} "
            f"for a component of dtype {dtype.name}"
        )
    return value
