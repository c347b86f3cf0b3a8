"""Older forms of ops compute what those of today compute, gradients included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.ops.harness import f32, positive

_IMAGE = {"padding": "VALID"}
_WINDOW = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}


def _derivatives(function: Any, *values: Any) -> list[Any]:
    """The result, its gradients, and the gradients of these."""
    tensors = [tf.constant(v) for v in values]
    with tf.GradientTape() as outer:
        outer.watch(tensors)
        with tf.GradientTape() as inner:
            inner.watch(tensors)
            y = function(*tensors)
            loss = tf.reduce_sum(tf.sin(y))
        first = inner.gradient(loss, tensors)
        total = tf.add_n([tf.reduce_sum(tf.cos(g)) for g in first])
    second = outer.gradient(total, tensors, unconnected_gradients="zero")
    return [y, *first, *second]


def _assert_alike(older: Any, newer: Any, *values: Any) -> None:
    for a, b in zip(_derivatives(older, *values), _derivatives(newer, *values), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
    compiled = tf.function(older, jit_compile=True)
    np.testing.assert_allclose(
        compiled(*map(tf.constant, values)), newer(*map(tf.constant, values)), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("version", ["", "V2"])
def test_batch_norm(version: str, training: bool) -> None:
    statistics: Any = ([], []) if training else (f32(3), positive(3))

    def run(name: str) -> Any:
        op = getattr(tf.raw_ops, name)

        def call(x: Any, scale: Any, offset: Any) -> Any:
            mean, variance = (tf.constant(s, tf.float32) for s in statistics)
            inputs = {"x": x, "scale": scale, "offset": offset}
            return op(**inputs, mean=mean, variance=variance, is_training=training).y

        return call

    _assert_alike(
        run(f"FusedBatchNorm{version}"),
        run("FusedBatchNormV3"),
        f32(2, 3, 4, 3),
        positive(3),
        f32(3),
    )


def test_max_pool() -> None:
    x = np.random.default_rng(0).permutation(96).reshape(2, 4, 4, 3).astype(np.float32)
    _assert_alike(
        lambda x: tf.raw_ops.MaxPoolV2(input=x, **_WINDOW, **_IMAGE),
        lambda x: tf.raw_ops.MaxPool(input=x, **_WINDOW, **_IMAGE),
        x,
    )


def test_gather_gives_slices() -> None:
    params = tf.Variable(f32(4, 2))
    with tf.GradientTape() as tape:
        y = tf.raw_ops.Gather(params=params, indices=[1, 1])
    slices = tape.gradient(y, params)
    assert isinstance(slices, tf.IndexedSlices)
    assert tf.convert_to_tensor(slices).numpy()[1].tolist() == [2.0, 2.0]


def test_window_that_is_not_known_when_tracing() -> None:
    @tf.function(input_signature=[tf.TensorSpec([4], tf.int32)], jit_compile=False)
    def pooled(ksize: Any) -> Any:
        return tf.raw_ops.MaxPoolV2(
            input=tf.reshape(tf.range(16.0), [1, 4, 4, 1]), ksize=ksize, strides=ksize, **_IMAGE
        )

    assert pooled.get_concrete_function().output_shapes.as_list() == [1, None, None, None]
    assert pooled([1, 2, 2, 1]).numpy().ravel().tolist() == [5.0, 7.0, 13.0, 15.0]
    assert pooled([1, 4, 4, 1]).numpy().ravel().tolist() == [15.0]


def test_rows_are_counted_around() -> None:
    x = tf.zeros([3, 1], tf.int32)
    y = tf.raw_ops.InplaceUpdate(x=x, i=[-1, 4], v=[[7], [8]])
    assert y.numpy().ravel().tolist() == [0, 8, 7]
    assert x.numpy().ravel().tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, False), (2.5, True), ("", False), ("a", True), ([], False), ([0], True), ([[]], False)],
)
def test_to_bool(value: Any, expected: bool) -> None:
    assert tf.raw_ops.ToBool(input=value).numpy() is np.bool_(expected)


def _wrong() -> list[Any]:
    ops = tf.raw_ops
    return [
        (lambda: ops.TopK(input=[1.0, 2.0], k=3), "input must have at least k columns"),
        (lambda: ops.Reverse(tensor=[1.0], dims=[True, False]), "dims"),
        (lambda: ops.TileGrad(input=[1.0, 2.0, 3.0], multiples=[2]), "copies"),
        (lambda: ops.DataFormatDimMap(x=0, src_format="NHWC", dst_format="NCHX"), "permutations"),
        (lambda: ops.DataFormatVecPermute(x=[1, 2, 3]), "1D input must be of size"),
        (lambda: ops.ParallelConcat(values=[[1.0], [2.0, 3.0]], shape=[2]), "one row each"),
        (lambda: ops.BatchCholesky(input=[[1.0, 2.0]]), "square"),
        (lambda: ops.InplaceAdd(x=[1.0], i=[0], v=[1.0, 2.0]), "a row for each i"),
    ]


@pytest.mark.parametrize("place", range(len(_wrong())))
def test_what_is_refused(place: int) -> None:
    call, message = _wrong()[place]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        call()
    with pytest.raises(ValueError, match=message):
        tf.function(call)()


def test_no_gradient_where_tensorflow_has_none() -> None:
    x = tf.constant([[2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.BatchCholesky(input=x)
    with pytest.raises(LookupError, match="BatchCholesky"):
        tape.gradient(y, x)
