"""Source datasets: tensors, their slices, ranges, lists of elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.api.elements import Layout, as_element, common_spec, spec_of
from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import Index, ManyFree
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.arguments import int64
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage, TableCursor
from tapeflow._src.data.tables import Arrays, Numbers, Table

# -- stages -----------------------------------------------------------------------------------


class Rows(Stage):
    """The rows of a table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def cursor(self) -> Cursor:
        return TableCursor(self._table)

    def cardinality(self) -> int:
        return self._table.length

    def table(self) -> Table:
        return self._table


class Elements(Stage):
    """Elements in a list."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self.elements = elements

    def cursor(self) -> Cursor:
        return _ListCursor(self.elements)

    def cardinality(self) -> int:
        return len(self.elements)


class _ListCursor(Cursor):
    def __init__(self, elements: Sequence[Element]) -> None:
        self._elements = elements
        self._position = 0

    def __next__(self) -> Element:
        if self._position >= len(self._elements):
            raise StopIteration
        self._position += 1
        return self._elements[self._position - 1]

    def get_state(self) -> int:
        return self._position

    def set_state(self, state: int) -> None:
        self._position = state


# -- ops --------------------------------------------------------------------------------------


@dataset_op("TensorDataset")
def tensor_dataset(xp, components: ManyFree, *, output_shapes, metadata=""):
    """Return a dataset of one element."""
    return Elements([tuple(components)])


@dataset_op("TensorSliceDataset")
def tensor_slice_dataset(
    xp,
    components: ManyFree,
    *,
    output_shapes,
    is_files=False,
    metadata="",
    replicate_on_split=False,
):
    """Return a dataset of the slices of tensors along their first axis."""
    lengths = {array.shape[0] for array in components}
    if len(lengths) > 1:
        raise invalid(
            f"The components of a dataset of slices must have equally many rows. Received sizes of "
            f"dimension 0: {sorted(lengths)}"
        )
    return Rows(Arrays(components))


@dataset_op("ListDataset")
def list_dataset(xp, tensors: ManyFree, *, output_types, output_shapes, metadata=""):
    """Return a dataset of the elements of a list, written one after the other."""
    size = len(output_types)
    return Elements([tuple(tensors[i : i + size]) for i in range(0, len(tensors), size)])


@dataset_op("RangeDataset")
def range_dataset(
    xp,
    start: Index,
    stop: Index,
    step: Index,
    *,
    output_types,
    output_shapes,
    metadata="",
    replicate_on_split=False,
):
    """Return a dataset of the numbers from `start` to before `stop`, `step` apart."""
    if not step:
        raise invalid("step must be a non-zero integer.")
    return Rows(Numbers(range(int(start), int(stop), int(step)), as_dtype(output_types[0])))


# -- transformations ---------------------------------------------------------------------------


def from_tensors(tensors: Any, name: str | None) -> Recipe:
    """Create a dataset with one element."""
    element = as_element(tensors)
    layout = Layout.of(element)
    flat = layout.flatten(element)
    if not flat:
        raise invalid(f"from_tensors needs at least one tensor, got {tensors!r}.")
    variant = tensor_dataset(flat, output_shapes=layout.shapes, name=name)
    return Recipe("_TensorDataset", variant, layout.spec)


def from_tensor_slices(tensors: Any, name: str | None) -> Recipe:
    """Create a dataset of the slices of tensors along their first axis."""
    element = as_element(tensors)
    whole = Layout.of(element)
    layout = Layout(whole.unbatched())
    flat = whole.flatten_rows(element)
    if not flat:
        raise ValueError("`from_tensor_slices` received no tensor to slice.")
    _require_equal_lengths(flat)
    variant = tensor_slice_dataset(flat, output_shapes=layout.shapes, name=name)
    return Recipe("_TensorSliceDataset", variant, layout.spec)


def _require_equal_lengths(tensors: Sequence[Any]) -> None:
    first: int | None = None
    for tensor in tensors:
        length = None if tensor.static_shape is None else tensor.static_shape[0]
        if first is not None and length is not None and length != first:
            raise ValueError(f"Dimensions {first} and {length} are not compatible")
        first = length if first is None else first


def from_list(elements: Sequence[Any], name: str | None) -> Recipe:
    """Create a dataset from a list of elements of one structure and dtypes."""
    if not isinstance(elements, list):
        raise ValueError(
            f"`from_list` takes a list of elements. Received: {elements!r} of type "
            f"{type(elements).__name__}"
        )
    if not elements:
        raise ValueError("`from_list` received no elements, from which to infer the types.")
    converted = [as_element(element) for element in elements]
    specs = [spec_of(element) for element in converted]
    spec = specs[0]
    for other in specs[1:]:
        spec_of_both = common_spec(spec, other)
        if spec_of_both is None:
            raise ValueError(
                f"All `elements` must have the same structure and dtypes. Expected {spec}, but "
                f"encountered {other}."
            )
        spec = spec_of_both
    layout = Layout(spec)
    flat = [tensor for element in converted for tensor in layout.flatten(element)]
    variant = list_dataset(flat, **described(layout), name=name)
    return Recipe("_ListDataset", variant, spec)


def range_of(ends: tuple[Any, ...], output_type: Any, name: str | None) -> Recipe:
    """Create a dataset of a range, with the arguments of `range`."""
    match ends:
        case (stop,):
            start, step = 0, 1
        case (start, stop):
            step = 1
        case (start, stop, step):
            pass
        case _:
            raise ValueError(
                f"`range` takes (stop), (start, stop) or (start, stop, step). Received {len(ends)} "
                f"arguments"
            )
    layout = Layout(TensorSpec([], dtypes.int64 if output_type is None else output_type))
    variant = range_dataset(int64(start), int64(stop), int64(step), **described(layout), name=name)
    return Recipe("_RangeDataset", variant, layout.spec)
