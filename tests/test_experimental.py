"""`tf.experimental.dlpack` and the scopes of execution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

to_dlpack, from_dlpack = tf.experimental.dlpack.to_dlpack, tf.experimental.dlpack.from_dlpack


@pytest.mark.parametrize(
    "value",
    [
        [[1.0, 2.0], [3.0, 4.0]],
        [True, False],
        3,
        np.zeros([0, 3], np.float32),
        np.array([1, 2], np.uint8),
        np.array([1.5], np.float16),
        np.array([1j], np.complex64),
        np.arange(6.0).reshape(2, 3).T,
    ],
    ids=["floats", "bools", "scalar", "empty", "uint8", "float16", "complex", "transposed"],
)
def test_there_and_back(value: Any) -> None:
    tensor = tf.constant(value)
    again = from_dlpack(to_dlpack(tensor))
    assert again.dtype is tensor.dtype and again.shape == tensor.shape
    np.testing.assert_array_equal(again, tensor)


def test_bfloat16() -> None:
    tensor = tf.constant([1.0, -2.5], tf.bfloat16)
    again = from_dlpack(to_dlpack(tensor))
    assert again.dtype is tf.bfloat16
    assert tf.cast(again, tf.float32).numpy().tolist() == [1.0, -2.5]


def test_a_capsule_is_taken_once() -> None:
    capsule = to_dlpack(tf.constant([1.0]))
    from_dlpack(capsule)
    with pytest.raises(tf.errors.InvalidArgumentError, match="consumed at most once"):
        from_dlpack(capsule)


def test_what_is_taken_shares_memory_and_what_is_given_does_not() -> None:
    array = np.arange(3.0)
    taken = from_dlpack(array.__dlpack__())
    array[0] = 9.0
    assert taken.numpy().tolist() == [9.0, 1.0, 2.0]
    given = tf.constant([1.0, 2.0])
    assert not np.shares_memory(from_dlpack(to_dlpack(given)).numpy(), given.numpy())


@pytest.mark.parametrize("value", [[1, 2], np.ones(2), 5], ids=["list", "array", "number"])
def test_only_tensors_are_given(value: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a TF tensor"):
        to_dlpack(value)


def test_what_cannot_be_handed_over() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="string has no place in DLPack"):
        to_dlpack(tf.constant("a"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a TF tensor"):
        tf.function(to_dlpack, autograph=False)(tf.constant(1.0))
    with pytest.raises(TypeError, match="takes a DLPack capsule, got ndarray"):
        from_dlpack(np.ones(2))


def test_scopes_of_execution() -> None:
    with tf.experimental.async_scope():
        assert tf.add(1, 2).numpy() == 3
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.matmul([[1.0]], [[1.0], [2.0]])
    tf.experimental.async_clear_error()
    with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        assert tf.function(lambda: tf.add(1, 2))().numpy() == 3
    with (
        pytest.raises(tf.errors.NotFoundError, match="No executor factory"),
        tf.experimental.function_executor_type("BAD"),
    ):
        pass


def test_narrow_dtypes_have_two_places() -> None:
    for name in ("float8_e5m2", "float8_e4m3fn", "int4", "uint4", "int2", "float4_e2m1fn"):
        assert getattr(tf.experimental, name) is getattr(tf.dtypes.experimental, name)
