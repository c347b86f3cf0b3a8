"""`at`: one element of a dataset, by its index."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.elements import described_specs
from tapeflow._src.core.errors import FailedPreconditionError, OutOfRangeError
from tapeflow._src.core.registry import MANY_OUTPUTS, Index, Variant, op
from tapeflow._src.data.arguments import INFINITE, int64
from tapeflow._src.data.recipe import DatasetLike, described
from tapeflow._src.data.stage import HOST, Element, Stage


@op("GetElementAtIndex", outputs=MANY_OUTPUTS, grad=None, host=HOST, effect="io")
def get_element_at_index(xp, dataset: Variant, index: Index, *, output_types, output_shapes):
    """Return the element with that index."""
    return _element(dataset, int(index))


@get_element_at_index.infer
def _(dataset, index, *, output_types, output_shapes):
    return described_specs(output_types, output_shapes)


def _element(stage: Stage, index: int) -> Element:
    if stage.cardinality() == INFINITE:
        raise FailedPreconditionError(
            None, None, f"A dataset without end has no element by index. Received: {index}"
        )
    table = stage.table()
    if table is not None and 0 <= index < table.length:
        return table.element(index)
    if index >= 0:
        cursor = stage.cursor()
        cursor.skip(index)
        for element in cursor:
            return element
    raise OutOfRangeError(
        None, None, f"The dataset has no element with index {index}: out of range."
    )


def at(dataset: DatasetLike, index: Any) -> Any:
    """Return the element of a dataset with that index, counted from 0.

    Elements that are made one after the other are made up to there.

    Args:
        dataset: The dataset.
        index: The index, an integer scalar.

    Returns:
        The element.

    Raises:
        tf.errors.OutOfRangeError: If there is no such element.

    Example:
        >>> int(tf.data.experimental.at(tf.data.Dataset.range(10, 20), 3))
        13
    """
    layout = dataset._layout
    tensors = get_element_at_index(dataset._variant_tensor, int64(index), **described(layout))
    return layout.pack(tensors)
