"""Settings of a whole program, variables, seeds and small helpers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras


def test_floats_epsilon_and_data_format() -> None:
    assert keras.backend.floatx() == keras.config.floatx() == "float32"
    assert keras.config.epsilon() == 1e-7
    assert keras.config.image_data_format() == "channels_last"
    try:
        keras.config.set_floatx("float64")
        assert keras.layers.Dense(1)(tf.ones((1, 2))).dtype == tf.float64
        keras.config.set_image_data_format("channels_first")
        assert keras.layers.Conv2D(1, 1).data_format == "channels_first"
    finally:
        keras.config.set_floatx("float32")
        keras.config.set_image_data_format("channels_last")
    with pytest.raises(ValueError, match="Unknown `floatx` value: int8"):
        keras.config.set_floatx("int8")
    with pytest.raises(ValueError, match="`data_format` must be"):
        keras.config.set_image_data_format("nowhere")


@pytest.mark.parametrize(
    ("dtype", "name"),
    [(None, "float32"), (tf.int8, "int8"), (np.float64, "float64"), (int, "int64"), ("bool",) * 2],
)
def test_dtypes_by_name(dtype: Any, name: str) -> None:
    assert keras.utils.standardize_dtype(dtype) == name


def test_policies() -> None:
    policy = keras.dtype_policies.get("mixed_bfloat16")
    assert (policy.compute_dtype, policy.variable_dtype) == ("bfloat16", "float32")
    config = keras.dtype_policies.serialize(policy)
    assert config == {
        "module": "keras",
        "class_name": "DTypePolicy",
        "config": {"name": "mixed_bfloat16"},
        "registered_name": None,
    }
    assert keras.dtype_policies.deserialize(config) == policy
    assert keras.dtype_policies.get(None).name == keras.config.dtype_policy().name == "float32"
    with pytest.raises(ValueError, match=r"float7.*mixed precision"):
        keras.DTypePolicy("float7")


def test_a_variable_is_both_kinds_at_once() -> None:
    variable = keras.Variable([1.0, 2.0], name="v")
    assert isinstance(variable, tf.Variable) and variable.path == variable.name == "v"
    assert variable.value is variable
    assert variable.value().numpy().tolist() == [1.0, 2.0]
    assert (variable + 1).numpy().tolist() == [2.0, 3.0]
    variable.assign(np.array([3, 4]))
    variable.assign_add(tf.constant([1.0, 1.0], tf.float64))
    assert tf.function(lambda: variable * 2.0)().numpy().tolist() == [8.0, 10.0]
    assert repr(variable) == "<Variable path=v, shape=(2,), dtype=float32, value=[4. 5.]>"
    assert keras.Variable("zeros", shape=(2,), dtype="int32").dtype == tf.int32
    with tf.GradientTape() as tape:
        y = variable.value * variable.value()
    assert tape.gradient(y, variable).numpy().tolist() == [8.0, 10.0]
    variable.trainable = False
    with tf.GradientTape() as tape:
        y = variable * 2.0
    assert tape.gradient(y, variable) is None


def test_variables_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="without '/'"):
        keras.Variable(1.0, name="a/b")
    with pytest.raises(ValueError, match="needs `shape`"):
        keras.Variable("zeros")
    with pytest.raises(ValueError, match="unknown dimension"):
        keras.Variable("zeros", shape=(None,))
    with pytest.raises(ValueError, match="Invalid value for argument `aggregation`"):
        keras.Variable(1.0, aggregation="all")
    with pytest.raises(ValueError, match="`regularizer` of a variable"):
        keras.Variable(1.0).regularizer = 3


def test_one_seed_for_all() -> None:
    found = []
    for _ in range(2):
        keras.utils.set_random_seed(3)
        layer = keras.layers.Dense(2)
        layer(tf.ones((1, 2)))
        found.append([layer.get_weights()[0].tolist(), random.random(), np.random.rand()])
        found[-1].append(float(tf.random.normal(())))
    assert found[0] == found[1]
    with pytest.raises(ValueError, match="`seed` must be an integer"):
        keras.utils.set_random_seed("1")  # type: ignore[arg-type]


def test_seed_generators_count() -> None:
    seeds = keras.random.SeedGenerator(5)
    assert [seeds.next().numpy().tolist() for _ in range(2)] == [[5, 0], [5, 1]]
    again = keras.random.SeedGenerator.from_config(seeds.get_config())
    assert again.next().numpy().tolist() == [5, 0]
    first = keras.random.normal((3,), seed=seeds)
    assert not np.array_equal(first, keras.random.normal((3,), seed=seeds))
    np.testing.assert_array_equal(
        keras.random.uniform((3,), seed=1), keras.random.uniform((3,), seed=1)
    )
    with pytest.raises(ValueError, match="SeedGenerator"):
        keras.random.normal((3,), seed="x")


def test_categories() -> None:
    assert keras.utils.to_categorical([0, 2]).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert keras.utils.to_categorical([[1], [0]], 2).tolist() == [[0, 1], [1, 0]]
    assert keras.utils.to_categorical(tf.constant([1]), 2).numpy().tolist() == [[0, 1]]
    assert keras.utils.to_categorical([], 2).shape == (0, 2)


def test_normalized_rows() -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert keras.utils.normalize(rows).tolist() == [[0.6, 0.8], [0.0, 0.0]]
    np.testing.assert_allclose(keras.utils.normalize(rows, axis=0, order=1)[:, 0], [1.0, 0.0])


def test_sessions_are_cleared() -> None:
    keras.backend.clear_session()
    assert keras.layers.Dense(1).name == "dense"
    assert keras.layers.Dense(1).name == "dense_1"
    keras.backend.clear_session()
    assert keras.layers.Dense(1).name == "dense"
    assert keras.layers.Conv2DTranspose(1, 1).name == "conv2d_transpose"
    assert keras.layers.PReLU().name == "p_re_lu"


def test_a_seed_generator_refuses_other_arguments() -> None:
    with pytest.raises(ValueError, match="seeds"):
        keras.random.SeedGenerator(seeds=3)


def test_a_keras_tensor_is_not_both_sparse_and_ragged() -> None:
    with pytest.raises(ValueError, match="sparse or ragged"):
        keras.KerasTensor((2, 2), sparse=True, ragged=True)
