"""`keras.ops.rearrange` against NumPy, and as a part of models."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

rearrange = tf.keras.ops.rearrange
X = np.arange(48.0).reshape(2, 6, 4)


@pytest.mark.parametrize(
    ("pattern", "lengths", "expected"),
    [
        ("b c h -> b h c", {}, X.transpose(0, 2, 1)),
        ("b c h -> (b c) h", {}, X.reshape(12, 4)),
        ("b (c d) h -> b c d h", {"c": 3}, X.reshape(2, 3, 2, 4)),
        (
            "b (c d) h -> (h d) (b c)",
            {"c": 3, "d": 2},
            X.reshape(2, 3, 2, 4).transpose(3, 2, 0, 1).reshape(8, 6),
        ),
        ("a b c -> a b c", {}, X),
    ],
)
def test_patterns(pattern: str, lengths: dict[str, int], expected: np.ndarray) -> None:
    np.testing.assert_array_equal(rearrange(X, pattern, **lengths), expected)


def test_models_are_read_from_their_configs() -> None:
    inputs = tf.keras.Input((6, 4))
    outputs = rearrange(inputs, "b (c d) h -> b (h c) d", d=2)
    assert tuple(outputs.shape)[1:] == (12, 2)
    model = tf.keras.Model(inputs, outputs)
    again = tf.keras.Model.from_config(model.get_config())
    np.testing.assert_array_equal(again(X), model(X))


@pytest.mark.parametrize(
    "pattern", ["a b -> a b", "a b c -> a b", "(a d e) b c -> a b c d e", "abc"]
)
def test_bad_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="rearrange"):
        rearrange(X, pattern)
