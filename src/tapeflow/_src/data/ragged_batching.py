"""`ragged_batch`: batch elements of different sizes as ragged tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.elements import Layout
from tapeflow._src.composite.ragged.tensor import RaggedTensor, RaggedTensorSpec
from tapeflow._src.core import nest
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.functions import traced_on_elements
from tapeflow._src.data.mapping import map_dataset
from tapeflow._src.data.recipe import DatasetLike, Recipe, described


def as_ragged(dataset: DatasetLike, row_splits_dtype: Any) -> Recipe:
    """Convert components of unknown size to ragged tensors, which batch to ragged tensors."""
    layout = dataset._layout
    spec = nest.map_structure(lambda leaf: _ragged_spec(leaf, row_splits_dtype), layout.spec)
    ragged = Layout(spec)

    def convert(*element: Any) -> Any:
        received = element if type(layout.spec) is tuple else element[0]
        parts = nest.flatten_up_to(layout.spec, received, check_types=False)
        values = [_value(leaf, part) for leaf, part in zip(nest.flatten(spec), parts)]
        return tuple(ragged.flatten(nest.pack_sequence_as(spec, values)))

    function = traced_on_elements(convert, layout, "ragged_batch")
    variant = map_dataset(
        dataset._variant_tensor,
        function.captured,
        f=function.body,
        preserve_cardinality=True,
        **described(ragged),
    )
    return Recipe("_MapDataset", variant, spec)


def _ragged_spec(leaf: Any, row_splits_dtype: Any) -> Any:
    if not isinstance(leaf, TensorSpec) or not leaf.shape.rank or leaf.shape.is_fully_defined():
        return leaf
    rank = max(axis for axis, size in enumerate(leaf.shape.as_list()) if size is None)
    return RaggedTensorSpec(leaf.shape, leaf.dtype, rank, row_splits_dtype)


def _value(leaf: Any, value: Any) -> Any:
    if not isinstance(leaf, RaggedTensorSpec) or isinstance(value, RaggedTensor):
        return value
    if not leaf.ragged_rank:
        return value
    return RaggedTensor.from_tensor(
        value, ragged_rank=leaf.ragged_rank, row_splits_dtype=leaf.row_splits_dtype
    )
