"""Messages name the repair: the name that was meant, the loss that fits, the user's line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers


def classifier() -> Any:
    return keras.Sequential([keras.Input((4,)), layers.Dense(3, activation="softmax")])


@pytest.mark.parametrize(
    ("use", "meant"),
    [
        (lambda: keras.losses.get("categorical_cross_entropy"), "'categorical_crossentropy'"),
        (lambda: keras.optimizers.get("adma"), "'adam'"),
        (lambda: keras.metrics.get("acuracy"), "'accuracy'"),
        (lambda: keras.initializers.get("glorot_uniforn"), "'glorot_uniform'"),
        (lambda: keras.regularizers.get("l11"), "'l1'"),
        (lambda: layers.Dense(1, activation="rleu"), "'relu'"),
        (lambda: classifier().compile(loss="categorical_cross_entropy"), "'categorical_cross"),
        (lambda: classifier().compile(loss={"dense": "msee"}), "'mse'"),
        (lambda: classifier().compile(loss="mse", metrics=["acuracy"]), "'accuracy'"),
        (lambda: classifier().compile("adma", "mse"), "'adam'"),
    ],
)
def test_unknown_names_come_with_the_one_that_was_meant(use: Callable[[], Any], meant: str) -> None:
    with pytest.raises(ValueError, match=rf"Could not interpret .*Did you mean .*{meant}"):
        use()


def test_names_of_metrics_that_compile_accepts() -> None:
    model = classifier()
    model.compile(loss="mse", metrics=["accuracy", "acc", "AUC", "mae", keras.metrics.Mean()])
    model.compile(loss=["mse"], metrics={"dense": ["Accuracy", keras.losses.mse]})


@pytest.mark.parametrize(
    ("loss", "shape", "repair"),
    [
        (
            "categorical_crossentropy",
            (8,),
            r"sparse_categorical_crossentropy.*to_categorical\(y, 3",
        ),
        ("categorical_crossentropy", (8, 1), "sparse_categorical_crossentropy"),
        ("sparse_categorical_crossentropy", (8, 3), "'categorical_crossentropy'"),
    ],
)
def test_labels_of_the_wrong_rank_name_the_loss_that_takes_them(
    loss: str, shape: tuple[int, ...], repair: str
) -> None:
    model = classifier()
    model.compile(loss=loss)
    with pytest.raises(ValueError, match=repair):
        model.fit(np.ones((8, 4), np.float32), np.zeros(shape), verbose=0)


def test_binary_labels_without_the_last_axis_are_to_be_reshaped() -> None:
    with pytest.raises(ValueError, match=r"y\[:, tf.newaxis\]"):
        keras.losses.binary_crossentropy(tf.zeros(8), tf.zeros((8, 1)))


def test_a_missing_batch_axis_is_named() -> None:
    with pytest.raises(ValueError, match=r"found ndim=3, shape \(5, 5, 1\).*tf.newaxis"):
        layers.Conv2D(1, 3)(tf.ones((5, 5, 1)))


def test_warnings_point_to_the_line_of_the_user() -> None:
    model = classifier()
    model.compile(loss=keras.losses.CategoricalCrossentropy(from_logits=True))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(np.ones((8, 4), np.float32), np.eye(3)[[0] * 8], verbose=0)
        layers.Dense(1, input_shape=(2,))
    assert [warning.filename for warning in caught] == [__file__] * 2


def test_missing_gradients_name_the_paths_of_variables() -> None:
    model = keras.Sequential([keras.Input((2,)), layers.Dense(2, name="first")], name="net")
    kernel, bias = model.trainable_variables
    optimizer = keras.optimizers.SGD()
    with pytest.raises(ValueError, match=r"No gradients provided .*first/kernel.*first/bias"):
        optimizer.apply_gradients([(None, kernel), (None, bias)])
    with pytest.warns(UserWarning, match=r"no gradient for the variables .*first/bias"):
        optimizer.apply_gradients([(tf.ones((2, 2)), kernel), (None, bias)])


def test_objects_of_the_program_come_before_keras_own_of_the_same_name() -> None:
    class Fives(keras.initializers.Initializer):  # type: ignore[misc, name-defined]
        def __call__(self, shape: Any, dtype: Any = None) -> Any:
            return tf.fill(shape, 5.0)

    with keras.utils.custom_object_scope({"zeros": Fives}):
        assert isinstance(keras.initializers.get("zeros"), Fives)
    assert isinstance(keras.initializers.get("zeros"), keras.initializers.Zeros)


class Failing(layers.Layer):  # type: ignore[misc, name-defined]
    """Fails on the second call, when a layer takes the short way."""

    _tpf_builds_nothing = True
    calls = 0

    def call(self, x: Any) -> Any:
        self.calls += 1
        if self.calls > 1:
            raise KeyError("lost")
        return x


class Around(keras.Model):  # type: ignore[misc, name-defined]
    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def call(self, x: Any) -> Any:
        return self.layer(x)


@pytest.mark.parametrize("inside", [False, True])
def test_errors_name_the_layer_and_its_arguments(inside: bool) -> None:
    layer = Failing(name="third")
    call = Around(layer) if inside else layer
    x = tf.ones((2, 4))
    call(x)
    with pytest.raises(KeyError) as error:
        call(x)
    note = error.value.__notes__[0]
    assert "calling Failing.call() of layer 'third'" in note
    assert "x=EagerTensor(shape=(2, 4), dtype=float32)" in note


@pytest.mark.parametrize("eagerly", [False, True])
def test_errors_of_ops_in_fit_name_the_layer(eagerly: bool) -> None:
    model = Around(layers.Lambda(lambda x: tf.matmul(x, tf.ones((7, 7))), name="odd"))
    model.compile("sgd", "mse", run_eagerly=eagerly)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as error:
        model.fit(np.ones((8, 4), np.float32), np.ones((8, 7)), verbose=0)
    assert "calling Lambda.call() of layer 'odd'" in error.value.__notes__[0]
    assert "inputs=" in error.value.__notes__[0]
