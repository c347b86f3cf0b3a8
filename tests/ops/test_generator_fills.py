"""Numbers that an op draws with a generator's state are TensorFlow's, and the state moves on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

_WORDS = [1743458088, 2736009682, 2713680129]
CASES = [
    ("StatefulUniform", "float32", [0.83640003, 0.1577704, 0.49588025]),
    ("StatefulUniform", "float64", [0.69120086386, 0.96704212143, 0.83510217867]),
    ("StatefulStandardNormalV2", "float32", [0.5001547, 0.3273252, -1.0646377]),
    ("StatefulStandardNormalV2", "float64", [-0.17670546592, 0.84108549012, -0.45566778887]),
    ("StatefulTruncatedNormal", "float32", [0.5001547, 0.3273252, -1.0646377]),
    ("StatefulUniformFullInt", "uint32", _WORDS),
]


def _state() -> Any:
    return tf.Variable(np.array([5, 7, -9], np.int64))


@pytest.mark.parametrize("mode", ["eager", "function", "compiled"])
@pytest.mark.parametrize(("name", "dtype", "expected"), CASES)
def test_fills(name: str, dtype: str, expected: list[float], mode: str) -> None:
    state = _state()

    def draw() -> Any:
        op = getattr(tf.raw_ops, name)
        return op(resource=state.handle, algorithm=np.int64(1), shape=[2, 3], dtype=dtype)

    run = draw if mode == "eager" else tf.function(draw, jit_compile=mode == "compiled")
    numbers = run()
    assert (numbers.dtype.name, numbers.shape) == (dtype, (2, 3))
    np.testing.assert_allclose(numbers[0], expected, rtol=1e-5)
    # Each number may take as many blocks as TensorFlow sets aside for it: 256.
    assert state.numpy().tolist() == [5 + 6 * 256, 7, -9]
    assert run().numpy().tolist() != numbers.numpy().tolist()


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
def test_integers(dtype: str) -> None:
    state = _state()
    bounds = {"minval": np.array(3, dtype), "maxval": np.array(40, dtype)}
    op = tf.raw_ops.StatefulUniformInt
    numbers = op(resource=state.handle, algorithm=np.int64(1), shape=[3], **bounds)
    assert numbers.dtype.name == dtype
    assert numbers.numpy().tolist() == [11, 25, 32]
    with pytest.raises(tf.errors.InvalidArgumentError, match="minval < maxval"):
        bounds["maxval"] = bounds["minval"]
        op(resource=state.handle, algorithm=np.int64(1), shape=[3], **bounds)


def test_slices_of_variables() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def read(indices: Any) -> Any:
        return tf.raw_ops.ResourceGatherNd(resource=v.handle, indices=indices, dtype=tf.float32)

    for run in (read, tf.function(read), tf.function(read, jit_compile=True)):
        assert run(tf.constant([[0, 1], [1, 0]])).numpy().tolist() == [2.0, 3.0]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(v.handle)
        element, row = read([[0, 1]]), read([[1]])
    assert tape.gradient(element, v.handle).numpy().tolist() == [[0, 1], [0, 0]]
    assert isinstance(tape.gradient(row, v.handle), tf.IndexedSlices)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index into"):
        read([[2]])
