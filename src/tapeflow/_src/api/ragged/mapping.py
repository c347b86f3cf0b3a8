"""Apply functions to the flat values of ragged tensors; masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.composite.ragged import gathering
from tapeflow._src.composite.ragged.checks import require_equal
from tapeflow._src.composite.ragged.elementwise import same_splits_dtype
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dtypes, nest
from tapeflow._src.core.dispatch import operand
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Apply `op` to the flat values of ragged arguments, whose partitions must be equal.

    Args:
        op: A function that returns one value for each flat value.
        *args: Its arguments, or structures of them.
        **kwargs: Its keyword arguments.

    Returns:
        A `tf.RaggedTensor` with the same partitions; the plain result if no argument is ragged.

    Raises:
        ValueError: Partitions or the number of results do not match.

    Example:

        >>> x = tf.ragged.constant([[1, 2], [], [3]])
        >>> tf.ragged.map_flat_values(lambda v: v * 10, x).to_list()
        [[10, 20], [], [30]]
    """
    ragged = [leaf for leaf in nest.flatten((args, kwargs)) if isinstance(leaf, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    first = ragged[0]
    _require_same_rows(ragged)
    flat_args, flat_kwargs = nest.map_structure(_flat, (args, kwargs))
    result = op(*flat_args, **flat_kwargs)
    size = first.flat_values.shape[:1]
    if result.shape.rank == 0 or not result.shape[:1].is_compatible_with(size):
        raise ValueError(
            f"`op` must return one value for each flat value: expected a first dimension of "
            f"{size[0]}. Received an output of shape {result.shape}"
        )
    return first.with_flat_values(result)


def _flat(value: TensorLike) -> Any:
    return value.flat_values if isinstance(value, RaggedTensor) else value


def _require_same_rows(ragged: list[RaggedTensor]) -> None:
    same_splits_dtype(ragged)
    sizes = {value.flat_values.shape[0] for value in ragged} - {None}
    if len(sizes) > 1:
        raise ValueError(
            f"Ragged tensors that are mapped together need the same number of flat values. "
            f"Received: {sorted(sizes)}"
        )
    if len({value.ragged_rank for value in ragged}) > 1:
        ranks = [value.ragged_rank for value in ragged]
        raise ValueError(f"Ragged inputs must agree in ragged_rank. Received: {ranks}")
    first = ragged[0]._nested_row_partitions
    for value in ragged[1:]:
        for partition, other in zip(first, value._nested_row_partitions):
            if not partition._same_as(other):
                text = "tf.ragged.map_flat_values: partitions have incompatible row_splits"
                require_equal(partition.row_splits(), other.row_splits(), text)


@scoped("RaggedMask")
def boolean_mask(data: TensorLike, mask: TensorLike, name: str | None = None) -> Any:
    """Return the elements of `data` where `mask` is true, in ragged rows.

    Args:
        data: A dense or ragged tensor.
        mask: Booleans with the shape, or the first axes, of `data`.
        name: Name of the op in a graph.

    Returns:
        A ragged tensor with the axes of `data`: unlike `tf.boolean_mask`, rows are kept apart.

    Example:

        >>> mask = [[True, False], [True, True]]
        >>> tf.ragged.boolean_mask([[1, 2], [3, 4]], mask).to_list()
        [[1], [3, 4]]
    """
    return gathering.boolean_mask(operand(data), operand(mask, dtypes.bool))
