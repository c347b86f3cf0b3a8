"""Shapes, joining and filling: messages, shared memory, and gradients where sizes are unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.registry import OPS, InferError
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.broadcasting import keep_dims_shape_of, sum_to
from tapeflow._src.ops.array.shape import axis_of
from tests.ops.hidden import Formless, Hidden, hidden

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def gradient(op: str, *dz: Any, **kept: Any) -> Any:
    """What the gradient of an op gives, with what it keeps written out."""
    return OPS[op].gradient_rule.fn(*dz, **kept)


def infer(op: str, *specs: Spec, **attrs: Any) -> Any:
    found = OPS[op].infer_outputs(specs, {**OPS[op].defaults, **attrs})
    return found[0].shape if len(found) == 1 else [spec.shape for spec in found]


def spec(*shape: int | None) -> Spec:
    return Spec(shape, tf.float32)


def ints(*values: int) -> Spec:
    array = np.array(values, np.int32)
    return Spec(array.shape, tf.int32, array)


def axis(value: int) -> Spec:
    return Spec((), tf.int32, np.array(value, np.int32))


def unknown_ints(count: int | None) -> Spec:
    return Spec((count,), tf.int32)


# -- memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    [
        lambda x: tf.reshape(x, [4, 6]),
        lambda x: tf.transpose(x),
        lambda x: tf.expand_dims(x, 0),
        lambda x: tf.squeeze(tf.expand_dims(x, 0)),
        lambda x: tf.identity(x),
        lambda x: x[1],
        lambda x: x[:, ::2],
        lambda x: tf.slice(x, [0, 1, 0], [2, 2, 4]),
        lambda x: tf.split(x, 2)[1],
        lambda x: tf.unstack(x)[1],
        lambda x: tf.broadcast_to(x, [500, 2, 3, 4]),
        lambda x: tf.reverse(x, [0]),
    ],
    ids=range(12),
)
def test_moving_elements_copies_nothing(view: Any) -> None:
    x = tf.constant(X)
    assert np.shares_memory(view(x)._array, x._array)


def test_negative_zero_is_kept() -> None:
    assert np.signbit(tf.fill([2], -0.0).numpy()).all()


# -- reshape -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("have", "asked", "expected"),
    [
        ((None, 3), (-1, 6), (None, 6)),
        ((4, 3), (-1, 6), (2, 6)),
        (None, (2, -1), (2, None)),
        ((0, 3), (-1, 0), (3, 0)),
    ],
)
def test_reshape_rule_knows_what_it_can(have: Any, asked: Any, expected: Any) -> None:
    assert infer("Reshape", Spec(have, tf.float32), ints(*asked)) == expected


def test_reshape_to_an_unknown_shape_keeps_its_rank() -> None:
    assert infer("Reshape", spec(2, 3), unknown_ints(3)) == (None, None, None)
    assert infer("Reshape", spec(2, 3), unknown_ints(None)) is None


def test_reshape_says_what_does_not_fit() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must stay the same"):
        tf.reshape(X, [5, 5])
    with pytest.raises(tf.errors.InvalidArgumentError, match="5, which does not divide 24"):
        tf.reshape(X, [5, -1])


def test_ensure_shape_joins_what_both_sides_know() -> None:
    assert infer("EnsureShape", spec(None, 3), shape=(2, None)) == (2, 3)
    with pytest.raises(
        InferError, match=r"\[2,3\] is not compatible with expected shape \[2,\?,4\]"
    ):
        infer("EnsureShape", spec(2, 3), shape=(2, None, 4))


def test_prevent_gradient_says_why() -> None:
    with pytest.raises(LookupError, match="because"):
        gradient("PreventGradient", tf.constant(1.0), message="because")


# -- sums where sizes are unknown ----------------------------------------------------------------


@pytest.mark.parametrize("axes", [[0], [-1], [0, -1], [], 1])
@pytest.mark.parametrize("hide_axes", [False, True])
def test_kept_shape_of_unknown_sizes(axes: Any, hide_axes: bool) -> None:
    shape = hidden([2, 3, 4])
    reduced = hidden(axes) if hide_axes else tf.constant(axes, tf.int32)
    expected = np.sum(X, axis=tuple(np.atleast_1d(axes).astype(int)), keepdims=True).shape
    assert tuple(keep_dims_shape_of(shape, reduced).numpy()) == expected


def test_kept_shape_of_unknown_rank() -> None:
    shape = Hidden(np.array([2, 3, 4], np.int32))
    assert keep_dims_shape_of(shape, tf.constant([-2])).numpy().tolist() == [2, 1, 4]


@pytest.mark.parametrize("target", [[4], [3, 1], [1, 3, 4], [2, 3, 4], []])
def test_sum_to_of_unknown_sizes(target: list[int]) -> None:
    result = sum_to(Hidden(X), hidden(target))
    assert result.shape == target
    assert result.numpy().sum() == X.sum()


def test_bfloat16_sums_do_not_stall() -> None:
    assert tf.reduce_sum(tf.ones([1000], tf.bfloat16)).numpy() == 1000


# -- gradients where sizes are unknown -------------------------------------------------------------


def test_gradient_of_concat() -> None:
    parts, _ = gradient(
        "ConcatV2",
        Hidden(X),
        shape_of_values=[hidden([2, 1, 4]), hidden([2, 2, 4])],
        axis=hidden(1),
    )
    np.testing.assert_array_equal(parts[0], X[:, :1])
    np.testing.assert_array_equal(parts[1], X[:, 1:])


def test_gradient_of_slice() -> None:
    back, *_ = gradient(
        "Slice", Hidden(X[:1, 1:]), begin=hidden([0, 1, 0]), shape_of_input=hidden([2, 3, 4])
    )
    expected = np.zeros_like(X)
    expected[:1, 1:] = X[:1, 1:]
    np.testing.assert_array_equal(back, expected)


def test_gradient_of_pad() -> None:
    padded = np.pad(X, [(1, 0), (0, 2), (1, 1)])
    paddings = hidden([[1, 0], [0, 2], [1, 1]])
    back, _ = gradient("Pad", Hidden(padded), paddings=paddings, shape_of_input=hidden([2, 3, 4]))
    np.testing.assert_array_equal(back, X)


def test_gradient_of_the_padding_itself() -> None:
    value = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(value)
        result = tf.pad([1.0, 2.0], [[1, 2]], constant_values=value)
    assert tape.gradient(result, value).numpy() == 3


def test_gradient_of_tile() -> None:
    tiled = np.tile(X, (2, 1, 3))
    back, _ = gradient(
        "Tile", Hidden(tiled), multiples=hidden([2, 1, 3]), shape_of_input=hidden([2, 3, 4])
    )
    np.testing.assert_array_equal(back, 6 * X)


def test_gradient_of_fill_of_unknown_rank() -> None:
    _, back = gradient("Fill", Formless(X), shape_of_value=tf.constant([], tf.int32))
    assert back.numpy() == X.sum()


@pytest.mark.parametrize(("at", "rank", "expected"), [(-1, 3, 2), (1, None, 1), (-1, None, None)])
def test_axis_from_the_front(at: int, rank: int | None, expected: int | None) -> None:
    assert axis_of(tf.constant(at), rank) == expected


# -- joining -----------------------------------------------------------------------------------


def test_concat_rule_adds_what_is_known() -> None:
    values = (spec(None, 3), spec(2, None))
    assert infer("ConcatV2", values, axis(0)) == (
        None,
        3,
    )
    assert infer("ConcatV2", values, axis(1)) == (2, None)
    assert infer("ConcatV2", values, Spec((), tf.int32)) == (None, None)
    assert infer("ConcatV2", (Spec(None, tf.float32), spec(2, 3)), axis(0)) == (None, 3)


def test_concat_names_the_axis_that_differs() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Dimension 1 in both shapes must be equal"
    ):
        tf.concat([tf.ones([2, 3]), tf.ones([2, 4])], 0)


def test_concat_refuses_the_axis_numpy_would_ignore() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="ConcatOp"):
        tf.concat([[1], [2]], -(2**31))


def test_split_rule_of_a_size_that_is_left_open() -> None:
    shapes = infer("SplitV", spec(None, 6), ints(1, -1, 2), axis(1), num_split=3)
    assert shapes == [(None, 1), (None, 3), (None, 2)]


def test_offsets_of_shapes_that_do_not_fit() -> None:
    offsets = tf.raw_ops.ConcatOffset(concat_dim=0, shape=[[2, 2], [3, 2]])
    assert offsets[1].numpy().tolist() == [2, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Input 1 has shape \[3 3\]"):
        tf.raw_ops.ConcatOffset(concat_dim=0, shape=[[2, 2], [3, 3]])


# -- numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "limit", "delta"), [(0.3, 100.0, 0.7), (-3.3, 50.0, 0.01)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_range_rounds_as_tensorflow_does(
    start: float, limit: float, delta: float, dtype: Any
) -> None:
    result = tf.range(start, limit, delta, dtype=dtype).numpy()
    places = np.arange(len(result)).astype(dtype)
    np.testing.assert_array_equal(result, dtype(start) + places * dtype(delta))


def test_linspace_ends_exactly() -> None:
    assert tf.linspace(0.1, 0.7, 7).numpy()[-1] == np.float32(0.7)


def test_string_elements_stay_strings() -> None:
    words = tf.constant(["a", "b"])
    for word in (words[1], tf.unstack(words)[1], tf.gather(words, 1)):
        assert word.dtype is tf.string
        assert word.numpy() == b"b"


@pytest.mark.parametrize("rows", [0, 2, 5000])
def test_what_is_repeated_a_little_is_written_out_and_much_is_not(rows: int) -> None:
    row = tf.constant([1.0, 2.0])
    result = tf.broadcast_to(row, [rows, 2])
    np.testing.assert_array_equal(result, np.tile([1.0, 2.0], (rows, 1)))
    assert np.shares_memory(result, row) == (rows == 5000)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Rank of input"):
        tf.broadcast_to(result, [2])


@pytest.mark.parametrize("source", ["complex64", "complex128"])
@pytest.mark.parametrize("target", ["uint8", "int32", "int64", "float32"])
def test_bits_of_complex_numbers_are_the_same_compiled(source: str, target: str) -> None:
    x = tf.constant([1.5 - 2j, float("inf") + 0.25j], source)
    expected = x.numpy().view(target).reshape(tf.bitcast(x, target).shape)
    compiled = tf.function(lambda x: tf.bitcast(x, target), jit_compile=True)
    np.testing.assert_array_equal(compiled(x), expected)
