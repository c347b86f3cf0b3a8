"""`cardinality` and `get_single_element`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.elements import described_specs
from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import MANY_OUTPUTS, Variant, op
from tapeflow._src.data.recipe import DatasetLike, described
from tapeflow._src.data.stage import HOST


@op("DatasetCardinality", infer=fixed((), dtypes.int64), grad=None, host=HOST)
def dataset_cardinality(xp, input_dataset: Variant, *, cardinality_options=""):
    """Return the number of elements."""
    return np.array(input_dataset.cardinality(), np.int64)


@op("DatasetToSingleElement", outputs=MANY_OUTPUTS, grad=None, host=HOST, effect="io")
def dataset_to_single_element(xp, dataset: Variant, *, output_types, output_shapes, metadata=""):
    """Return the only element of a dataset."""
    cursor = dataset.cursor()
    element = next(cursor, None)
    if element is None:
        raise invalid("Dataset was empty.")
    if next(cursor, None) is not None:
        raise invalid("Dataset had more than one element.")
    return element


@dataset_to_single_element.infer
def _(dataset, *, output_types, output_shapes, metadata):
    return described_specs(output_types, output_shapes)


def cardinality(dataset: DatasetLike) -> Any:
    """Return the number of elements as a tensor."""
    return dataset_cardinality(dataset._variant_tensor)


def single_element(dataset: DatasetLike, name: str | None) -> Any:
    """Return the only element."""
    layout = dataset._layout
    tensors = dataset_to_single_element(dataset._variant_tensor, **described(layout), name=name)
    return layout.pack(tensors)
