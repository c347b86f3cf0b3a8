"""`rejection_resample`: classes have the distribution that is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.data.helpers import Dataset, elements


def _nine_in_ten(count: int = 3000) -> Any:
    return Dataset.range(count).map(lambda x: (tf.cast(x % 10 < 9, tf.int32), x))


@pytest.mark.parametrize("initial", [[0.1, 0.9], None])
@pytest.mark.parametrize("target", [[0.5, 0.5], [0.3, 0.7]])
def test_classes_have_the_target_distribution(initial: Any, target: list[float]) -> None:
    dataset = _nine_in_ten().rejection_resample(lambda label, x: label, target, initial, seed=1)
    pairs = elements(dataset)
    assert all(label == element[0] for label, element in pairs)
    # A tenth of them is of class 0, and each is taken at most twice.
    assert 300 / target[0] / 2 < len(pairs) < 2 * 300 / target[0]
    # The standard deviation of the mean is at most 0.02.
    assert np.mean([label for label, _ in pairs]) == pytest.approx(target[1], abs=0.08)


def test_the_same_distribution_keeps_all_elements() -> None:
    dataset = Dataset.range(10).rejection_resample(lambda x: x % 2, [0.5, 0.5], [0.5, 0.5])
    assert elements(dataset) == [(x % 2, x) for x in range(10)]


def test_a_seed_makes_the_choices_repeatable() -> None:
    resample = tf.data.experimental.rejection_resample(lambda y, x: y, [0.5, 0.5], seed=7)
    assert elements(_nine_in_ten(200).apply(resample)) == elements(
        _nine_in_ten(200).apply(resample)
    )


def test_wrong_arguments_are_named() -> None:
    dataset = Dataset.range(4)
    with pytest.raises(ValueError, match="initial_dist"):
        dataset.rejection_resample(lambda x: x % 2, [0.5, 0.5], [0.2, 0.3, 0.5])
    with pytest.raises(ValueError, match="vector"):
        dataset.rejection_resample(lambda x: x % 2, 0.5)
    with pytest.raises(TypeError, match="class_func"):
        dataset.rejection_resample(lambda x: tf.cast(x, tf.float32), [0.5, 0.5])
