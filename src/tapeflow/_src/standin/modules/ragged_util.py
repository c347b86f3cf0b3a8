"""`tensorflow.python.ops.ragged.ragged_util`: checks of ragged tensors."""

from __future__ import annotations

from typing import Any

from tapeflow.debugging import assert_equal


def assert_splits_match(nested_splits_lists: list[list[Any]]) -> list[Any]:
    """Return assertions that ragged tensors have the same row splits.

    Raises:
        ValueError: they have different ragged ranks.
    """
    first, *others = nested_splits_lists
    if any(len(splits) != len(first) for splits in others):
        ranks = [len(splits) for splits in nested_splits_lists]
        raise ValueError(
            f"Inputs must have identical ragged splits: their ragged ranks are {ranks}."
        )
    return [
        assert_equal(one, other, "Inputs must have identical ragged splits")
        for splits in others
        for one, other in zip(first, splits)
    ]
