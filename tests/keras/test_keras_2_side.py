"""What differs with TF_USE_LEGACY_KERAS=1, and shapes of KerasTensors with the members of both."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers


@pytest.fixture
def keras_2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")


def test_shapes_are_tuples_with_the_members_of_keras_2() -> None:
    shape = keras.Input((3, 4)).shape
    assert isinstance(shape, tuple)
    assert shape == (None, 3, 4) == tf.TensorShape([None, 3, 4])
    assert (shape.as_list(), shape[1:].as_list()) == ([None, 3, 4], [3, 4])
    assert (shape.rank, shape.ndims, shape.is_fully_defined()) == (3, 3, False)
    assert (shape.num_elements(), shape[1:].num_elements()) == (None, 12)
    assert (str(shape), repr(shape)) == ("(None, 3, 4)", "(None, 3, 4)")
    assert json.dumps(shape) == "[null, 3, 4]"
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert type(shape + (1,)) is tuple


def test_members_of_keras_tensors() -> None:
    x = keras.Input((3, None), name="x")
    y = layers.Dense(2, name="d")(keras.Input((3,)))
    assert x.get_shape().as_list() == [None, 3, None]
    x.set_shape((5, None, None))
    assert x.shape == (5, 3, None)
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape((4, None, None))
    assert x.type_spec == tf.TensorSpec((5, 3, None), tf.float32, name=x.name)
    assert keras.Input((3,), sparse=True).type_spec == tf.SparseTensorSpec((None, 3), tf.float32)
    assert y.node.operation.name == "d"
    assert x.is_tensor_like


@pytest.mark.usefixtures("keras_2")
def test_texts_are_those_of_keras_2() -> None:
    layer = layers.Dense(1, name="d", use_bias=False, kernel_initializer="ones")
    layer(np.ones((1, 1), "float32"))
    expected = "<tf.Variable 'd/kernel:0' shape=(1, 1) dtype=float32, numpy=array([[1.]]"
    assert repr(layer.kernel).startswith(expected)


@pytest.mark.usefixtures("keras_2")
def test_the_first_argument_alone_is_cast() -> None:
    class Pair(layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, a: Any, b: Any) -> Any:
            return a + 1.0, b + 1.0

    one = tf.constant(1.0)
    for outputs in (Pair(dtype="float64")(one, one), Pair(dtype="float64")(one, b=one)):
        assert [output.dtype for output in outputs] == [tf.float64, tf.float32]


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        (["mae", "mse"], {"out_mae": 2.0, "out_mse": 4.0, "out_1_mae": 3.0, "out_1_mse": 9.0}),
        (["mae"], {"out_mae": 2.0, "out_1_mae": 3.0}),
        ([["mae"], ["mse"]], {"out_mae": 2.0, "out_1_mse": 9.0}),
        ({"out_1": "mae"}, {"out_1_mae": 3.0}),
    ],
)
@pytest.mark.usefixtures("keras_2")
def test_metrics_of_outputs_of_one_layer(metrics: Any, expected: dict[str, float]) -> None:
    x = keras.Input((3,))
    layer = layers.Dense(2, name="out", kernel_initializer="ones")
    model = keras.Model(x, [layer(x), layer(x)])
    assert model.output_names == ["out", "out_1"]
    model.compile("sgd", "mse", metrics=metrics)
    targets = (np.ones((2, 2)), np.zeros((2, 2)))
    results = model.evaluate(np.ones((2, 3)), targets, verbose=0, return_dict=True)
    assert results == {"loss": 13.0, "out_loss": 4.0, "out_1_loss": 9.0, **expected}
    own = keras.metrics.MeanAbsoluteError(name="q")
    model.compile("sgd", "mse", metrics=[own])
    results = model.evaluate(np.ones((2, 3)), targets, verbose=0, return_dict=True)
    assert (results["out_q"], results["out_1_q"]) == (2.0, 3.0)


def test_functions_take_lists_of_numbers() -> None:
    backend = keras.backend
    x = backend.placeholder((None, 2))
    assert backend.function([x], [backend.sum(x)])([[[1.0, 2.0]]]) == [3.0]


def test_arguments_of_keras_2_layers() -> None:
    assert layers.Softmax(robust_masking=True)(tf.zeros([1, 2])).numpy().tolist() == [[0.5, 0.5]]
    assert layers.MultiHeadAttention(1, 2, softmax_robust_masking=True).num_heads == 1
    assert layers.Embedding(3, 2, sparse=False).output_dim == 2
    with pytest.raises(ValueError, match="sparse"):
        layers.Embedding(3, 2, sparse=True)
    entry = layers.InputLayer(type_spec=tf.RaggedTensorSpec([None, None], tf.int32))
    assert entry.ragged and entry.dtype == "int32" and entry.batch_shape == (None, None)


def test_dynamic_layers_run_eagerly() -> None:
    class Reading(layers.Layer):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(dynamic=True)

        def call(self, x: Any) -> Any:
            return x * float(tf.reduce_max(x).numpy())

        def compute_output_shape(self, input_shape: Any) -> Any:
            return input_shape

    model = keras.Sequential([keras.Input((2,)), Reading(), layers.Dense(1)])
    model.compile("sgd", "mse")
    assert model.dynamic and model.run_eagerly
    x = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
    assert len(model.fit(x, x[:, :1], epochs=2, verbose=0).history["loss"]) == 2
    assert not layers.Dense(1).dynamic


def test_positions_of_arguments_of_keras_2() -> None:
    model = keras.Sequential([keras.Input((2,)), layers.Dense(1)], "named")
    assert model.name == "named"
    model.compile("sgd", "mse", ["mae"], None, pss_evaluation_shards=0)
    results = model.evaluate(np.ones((4, 2)), np.ones((4, 1)), verbose=0, return_dict=True)
    assert set(results) == {"loss", "mae"}
    with pytest.raises(ValueError, match="pss_evaluation_shards"):
        model.compile("sgd", "mse", pss_evaluation_shards=2)
    x = keras.Input((2,))
    two = keras.Model(x, [layers.Dense(1)(x), layers.Dense(1)(x)])
    two.compile("sgd", ["mse", "mse"], [["mae"], ["mse"]], [0.0, 0.0])
    targets = [np.ones((4, 1)), np.ones((4, 1))]
    assert two.evaluate(np.ones((4, 2)), targets, verbose=0, return_dict=True)["loss"] == 0.0
    weight = layers.Layer().add_weight(
        *("w", (2,), "float32", "zeros", None, True, None, None),
        *(tf.VariableSynchronization.AUTO, tf.VariableAggregation.SUM),
    )
    assert weight.shape == (2,)
    assert layers.dot([tf.ones([2, 4]), tf.ones([2, 4])], 1, True).numpy().tolist() == [[1.0]] * 2
    states = layers.StackedRNNCells([layers.LSTMCell(2)]).get_initial_state(
        inputs=None, batch_size=3, dtype=tf.float32
    )
    assert states[0][0].shape == (3, 2)
    assert keras.optimizers.get("sgd", use_legacy_optimizer=True).name
