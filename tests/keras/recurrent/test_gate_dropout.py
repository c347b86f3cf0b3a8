"""Dropout of the gates of recurrent cells, each with a pattern of its own."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

CELLS = {
    "lstm": lambda **kwargs: tf.keras.layers.LSTMCell(3, **kwargs),
    "gru": lambda **kwargs: tf.keras.layers.GRUCell(3, **kwargs),
    "gru_reset_before": lambda **kwargs: tf.keras.layers.GRUCell(3, reset_after=False, **kwargs),
}


def filled(cell: Any) -> Any:
    cell.build((None, 2))
    rng = np.random.default_rng(0)
    cell.set_weights([rng.normal(size=w.shape) for w in cell.get_weights()])
    return cell


@pytest.mark.parametrize("name", CELLS)
def test_each_gate_draws_its_own_pattern(name: str) -> None:
    cell = CELLS[name](dropout=0.5, recurrent_dropout=0.5, seed=1)
    patterns = cell.get_dropout_mask(tf.ones((16, 2)))
    assert len(patterns) == (4 if name == "lstm" else 3)
    for one, other in combinations(patterns, 2):
        assert not np.array_equal(one, other)
    assert cell.get_dropout_mask(tf.ones((16, 2))) is patterns


@pytest.mark.parametrize("weight", ["kernel", "recurrent_kernel"])
@pytest.mark.parametrize("name", CELLS)
def test_a_pattern_of_zeros_removes_one_gate(name: str, weight: str) -> None:
    cell = filled(CELLS[name](dropout=0.5, recurrent_dropout=0.5))
    states = [tf.ones((4, 3)) for _ in tf.nest.flatten(cell.state_size)]
    inputs = tf.reshape(tf.range(8.0), (4, 2))
    gates = cell.kernel.shape[-1] // 3
    for gate in range(gates):
        patterns = [[tf.ones((4, size)) for _ in range(gates)] for size in (2, 3)]
        patterns[weight == "recurrent_kernel"][gate] *= 0.0
        cell._dropout_mask, cell._recurrent_dropout_mask = patterns
        dropped, _ = cell(inputs, states, training=True)

        plain = filled(CELLS[name]())
        values = getattr(plain, weight).numpy()
        values[:, 3 * gate : 3 * gate + 3] = 0.0
        getattr(plain, weight).assign(values)
        expected, _ = plain(inputs, states)
        np.testing.assert_allclose(dropped, expected, rtol=1e-6, atol=1e-6)


def test_a_layer_trains_with_patterns_of_gates() -> None:
    layer = tf.keras.layers.LSTM(3, dropout=0.5, implementation=1, seed=2)
    x = tf.ones((4, 5, 2))
    plain = layer(x)
    trained = tf.function(layer)(x, training=True)
    assert trained.shape == plain.shape
    assert not np.allclose(trained, plain)
