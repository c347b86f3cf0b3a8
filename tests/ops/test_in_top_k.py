"""Rows that are decided by their first predictions are those that all of them decide."""

from __future__ import annotations

import numpy as np
import pytest

from tapeflow._src.backends import numpy as xp
from tapeflow._src.ops.math.sorting import in_top_k_v2


@pytest.mark.parametrize("shape", [(4, 5), (100, 200), (300, 1000), (3, 0), (0, 500), (70, 129)])
@pytest.mark.parametrize("has_ties", [False, True])
@pytest.mark.parametrize("k", [0, 1, 5, 50])
def test_the_first_columns_decide_what_all_do(
    shape: tuple[int, int], has_ties: bool, k: int
) -> None:
    numbers = np.random.default_rng(k)
    predictions = numbers.normal(0, 3, shape).astype(np.float32)
    if has_ties:
        predictions = np.round(predictions)
    if predictions.size:
        special = numbers.integers(0, predictions.size, 3)
        predictions.reshape(-1)[special] = [np.nan, np.inf, -np.inf]
    targets = numbers.integers(-1, shape[1] + 2, shape[0]).astype(np.int32)
    expected = in_top_k_v2.body(xp, predictions, targets, np.int32(k))
    actual = in_top_k_v2.run(xp, predictions, targets, np.int32(k))
    np.testing.assert_array_equal(actual, expected)
