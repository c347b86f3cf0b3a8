"""Names and arguments of Keras 2 that code still uses."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers
X, Y = np.ones((4, 2), "float32"), np.ones((4, 1), "float32")


class Branching(layers.Layer):
    """Python's control flow over tensors."""

    def call(self, x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            y = x * 2.0
        else:
            y = x - 1.0
        while tf.reduce_sum(y) < 100.0:
            y = y * 2.0
        return y


def expected(x: np.ndarray) -> np.ndarray:
    y = x * 2 if x.sum() > 0 else x - 1
    while y.sum() < 100:
        y = y * 2
    return y


@pytest.mark.parametrize("kind", ["sequential", "functional", "subclass"])
def test_control_flow_in_call_is_converted(kind: str) -> None:
    if kind == "sequential":
        model = keras.Sequential([keras.Input((2,)), Branching()])
    elif kind == "functional":
        x = keras.Input((2,))
        model = keras.Model(x, Branching()(x))
    else:

        class Subclass(keras.Model):  # type: ignore[misc, name-defined]
            def call(self, x: Any) -> Any:
                return Branching()(x)

        model = Subclass()
    for sign in (1.0, 3.0):
        np.testing.assert_allclose(model.predict(X * sign, verbose=0), expected(X * sign))


def test_inputs_by_type_spec() -> None:
    x = keras.Input(type_spec=tf.RaggedTensorSpec((None, None), tf.int32))
    assert x.ragged and x.shape == (None, None) and x.dtype == "int32"
    assert keras.Input(type_spec=tf.TensorSpec((3, 4), tf.int64)).shape == (3, 4)


def test_the_learning_rate_is_lr() -> None:
    optimizer = keras.optimizers.SGD(lr=0.5)
    assert float(optimizer.learning_rate) == float(optimizer.lr) == 0.5
    optimizer.lr = 0.25
    assert float(optimizer.learning_rate) == 0.25


def test_shapes_of_layers_and_their_calls() -> None:
    layer = layers.Dense(3)
    model = keras.Sequential([keras.Input((2,)), layer])
    assert layer.input_shape == (None, 2) and layer.output_shape == (None, 3)
    assert layer.get_output_at(0) is model.outputs[0]
    assert layer.get_input_shape_at(0) == (None, 2)
    with pytest.raises(ValueError, match="called 1 times"):
        layer.get_output_at(1)
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = layer.other
    layer.output_shape = "own"
    assert layer.output_shape == "own"


def test_arguments_of_the_first_layer() -> None:
    kernel = np.full((2, 3), 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = keras.Sequential(
            [layers.Dense(3, batch_input_shape=(4, 2), weights=[kernel, np.ones(3)])]
        )
    assert model.output_shape == (4, 3)
    np.testing.assert_allclose(model(X), np.full((4, 3), 5.0))


def test_metrics_added_in_call_and_reset() -> None:
    class Watched(layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            self.add_metric(tf.reduce_mean(x), name="mean_of_x")
            return x

    model = keras.Sequential([keras.Input((2,)), Watched(), layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    history = model.fit(X * 3, Y, verbose=0).history
    assert history["mean_of_x"] == [3.0]
    assert [m.name for m in model.compiled_metrics.metrics] == ["mae"]
    model.reset_states()
    mean = keras.metrics.Mean()
    mean.update_state(2.0)
    mean.reset_states()
    assert float(mean.result()) == 0.0


def test_generators_by_methods_of_their_own() -> None:
    model = keras.Sequential([keras.Input((2,)), layers.Dense(1)])
    model.compile("sgd", "mse")
    batches = iter([(X, Y)] * 4)
    assert model.fit_generator(batches, steps_per_epoch=2, workers=1, verbose=0).epoch == [0]
    assert model.predict_generator(iter([X]), steps=1, verbose=0).shape == (4, 1)


def test_names_at_the_root_and_by_star() -> None:
    assert tf.losses is keras.losses and tf.optimizers is keras.optimizers
    assert tf.metrics is keras.metrics and tf.initializers is keras.initializers
    names: dict[str, Any] = {}
    exec("from tapeflow.keras import *\nfrom tapeflow.keras.layers import *", names)
    assert names["Model"] is keras.Model and names["Dense"] is layers.Dense


def test_stateless_steps_of_optimizers() -> None:
    variable = keras.Variable([1.0, 2.0])
    optimizer = keras.optimizers.SGD(0.1, momentum=0.9)
    optimizer.build([variable])
    values, state = optimizer.stateless_apply(optimizer.variables, [tf.ones(2)], [variable])
    np.testing.assert_allclose(values[0], [0.9, 1.9], rtol=1e-6)
    np.testing.assert_allclose(variable, [1.0, 2.0])
    assert int(state[0]) == 1 and int(optimizer.iterations) == 0


def test_lists_of_layers_have_their_layers_and_weights() -> None:
    class Blocks(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = [keras.layers.Dense(2) for _ in range(2)]
            self.later: list[Any] = []
            self.numbers = [1, 2]

        def call(self, x: Any) -> Any:
            for layer in self.blocks + self.later:
                x = layer(x)
            return x

    model = Blocks()
    model.later.append(keras.layers.Dense(1))
    model.blocks.append(keras.layers.Dense(3))
    assert model.later.layers == list(model.later)
    model(np.ones((1, 2), "float32"))
    assert model.blocks.layers == list(model.blocks)
    assert len(model.blocks.layers) == 3
    assert len(model.blocks.trainable_weights) == len(model.blocks.weights) == 6
    assert len(model.weights) == 8
    model.blocks.trainable = False
    assert len(model.trainable_weights) == 2
    assert model.blocks.non_trainable_variables == model.blocks.variables
    assert type(model.numbers) is list
    again = copy.deepcopy(model)
    assert len(again.blocks.layers) == 3
    assert again.blocks[0] is not model.blocks[0]
