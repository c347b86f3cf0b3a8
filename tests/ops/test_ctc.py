"""Connectionist temporal classification against its definition: a sum over all paths."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest

import tapeflow as tf

TIMES, CLASSES = 5, 3
BLANK = CLASSES - 1


def _logits(seed: int = 0, batch: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(TIMES, batch, CLASSES))


def _probabilities(logits: np.ndarray, merge: bool = True) -> dict[tuple[int, ...], float]:
    """The probability of each label sequence, path by path."""
    softmax = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for path in itertools.product(range(CLASSES), repeat=len(logits)):
        kept = [s for i, s in enumerate(path) if not (merge and i and path[i - 1] == s)]
        labels = tuple(s for s in kept if s != BLANK)
        found[labels] += math.prod(softmax[t, s] for t, s in enumerate(path))
    return found


def _loss(logits: np.ndarray, labels: list[int], **options: bool) -> tuple[np.ndarray, np.ndarray]:
    indices = np.array([[0, i] for i in range(len(labels))], np.int64).reshape(-1, 2)
    loss, gradient = tf.raw_ops.CTCLoss(
        inputs=logits,
        labels_indices=indices,
        labels_values=np.array(labels, np.int32),
        sequence_length=[len(logits)],
        **options,
    )
    return loss.numpy()[0], gradient.numpy()


@pytest.mark.parametrize("labels", [[0], [0, 1], [1, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1]])
def test_loss_sums_over_all_paths(labels: list[int]) -> None:
    logits = _logits()
    expected = -math.log(_probabilities(logits[:, 0])[tuple(labels)])
    assert _loss(logits, labels)[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("labels", [[0, 1], [1, 1, 0]])
def test_loss_of_labels_that_are_not_merged(labels: list[int]) -> None:
    logits = _logits()
    expected = -math.log(_probabilities(logits[:, 0], merge=False)[tuple(labels)])
    actual = _loss(logits, labels, ctc_merge_repeated=False)[0]
    assert actual == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("labels", [[0], [0, 1], [1, 1]])
def test_gradient_is_the_slope_of_the_loss(labels: list[int]) -> None:
    logits = _logits(1)
    direction = np.random.default_rng(2).normal(size=logits.shape)
    step = 1e-6
    slope = (
        _loss(logits + step * direction, labels)[0] - _loss(logits - step * direction, labels)[0]
    ) / (2 * step)
    assert (_loss(logits, labels)[1] * direction).sum() == pytest.approx(slope, rel=1e-6)


def test_labels_of_no_path_cost_infinity() -> None:
    # Two equal labels need a blank between them: three times.
    loss, gradient = _loss(_logits()[:2], [1, 1])
    assert loss == np.inf
    assert np.isfinite(gradient).all()


def test_dense_labels_longer_than_the_time_cost_infinity() -> None:
    logits = tf.constant(_logits(0, 2))
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.ctc_loss([[1, 2, 1], [1, 0, 0]], logits, [3, 1], [2, 5])
    assert np.isinf(loss[0]) and np.isfinite(loss[1])
    gradient = tape.gradient(loss, logits)
    assert np.isfinite(gradient.numpy()).all()
    assert (gradient.numpy()[:, 0] == 0).all()


def test_second_gradient_is_refused() -> None:
    logits = tf.constant(_logits())
    with tf.GradientTape() as outer:
        outer.watch(logits)
        with tf.GradientTape() as inner:
            inner.watch(logits)
            loss = tf.nn.ctc_loss([[1]], logits, [1], [TIMES])
        first = inner.gradient(loss, logits)
    with pytest.raises(LookupError, match="CTCLoss computes its own gradient"):
        outer.gradient(first, logits)


def test_beam_search_finds_the_likeliest_sequences() -> None:
    logits = _logits(3)
    probabilities = _probabilities(logits[:, 0])
    best = sorted(probabilities, key=lambda labels: -probabilities[labels])[:4]
    decoded, scores = tf.nn.ctc_beam_search_decoder(
        logits.astype(np.float32), [TIMES], beam_width=200, top_paths=4
    )
    assert [tuple(d.values.numpy().tolist()) for d in decoded] == best
    np.testing.assert_allclose(
        scores.numpy()[0], [math.log(probabilities[labels]) for labels in best], rtol=1e-5
    )


def test_greedy_decoder_takes_the_best_of_each_time() -> None:
    logits = np.full((4, 1, 3), -1.0, np.float32)
    for time, best in enumerate([0, 0, 2, 0]):
        logits[time, 0, best] = 3.0
    (merged,), score = tf.nn.ctc_greedy_decoder(logits, [4])
    (each,), _ = tf.nn.ctc_greedy_decoder(logits, [4], merge_repeated=False)
    assert merged.values.numpy().tolist() == [0, 0]
    assert each.values.numpy().tolist() == [0, 0, 0]
    assert score.numpy().tolist() == [[-12.0]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [[1, 3]]}, "classes in"),
        ({"label_length": [3]}, "between 0 and 2"),
        ({"label_length": [1, 1]}, "one entry per row"),
        ({"labels": [1, 2]}, "must be a matrix"),
        ({"logits": np.zeros((3, 3), np.float32)}, "rank 3"),
        ({"blank_index": 3}, "blank_index"),
    ],
    ids=str,
)
def test_wrong_dense_labels_are_named(change: dict[str, object], message: str) -> None:
    given: dict[str, object] = {
        "labels": [[1, 2]],
        "logits": np.zeros((3, 1, 3), np.float32),
        "label_length": [2],
        "logit_length": [3],
    }
    with pytest.raises(ValueError, match=message):
        tf.nn.ctc_loss(**{**given, **change})


@pytest.mark.parametrize("traced", [False, True])
def test_dense_labels_may_contain_the_blank(traced: bool) -> None:
    logits = np.random.default_rng(0).standard_normal((1, 5, 4)).astype(np.float32)
    # The losses that TensorFlow computes.
    expected = {
        (1, 0, 2): 5.912281,
        (0, 0, 0): 10.812045,
        (0, 1, 0): 6.217926,
        (2, 0, 2): 4.6805725,
        (1, 2, 3): None,
    }

    def loss(labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        return tf.nn.ctc_loss(labels, logits, [3], [5], logits_time_major=False, blank_index=0)

    call = tf.function(loss) if traced else loss
    for labels, value in expected.items():
        rows = tf.constant([labels])
        with tf.GradientTape() as tape:
            x = tf.constant(logits)
            tape.watch(x)
            found = call(rows, x)
        if value is not None:
            assert found.numpy()[0] == pytest.approx(value, rel=1e-5)
        direction = np.random.default_rng(1).standard_normal(logits.shape).astype(np.float32)
        difference = loss(rows, logits + 1e-2 * direction) - loss(rows, logits - 1e-2 * direction)
        slope = np.sum(tape.gradient(found, x).numpy() * direction)
        assert slope == pytest.approx(difference.numpy()[0] / 2e-2, rel=1e-2)


def test_dense_labels_and_lengths_may_be_int64() -> None:
    logits = _logits(batch=2)
    labels, lengths = [[1, 2, 0], [2, 0, 0]], [2, 1]

    def loss(dtype: tf.DType) -> np.ndarray:
        return tf.nn.ctc_loss(
            tf.constant(labels, dtype),
            tf.constant(logits),
            tf.constant(lengths, dtype),
            [TIMES, TIMES],
            blank_index=0,
        ).numpy()

    np.testing.assert_array_equal(loss(tf.int64), loss(tf.int32))


def test_sparse_labels_out_of_order_are_refused() -> None:
    labels = tf.SparseTensor([[1, 0], [0, 0]], [1, 1], [2, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"out of order.*CTCLoss"):
        tf.nn.ctc_loss(labels, np.zeros((3, 2, 3), np.float32), None, [3, 3], blank_index=0)


def test_beam_search_of_nan_is_refused() -> None:
    logits = np.full((3, 1, 3), np.nan, np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"CTCBeamSearchDecoder"):
        tf.nn.ctc_beam_search_decoder(logits, [3])
