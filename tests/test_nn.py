"""`tf.nn`: what TensorFlow gives, edges it does not reach, and what wrong arguments are told."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import random_state
from tapeflow._src.core.errors import OpError
from tests.parity.nn_programs import PROGRAMS
from tests.parity.recorded_nn import RECORDED, check

nn = tf.nn


@pytest.fixture(autouse=True)
def _no_global_seed():
    yield
    tf.random.set_seed(None)


def numbers(*shape: int, seed: int = 0) -> tf.Tensor:
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


# -- as recorded -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_and_gradients_are_tensorflows(name: str) -> None:
    check(name)


def test_nothing_stale_is_recorded() -> None:
    assert RECORDED.keys() - {"prelude"} == PROGRAMS.keys()


# -- wrong arguments ---------------------------------------------------------------------------

_SPARSE = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], np.array([1, 1, 2]), [2, 2])
_ONES = [1, 1, 1, 1]
CALLS: dict[str, tuple[Any, ...]] = {
    "conv1d": (numbers(2, 5, 3), numbers(2, 3, 4), 1, "SAME"),
    "conv2d": (numbers(2, 5, 6, 3), numbers(2, 2, 3, 4), 1, "SAME"),
    "conv3d": (numbers(1, 3, 4, 4, 2), numbers(2, 2, 2, 2, 3), [1] * 5, "SAME"),
    "convolution": (numbers(2, 5, 6, 3), numbers(2, 2, 3, 4)),
    "conv1d_transpose": (numbers(2, 5, 3), numbers(2, 4, 3), [2, 5, 4], 1),
    "conv2d_transpose": (numbers(2, 5, 6, 3), numbers(2, 2, 4, 3), [2, 5, 6, 4], 1),
    "conv3d_transpose": (numbers(1, 3, 4, 4, 2), numbers(2, 2, 2, 3, 2), [1, 3, 4, 4, 3], 1),
    "conv_transpose": (numbers(2, 5, 6, 3), numbers(2, 2, 4, 3), [2, 5, 6, 4], 1),
    "depthwise_conv2d": (numbers(2, 5, 6, 3), numbers(2, 2, 3, 2), _ONES, "SAME"),
    "separable_conv2d": (
        numbers(2, 5, 6, 3),
        numbers(2, 2, 3, 2),
        numbers(1, 1, 6, 4),
        _ONES,
        "SAME",
    ),
    "atrous_conv2d": (numbers(2, 5, 6, 3), numbers(2, 2, 3, 4), 2, "SAME"),
    "max_pool": (numbers(2, 5, 6, 3), 2, 2, "SAME"),
    "avg_pool": (numbers(2, 5, 6, 3), 2, 2, "SAME"),
    "max_pool1d": (numbers(2, 5, 3), 2, 2, "SAME"),
    "avg_pool3d": (numbers(2, 5, 6, 3, 1), 2, 2, "SAME"),
    "max_pool_with_argmax": (numbers(2, 5, 6, 3), 2, 2, "SAME"),
    "pool": (numbers(2, 5, 6, 3), [2, 2], "MAX"),
    "fractional_max_pool": (numbers(2, 5, 6, 3), 1.5),
    "dilation2d": (numbers(2, 5, 6, 3), numbers(2, 2, 3), _ONES, "SAME", "NHWC", _ONES),
    "erosion2d": (numbers(2, 5, 6, 3), numbers(2, 2, 3), _ONES, "SAME", "NHWC", _ONES),
    "with_space_to_batch": (numbers(2, 5, 6, 3), [2, 2], "VALID", lambda x, n, p: x),
    "softmax": (numbers(2, 3), 1),
    "crelu": (numbers(2, 3), 1),
    "leaky_relu": (numbers(3), 0.2),
    "softmax_cross_entropy_with_logits": (numbers(2, 3), numbers(2, 3), 1),
    "sparse_softmax_cross_entropy_with_logits": ([0, 1], numbers(2, 3)),
    "sigmoid_cross_entropy_with_logits": (numbers(2, 3), numbers(2, 3)),
    "weighted_cross_entropy_with_logits": (numbers(2, 3), numbers(2, 3), 2.0),
    "compute_average_loss": (numbers(2), [1.0, 2.0], 4),
    "moments": (numbers(2, 3), [0]),
    "weighted_moments": (numbers(2, 3), [0], numbers(2, 3)),
    "batch_normalization": (numbers(2, 3), *(numbers(3) for _ in range(4)), 0.1),
    "l2_normalize": (numbers(2, 3), 1),
    "bias_add": (numbers(2, 3), numbers(3)),
    "lrn": (numbers(1, 2, 2, 3), 1),
    "isotonic_regression": (numbers(2, 3), True, 1),
    "dropout": (numbers(2, 3), 0.5, [2, 1], 1),
    "embedding_lookup": (numbers(6, 2), [1, 2], 0.5),
    "embedding_lookup_sparse": (numbers(6, 2), _SPARSE, None),
    "safe_embedding_lookup_sparse": (numbers(6, 2), _SPARSE, None),
    "nce_loss": (numbers(10, 3), numbers(10), np.array([[1], [2]]), numbers(2, 3), 4, 10),
    "ctc_loss": (np.array([[1, 1], [2, 0]]), numbers(5, 2, 4), [2, 1], [5, 4]),
    "ctc_greedy_decoder": (numbers(5, 2, 4), [5, 4]),
    "ctc_beam_search_decoder": (numbers(5, 2, 4), [5, 4], 10, 1),
    "collapse_repeated": ([[1, 1]], [2]),
    "ctc_unique_labels": ([[1, 1]],),
}
WRONG: dict[str, Any] = {
    "a number": 1.0,
    "a negative number": -3,
    "a huge number": 2**70,
    "infinity": float("inf"),
    "NaN": float("nan"),
    "a vector": numbers(3),
    "nothing": [],
    "no elements": np.zeros((0, 4, 4, 0), np.float32),
    "seven axes": numbers(2, 2, 2, 2, 2, 2, 2),
    "text": "text",
    "None": None,
    "rows of different lengths": [[1], [1, 2]],
    "truths": tf.constant([True, False]),
    "complex numbers": tf.constant([1 + 1j]),
    "a sparse tensor": _SPARSE,
    "a dictionary": {},
    "zeros": [0, 0, 0, 0],
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_are_answered(name: str, wrong: str) -> None:
    """A result, or an exception that says what was wrong: never another one, never a crash."""
    function, arguments = getattr(nn, name), CALLS[name]
    parameters = list(inspect.signature(function).parameters)
    for place in range(len(arguments)):
        changed = [*arguments[:place], WRONG[wrong], *arguments[place + 1 :]]
        try:
            function(*changed)
        except (OpError, TypeError, ValueError) as error:
            assert str(error), f"{name}({parameters[place]}={wrong}) fails without a word"


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_themselves_are_right(name: str) -> None:
    getattr(nn, name)(*CALLS[name])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: nn.conv2d(numbers(3), numbers(2, 2, 1, 1), 1, "SAME"),
            tf.errors.InvalidArgumentError,
            r"input must have rank 4, got shape \[3\].*Conv2D",
        ),
        (
            lambda: nn.conv2d(numbers(1, 3, 3, 2), numbers(2, 2, 3, 1), 1, "SAME"),
            tf.errors.InvalidArgumentError,
            "input depth must be evenly divisible by filter depth: 2 vs 3",
        ),
        (
            lambda: nn.conv2d(numbers(1, 3, 3, 1), numbers(5, 5, 1, 1), 1, "VALID"),
            tf.errors.InvalidArgumentError,
            "Computed output size would be negative",
        ),
        (
            lambda: nn.conv2d(numbers(1, 3, 3, 1), numbers(2, 2, 1, 1), [2, 1, 1, 1], "SAME"),
            tf.errors.UnimplementedError,
            "strides in the batch and depth dimensions.*Conv2D",
        ),
        (
            lambda: nn.conv2d(numbers(1, 3, 3, 1), numbers(2, 2, 1, 1), "a", "SAME"),
            TypeError,
            "expected int for argument 'strides' not 'a'",
        ),
        (
            lambda: nn.conv2d_transpose(numbers(1, 2, 2, 1), numbers(2, 2, 3, 1), [1, 9, 9, 3], 2),
            tf.errors.InvalidArgumentError,
            "out_backprop does not match.*Conv2DBackpropInput",
        ),
        (
            lambda: nn.conv1d_transpose(numbers(1, 2, 1), numbers(2, 3, 1), [1, 4], 2),
            ValueError,
            "`output_shape` must be of length 3",
        ),
        (
            lambda: nn.max_pool2d(numbers(1, 4, 4, 1), 0, 2, "VALID"),
            tf.errors.InvalidArgumentError,
            "ksize must be positive.*MaxPool",
        ),
        (
            lambda: nn.max_pool(numbers(4, 4), 2, 2, "VALID"),
            ValueError,
            r"rank 3, 4 or 5 .*\(4, 4\)",
        ),
        (
            lambda: nn.bias_add(numbers(2, 3), numbers(2)),
            tf.errors.InvalidArgumentError,
            r"Must provide as many biases.*\[2\] vs. \[2,3\].*BiasAdd",
        ),
        (
            lambda: nn.softmax(numbers(2, 3), axis=2),
            tf.errors.InvalidArgumentError,
            r"axis 2 is out of range.*\[-2, 2\)",
        ),
        (
            lambda: nn.sparse_softmax_cross_entropy_with_logits([5], numbers(1, 2)),
            tf.errors.InvalidArgumentError,
            r"Received a label value of 5 which is outside the valid range of \[0, 2\)",
        ),
        (
            lambda: nn.sparse_softmax_cross_entropy_with_logits([1, -1], numbers(2, 2)),
            tf.errors.InvalidArgumentError,
            r"Received a label value of -1 which is outside the valid range of \[0, 2\)",
        ),
        (
            lambda: nn.embedding_lookup(numbers(6, 2), [6]),
            tf.errors.InvalidArgumentError,
            r"indices\[0\] = 6 is not in \[0, 6\)",
        ),
        (
            lambda: nn.dilation2d(
                numbers(1, 3, 3, 1), numbers(2, 2, 2), _ONES, "SAME", "NHWC", _ONES
            ),
            tf.errors.InvalidArgumentError,
            "same depth: 1 vs 2.*Dilation2D",
        ),
        (
            lambda: nn.fractional_max_pool(numbers(1, 4, 4, 1), 9.0, seed=1),
            tf.errors.InvalidArgumentError,
            "Pooling ratio is higher than input dimension size for dimension 1",
        ),
        (
            lambda: nn.ctc_greedy_decoder(numbers(5, 1, 3), [6]),
            tf.errors.FailedPreconditionError,
            r"sequence_length\(0\) <= 5.*CTCGreedyDecoder",
        ),
        (lambda: nn.dropout(numbers(2), 1.0), ValueError, r"in the range \[0, 1\)"),
        (lambda: nn.lrn(numbers(1, 1, 1, 2), "a"), TypeError, "argument 'depth_radius' not 'a'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_errors_name_what_was_wrong(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"(?s){message}"):
        call()


# -- cross entropies ---------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(70, 3), (3, 70), (40, 32), (33, 33)])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_cross_entropy_of_classes_is_that_of_their_distributions(
    shape: tuple[int, int], dtype: Any
) -> None:
    rows, classes = shape
    labels = (np.arange(rows) * 7 % classes).astype(dtype)
    logits = numbers(rows, classes)
    results = []
    for call, given in (
        (nn.sparse_softmax_cross_entropy_with_logits, labels),
        (nn.softmax_cross_entropy_with_logits, np.eye(classes, dtype=np.float32)[labels]),
    ):
        with tf.GradientTape() as tape:
            tape.watch(logits)
            losses = call(labels=given, logits=logits)
        results.append((losses.numpy(), tape.gradient(losses, logits).numpy()))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


# -- where TensorFlow has a bug or no kernel ---------------------------------------------------


def test_convolution_of_nothing_has_the_right_shape() -> None:
    assert nn.conv2d(tf.zeros([0, 4, 4, 2]), numbers(2, 2, 2, 3), 1, "VALID").shape == [0, 3, 3, 3]
    assert nn.conv2d(tf.zeros([1, 3, 3, 2]), numbers(4, 4, 2, 3), 1, "VALID").shape == [1, 0, 0, 3]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_of_convolutions_with_strides_dilations_and_padding(dtype: str) -> None:
    x, w = tf.cast(numbers(1, 7, 8, 2), dtype), tf.cast(numbers(2, 3, 2, 3), dtype)
    padding = [[0, 0], [1, 2], [0, 3], [0, 0]]

    def total(x: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.sin(nn.conv2d(x, w, [2, 1], padding, dilations=[2, 2])))

    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = total(x, w)
    by_x, by_w = tape.gradient(y, [x, w])
    step = 1e-2 if dtype == "float32" else 1e-5
    for place, gradient in ((x, by_x), (w, by_w)):
        way = tf.cast(numbers(*place.shape, seed=9), dtype)
        moved = [
            (total(x + s * way, w) if place is x else total(x, w + s * way)) for s in (step, -step)
        ]
        slope = (moved[0] - moved[1]) / (2 * step)
        expected = tf.reduce_sum(gradient * way)
        np.testing.assert_allclose(slope, expected, rtol=1e-2 if dtype == "float32" else 1e-6)


def test_convolution_is_convolution_in_all_dimensions() -> None:
    x, w = numbers(2, 6, 3), numbers(3, 3, 4)
    one = nn.conv1d(x, w, 1, "SAME")
    two = nn.conv2d(x[:, None], w[None], 1, "SAME")[:, 0]
    three = nn.conv3d(x[:, None, None], w[None, None], [1] * 5, "SAME")[:, 0, 0]
    np.testing.assert_allclose(one, two, rtol=1e-5)
    np.testing.assert_allclose(one, three, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("traced", [False, True])
def test_convolution_refuses_strides_together_with_dilations(rank: int, traced: bool) -> None:
    x, w = numbers(1, *[6] * rank, 2), numbers(*[2] * rank, 2, 3)

    def convolve(strides: object, dilations: object) -> tf.Tensor:
        return nn.convolution(x, w, strides=strides, dilations=dilations)

    run = tf.function(convolve) if traced else convolve
    assert run(2, 1).shape == [1, *[3] * rank, 3]
    assert run(1, 2).shape == [1, *[4] * rank, 3]
    with pytest.raises(ValueError, match=r"both exceed 1.*dilation_rate"):
        run(2, 2)


def test_max_pool_ignores_nan() -> None:
    x = tf.constant([[np.nan, 1.0], [2.0, 3.0]])[None, :, :, None]
    assert nn.max_pool2d(x, 2, 2, "VALID").numpy().item() == 3.0


# -- dilation ----------------------------------------------------------------------------------


def test_erosion_is_dilation_of_the_negative() -> None:
    x, f = numbers(1, 5, 5, 2), numbers(2, 3, 2)
    arguments = (_ONES, "SAME", "NHWC", _ONES)
    eroded = nn.erosion2d(x, f, *arguments)
    dilated = nn.dilation2d(-x, tf.reverse(f, [0, 1]), *arguments)
    np.testing.assert_array_equal(eroded, -dilated)


def test_dilation_by_zeros_is_max_pooling() -> None:
    x = numbers(2, 6, 7, 3)
    dilated = nn.dilation2d(x, tf.zeros([3, 2, 3]), [1, 2, 1, 1], "SAME", "NHWC", _ONES)
    np.testing.assert_array_equal(dilated, nn.max_pool2d(x, [3, 2], [2, 1], "SAME"))


@pytest.mark.parametrize("which", ["image", "filter"])
def test_second_gradient_of_dilation(which: str) -> None:
    x, f, d = numbers(1, 4, 5, 2), numbers(2, 2, 2, seed=1), numbers(1, 4, 5, 2, seed=2)
    backward = (
        tf.raw_ops.Dilation2DBackpropInput
        if which == "image"
        else tf.raw_ops.Dilation2DBackpropFilter
    )

    def gradient(upstream: tf.Tensor) -> tf.Tensor:
        return backward(
            input=x, filter=f, out_backprop=upstream, strides=_ONES, rates=_ONES, padding="SAME"
        )

    with tf.GradientTape() as tape:
        tape.watch(d)
        y = gradient(d)
    way = numbers(*y.shape, seed=3)
    # The gradient is linear in what flows in, so its own is its transpose.
    by_upstream = tape.gradient(y, d, output_gradients=way)
    other = numbers(*d.shape, seed=4)
    np.testing.assert_allclose(
        tf.reduce_sum(by_upstream * other), tf.reduce_sum(way * gradient(other)), rtol=1e-4
    )


# -- pooling by a fraction ---------------------------------------------------------------------


@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize("pseudo_random", [False, True])
def test_fractional_windows_cover_the_image(pseudo_random: bool, overlapping: bool) -> None:
    x = numbers(2, 11, 13, 2)
    for seed in range(1, 30):
        y, rows, columns = nn.fractional_max_pool(
            x, [1, 1.7, 2.4, 1], pseudo_random, overlapping, seed
        )
        for sequence, size, count in ((rows, 11, y.shape[1]), (columns, 13, y.shape[2])):
            lengths = np.diff(sequence)
            assert sequence[0] == 0 and sequence[-1] == size
            assert len(lengths) == count
            assert set(lengths.tolist()) <= {size // count, size // count + 1}
        assert y.numpy().max() == x.numpy().max()


def test_fractional_pooling_without_a_seed_draws_anew() -> None:
    x = numbers(1, 40, 40, 1)
    sequences = {tuple(nn.fractional_max_pool(x, 1.44)[1].numpy().tolist()) for _ in range(8)}
    assert len(sequences) > 1


def test_fractional_average_by_hand() -> None:
    x = tf.reshape(tf.range(12.0), [1, 3, 4, 1])
    y, rows, columns = nn.fractional_avg_pool(x, [1, 1.5, 2.0, 1], seed=4)
    image, r, c = x.numpy()[0, :, :, 0], rows.numpy(), columns.numpy()
    expected = [
        [image[r[i] : r[i + 1], c[j] : c[j + 1]].mean() for j in range(2)] for i in range(2)
    ]
    np.testing.assert_allclose(y[0, :, :, 0], expected)


@pytest.mark.parametrize("kind", ["Max", "Avg"])
@pytest.mark.parametrize("overlapping", [False, True])
def test_second_gradient_of_fractional_pooling(kind: str, overlapping: bool) -> None:
    x, rows, columns = numbers(1, 5, 6, 2), np.array([0, 2, 3, 5]), np.array([0, 1, 3, 5, 6])
    ends = zip(rows[:-1], np.minimum(rows[1:] + overlapping, 5))
    bands = np.stack([x.numpy()[:, a:b].max(1) for a, b in ends], 1)
    ends = zip(columns[:-1], np.minimum(columns[1:] + overlapping, 6))
    pooled = tf.constant(np.stack([bands[:, :, a:b].max(2) for a, b in ends], 2))
    sequences = {"row_pooling_sequence": rows, "col_pooling_sequence": columns}

    def gradient(upstream: tf.Tensor) -> tf.Tensor:
        if kind == "Max":
            return tf.raw_ops.FractionalMaxPoolGrad(
                orig_input=x,
                orig_output=pooled,
                out_backprop=upstream,
                overlapping=overlapping,
                **sequences,
            )
        return tf.raw_ops.FractionalAvgPoolGrad(
            orig_input_tensor_shape=np.array(x.shape),
            out_backprop=upstream,
            overlapping=overlapping,
            **sequences,
        )

    d = numbers(*pooled.shape, seed=2)
    with tf.GradientTape() as tape:
        tape.watch(d)
        y = gradient(d)
    way, other = numbers(*y.shape, seed=3), numbers(*d.shape, seed=4)
    by_upstream = tape.gradient(y, d, output_gradients=way)
    np.testing.assert_allclose(
        tf.reduce_sum(by_upstream * other), tf.reduce_sum(way * gradient(other)), rtol=1e-4
    )


def test_determinism_wants_a_seed_for_fractional_pooling() -> None:
    random_state.require_determinism(True)
    try:
        with pytest.raises(ValueError, match="needs a seed other"):
            nn.fractional_max_pool(numbers(1, 4, 4, 1), 1.5)
    finally:
        random_state.require_determinism(False)


# -- embeddings --------------------------------------------------------------------------------


def test_rows_of_a_variable_have_a_sparse_gradient() -> None:
    table = tf.Variable(numbers(6, 2))
    with tf.GradientTape() as tape:
        rows = nn.embedding_lookup(table, [1, 1, 3])
    gradient = tape.gradient(rows, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [1, 1, 3]


def test_rows_looked_up_by_different_integers_add_up() -> None:
    table = tf.Variable(numbers(6, 2))
    with tf.GradientTape() as tape:
        by_int32 = nn.embedding_lookup(table, tf.constant([1, 2], tf.int32))
        by_int64 = nn.embedding_lookup(table, tf.constant([2, 3], tf.int64))
        total = tf.reduce_sum(by_int32) + tf.reduce_sum(by_int64)
    gradient = tf.convert_to_tensor(tape.gradient(total, table))
    assert gradient.numpy()[:, 0].tolist() == [0, 1, 2, 1, 0, 0]


@pytest.mark.parametrize("sizes", [(6,), (3, 3), (2, 2, 2), (3, 2, 2), (1, 1, 1, 1, 1, 1, 1)])
def test_parts_of_a_table_are_the_table(sizes: tuple[int, ...]) -> None:
    table = numbers(sum(sizes), 2)
    ids = np.random.default_rng(1).integers(0, sum(sizes), (3, 4))
    parts = np.split(table.numpy(), np.cumsum(sizes)[:-1])
    np.testing.assert_array_equal(
        nn.embedding_lookup([tf.constant(p) for p in parts], ids), nn.embedding_lookup(table, ids)
    )


# -- dropout -----------------------------------------------------------------------------------


def test_dropout_keeps_the_mean_and_its_share() -> None:
    y = nn.dropout(tf.ones([100, 100]), 0.3, seed=1).numpy()
    kept = y[y > 0]
    np.testing.assert_allclose(kept, 1 / 0.7, rtol=1e-6)
    assert abs(kept.size / y.size - 0.7) < 0.02


def test_stateless_dropout_follows_from_its_seed() -> None:
    drop = nn.experimental.stateless_dropout
    x = numbers(4, 5)
    np.testing.assert_array_equal(drop(x, 0.5, [1, 2]), drop(x, 0.5, [1, 2]))
    assert (drop(x, 0.5, [1, 2]) != drop(x, 0.5, [1, 3])).numpy().any()


def test_general_dropout_asks_its_sampler_by_keyword() -> None:
    asked: list[Any] = []

    def sampler(shape: Any, dtype: Any) -> Any:
        asked.append((shape, dtype))
        return tf.fill(shape, tf.cast(0.5, dtype))

    y = nn.experimental.general_dropout(numbers(2, 3), 0.6, uniform_sampler=sampler)
    assert not y.numpy().any()
    assert asked[0][1] is tf.float32 and asked[0][0].numpy().tolist() == [2, 3]


# -- moments -----------------------------------------------------------------------------------


def test_what_has_no_weight_has_moments_of_0() -> None:
    mean, variance = nn.weighted_moments([[1.0, 2.0], [3.0, 4.0]], [0], [[0.0, 1.0], [0.0, 3.0]])
    assert mean.numpy().tolist() == [0, 3.5] and variance.numpy().tolist() == [0, 0.75]


@pytest.mark.parametrize("rows", [2, None])
def test_statistics_count_what_they_sum(rows: int | None) -> None:
    @tf.function(input_signature=[tf.TensorSpec([rows, 3])])
    def traced(x: Any) -> Any:
        return nn.sufficient_statistics(x, [-2], shift=1.0)

    x = tf.constant([[1.0, 2.0, 3.0], [3.0, 5.0, 7.0]])
    for found in (traced(x), nn.sufficient_statistics(x, [-2], shift=1.0)):
        assert [part.numpy().tolist() for part in found] == [2, [2, 5, 8], [4, 17, 40], 1]


# -- names -------------------------------------------------------------------------------------


def test_functions_under_several_names_are_one() -> None:
    assert nn.swish is nn.silu
    assert nn.lrn is nn.local_response_normalization
    assert nn.l2_normalize is tf.math.l2_normalize is tf.linalg.l2_normalize
    assert nn.top_k is tf.math.top_k


def test_results_of_several_parts_have_names() -> None:
    pooled = nn.max_pool_with_argmax(numbers(1, 4, 4, 1), 2, 2, "SAME")
    assert pooled._fields == ("output", "argmax")
    drawn = nn.fractional_avg_pool(numbers(1, 4, 4, 1), [1, 1.5, 1.5, 1], seed=1)
    assert drawn._fields == ("output", "row_pooling_sequence", "col_pooling_sequence")
    assert nn.isotonic_regression([2.0, 1.0])._fields == ("output", "segments")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([[0, 2]], tf.ones([3, 2])),
            "`labels` must have one",
        ),
        (
            lambda: tf.nn.conv_transpose(tf.ones([1, 4, 4, 2]), tf.ones([3, 3, 3, 2]), 5, 1),
            "must be a list",
        ),
    ],
)
def test_arguments_of_the_wrong_rank(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_gradients_by_filters_without_channels(dtype: tf.DType) -> None:
    by_filter = tf.raw_ops.Conv2DBackpropFilter(
        input=tf.ones([1, 2, 3, 1], dtype),
        filter_sizes=[2, 2, 1, 0],
        out_backprop=tf.ones([1, 1, 2, 0], dtype),
        strides=[1, 1, 1, 1],
        padding="VALID",
    )
    assert by_filter.shape == [2, 2, 1, 0]


def test_rows_of_tables_are_found_by_integers() -> None:
    with pytest.raises(ValueError, match="int32 or int64"):
        tf.nn.embedding_lookup(tf.ones([3, 2]), tf.ragged.constant([[0.0]]))


@pytest.mark.parametrize("make", [list, tuple, np.array, tf.constant])
def test_strides_may_be_arrays(make: Any) -> None:
    image, kernel = tf.ones([1, 4, 4, 1]), tf.ones([1, 1, 1, 1])
    assert tf.nn.conv2d(image, kernel, make([1, 2, 2, 1]), "SAME").shape == (1, 2, 2, 1)
    assert tf.nn.max_pool2d(image, make([2, 2]), make([2, 2]), "SAME").shape == (1, 2, 2, 1)
