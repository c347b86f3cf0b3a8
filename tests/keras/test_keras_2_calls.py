"""Calls as Keras 2 code has them: numbers as inputs, `minimize`, the name of a weight first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [([-3.0, -1.0, 2.0], [0.0, 0.0, 2.0]), ([[-1, 4]], [[0, 4]]), (-2.0, 0.0), ((1.0,), [1.0])],
)
def test_layers_take_python_numbers(inputs: Any, expected: Any) -> None:
    np.testing.assert_array_equal(keras.layers.ReLU()(inputs), expected)


def test_layers_refuse_lists_that_are_no_numbers() -> None:
    for inputs in (["text"], [1.0, "text"], [True]):
        with pytest.raises(ValueError, match="pass it as a keyword argument"):
            keras.layers.ReLU()(inputs)


def test_fit_and_predict_take_lists_of_numbers() -> None:
    model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones")])
    np.testing.assert_allclose(model.predict([[1.0, 2.0], [3.0, 4.0]], verbose=0), [[3.0], [7.0]])
    model.compile("sgd", "mse")
    history = model.fit([[1.0, 2.0], [3.0, 4.0]], [3.0, 7.0], verbose=0)
    assert history.history["loss"] == [0.0]


def test_minimize_makes_the_step_of_the_gradients() -> None:
    optimizer, variable = keras.optimizers.SGD(0.1, momentum=0.9), tf.Variable(1.0)
    for expected in (0.9, 0.72):  # by hand: the gradient is the value itself
        optimizer.minimize(lambda: variable**2 / 2, [variable])
        assert variable.numpy() == pytest.approx(expected)


def test_minimize_takes_a_tensor_with_its_tape_and_variables_from_a_function() -> None:
    optimizer, variable = keras.optimizers.SGD(0.5), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = variable**2
    optimizer.minimize(loss, lambda: [variable], tape=tape)
    assert variable.numpy() == 0.0
    with pytest.raises(ValueError, match="`tape` is required"):
        optimizer.minimize(loss, [variable])


def test_the_name_of_a_weight_may_come_first() -> None:
    layer = keras.layers.Layer()
    by_position = layer.add_weight("kernel", (2, 3), "float16", "ones")
    by_name = layer.add_weight("bias", shape=[3], initializer="zeros", trainable=False)
    assert (by_position.name, by_position.shape, by_position.dtype) == ("kernel", (2, 3), "float16")
    assert (by_name.name, by_name.shape, by_name.trainable) == ("bias", (3,), False)
    assert keras.metrics.Mean().add_weight("count", shape=(2,)).shape == (2,)


def test_arguments_and_names_of_keras_2() -> None:
    np.testing.assert_allclose(keras.activations.relu([-2.0, 1.0], alpha=0.5), [-1.0, 1.0])
    inputs = keras.Input(shape=3)
    assert inputs.shape == (None, 3)
    assert (
        inputs.dtype == inputs.dtype.name == "float32" and tf.as_dtype(inputs.dtype) is tf.float32
    )
    assert isinstance(keras.regularizers.get("l1_l2"), keras.regularizers.L1L2)
    with pytest.raises(ValueError, match="'abcd' is not the name of an activation"):
        keras.activations.serialize("abcd")


def test_backend_crossentropy_casts_targets() -> None:
    targets = keras.utils.to_categorical([0, 1])
    predicted = tf.constant([[0.5, 0.5], [0.25, 0.75]])
    loss = keras.backend.categorical_crossentropy(targets, predicted)
    np.testing.assert_allclose(loss, -np.log([0.5, 0.75]), rtol=1e-6)


def test_environment_selects_keras_2_where_the_generations_exclude_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = ([0, 0, 1, 1], [0, 1, 0, 1])
    weights = [0.3, 0.3, 0.3, 0.1]
    tensor = keras.Input((2,), name="x")
    assert repr(tensor).startswith("<KerasTensor shape=(None, 2), dtype=float32")
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    assert repr(tensor).startswith("<KerasTensor: shape=(None, 2) dtype=float32 (")
    metric = keras.metrics.IoU(num_classes=2, target_class_ids=[0])
    metric.update_state(*arguments, sample_weight=weights)
    assert metric.result().numpy() == pytest.approx(1 / 3)
    model = keras.Sequential([keras.layers.Dense(3, kernel_initializer="zeros")])
    model.compile("sgd", "mse")
    assert model.evaluate(np.ones((2, 4)), np.ones(2), verbose=0) == 1.0
    np.testing.assert_allclose(keras.activations.hard_sigmoid([-1.0, 1.0]), [0.3, 0.7])


def test_functional_models_add_losses_and_metrics_of_keras_tensors() -> None:
    inputs = keras.Input((2,))
    hidden = keras.layers.Dense(1, kernel_initializer="ones", use_bias=False)(inputs)
    model = keras.Model(inputs, hidden * 1.0)
    model.add_loss(tf.reduce_sum(hidden))
    model.add_metric(tf.reduce_max(hidden), name="largest", aggregation="mean")
    assert len(model.losses) == 1
    data = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
    model(data)
    np.testing.assert_allclose(model.losses, [10.0])
    model.compile(keras.optimizers.SGD(0.0))
    assert model.fit(data, verbose=0, shuffle=False).history == {"loss": [10.0], "largest": [7.0]}
    with pytest.raises(ValueError, match="not connected"):
        model.add_loss(tf.reduce_sum(keras.Input((2,))))


def test_losses_may_be_functions() -> None:
    layer = keras.layers.Dense(1, kernel_initializer="ones")
    model = keras.Sequential(layer)
    model.add_loss(lambda: tf.reduce_sum(layer.kernel))
    model.build((None, 3))
    for factor in (1.0, 2.0):
        layer.kernel.assign(tf.ones((3, 1)) * factor)
        np.testing.assert_allclose(model.losses, [3.0 * factor])


def test_metrics_merge() -> None:
    first, second = keras.metrics.Accuracy(), keras.metrics.Accuracy()
    first.update_state([1, 2], [0, 2])
    second.update_state([3, 4], [3, 4])
    second.merge_state([first])
    assert second.result().numpy() == 0.75
    with pytest.raises(ValueError, match="same class and arguments"):
        second.merge_state([keras.metrics.AUC()])


def test_weights_of_an_optimizer_leave_out_the_learning_rate() -> None:
    optimizer, variable = keras.optimizers.RMSprop(1), tf.Variable([1.0, 2.0])
    optimizer.build([variable])
    assert [weight.shape for weight in optimizer.get_weights()] == [(), (2,)]
    optimizer.set_weights([np.array(10), np.array([0.5, 0.25], "float32")])
    assert optimizer.iterations.numpy() == 10 and optimizer.learning_rate.numpy() == 1.0
    np.testing.assert_array_equal(optimizer.get_weights()[1], [0.5, 0.25])


def test_a_loop_scales_the_loss_and_unscales_gradients_itself() -> None:
    optimizer, variable = keras.optimizers.SGD(0.25), tf.Variable(1.0)
    optimizer = keras.mixed_precision.LossScaleOptimizer(optimizer)
    optimizer.minimize(lambda: variable**2, [variable])
    assert variable.numpy() == 0.5
    with tf.GradientTape() as tape:
        scaled = optimizer.get_scaled_loss(variable**2)
    gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, [variable]))
    assert scaled.numpy() == 0.25 * 2**15 and gradients[0].numpy() == 1.0
    optimizer.apply_gradients([(gradients[0], variable)])
    assert variable.numpy() == 0.25


def test_schedules_and_adapt_take_what_keras_2_takes() -> None:
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.5), "mse")
    halve = keras.callbacks.LearningRateScheduler(lambda epoch, rate: tf.constant(rate) / 2)
    model.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0, callbacks=[halve])
    assert model.optimizer.learning_rate.numpy() == 0.25
    layer = keras.layers.Normalization(axis=None)
    layer.adapt([0, 2])
    np.testing.assert_allclose(layer(np.array([0.0, 1.0, 2.0])), [-1.0, 0.0, 1.0])


def test_an_input_has_the_shape_and_dtype_of_a_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    value = tf.ones([3, 4], tf.float64)
    with pytest.raises(ValueError, match="KerasTensor"):
        keras.Input(tensor=value)
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    tensor = keras.Input(tensor=value)
    assert tuple(tensor.shape) == (3, 4) and tensor.dtype == "float64"
    np.testing.assert_array_equal(keras.Model(tensor, tensor * 2)(value), 2 * value)


def test_keras_2_leaves_the_rank_of_inputs_to_the_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = keras.Input((5, 5))
    model = keras.Model(inputs, keras.layers.Dense(2, kernel_initializer="ones")(inputs))
    with pytest.raises(ValueError, match="incompatible shape"):
        model(tf.ones((5, 5)))
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    with pytest.warns(UserWarning, match="incompatible shape"):
        np.testing.assert_array_equal(model(tf.ones((5, 5))), np.full((5, 2), 5.0))


def test_keras_2_takes_any_positional_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    class Twice(keras.Model):
        def __init__(self) -> None:
            super().__init__(self)

        def call(self, x: Any, factor: Any = 2) -> Any:
            return factor * x

    with pytest.raises(TypeError, match=r"Twice takes `inputs` and `outputs`.*\['Twice'\]"):
        Twice()
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    assert Twice()(tf.constant(3.0)).numpy() == 6.0


def test_metrics_of_keras_2_compute_in_their_dtype(monkeypatch: pytest.MonkeyPatch) -> None:
    def product(y_true: Any, y_pred: Any) -> Any:
        return tf.reduce_mean(y_true * y_pred)

    def batches() -> Any:
        while True:
            yield np.ones((2, 3)), np.full((2, 1), 2.0)

    model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.0), "mse", metrics=["mae", product])
    assert model.metrics_names == ["loss", "compile_metrics"]
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    assert model.metrics_names == []
    history = model.fit(batches(), steps_per_epoch=1, verbose=0)
    assert history.history["product"] == [6.0]
    assert model.metrics_names == ["loss", "mae", "product"]
    assert [float(metric.result()) for metric in model.metrics] == [1.0, 1.0, 6.0]
    model.reset_metrics()
    assert [float(metric.result()) for metric in model.metrics] == [0.0, 0.0, 0.0]


def test_classes_of_keras_2_become_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    assert keras.utils.to_categorical([1, 0]).dtype == np.float64
    assert keras.utils.to_categorical([1, 0], 3, "int32").tolist() == [[0, 1, 0], [1, 0, 0]]
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    assert keras.utils.to_categorical([1, 0]).dtype == np.float32


def test_optimizers_have_weights_without_the_learning_rate() -> None:
    optimizer = keras.optimizers.legacy.Adam(0.1)
    variable = tf.Variable([1.0, 2.0])
    optimizer.minimize(lambda: variable * variable, [variable])
    values = [weight.numpy() for weight in optimizer.weights]
    assert [value.shape for value in values] == [(), (2,), (2,)] and values[0] == 1
    for value, weight in zip(optimizer.get_weights(), values, strict=True):
        np.testing.assert_array_equal(value, weight)


def test_restored_losses_are_not_counted_in_keras_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    x, y = np.ones((4, 3), "float32"), np.zeros((4, 1), "float32")

    def compiled() -> Any:
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse", metrics=["mae"])
        return model

    model, copy = compiled(), compiled()
    model.fit(x, y, verbose=0)
    tf.train.Checkpoint(model=model).write(str(tmp_path / "cp"))
    tf.train.Checkpoint(model=copy).read(str(tmp_path / "cp")).expect_partial()
    expected = model.evaluate(x, y, verbose=0)
    np.testing.assert_allclose(copy.evaluate(x, y, verbose=0), expected, rtol=1e-6)
    # The names are those of Keras 2; files with those of Keras 3 are read all the same.
    names = {name for name, _ in tf.train.list_variables(str(tmp_path / "cp"))}
    prefix, value = "model/layer_with_weights-0", ".ATTRIBUTES/VARIABLE_VALUE"
    assert {f"{prefix}/kernel/{value}", f"{prefix}/bias/{value}"} <= names
    assert not [name for name in names if "_loss_tracker" in name]
    monkeypatch.delenv("TF_USE_LEGACY_KERAS")
    tf.train.Checkpoint(model=model).write(str(tmp_path / "new"))
    names = {name for name, _ in tf.train.list_variables(str(tmp_path / "new"))}
    assert f"model/_loss_tracker/total/{value}" in names
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    copy = compiled()
    tf.train.Checkpoint(model=copy).read(str(tmp_path / "new")).expect_partial()
    np.testing.assert_allclose(copy.evaluate(x, y, verbose=0), expected, rtol=1e-6)


def test_json_of_keras_2_is_read_and_written(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = {"filters": 4, "kernel_size": [2, 2], "groups": 1, "name": "c", "activation": "linear"}
    layer["kernel_initializer"] = {"class_name": "GlorotUniform", "config": {"seed": None}}
    entry = {"batch_input_shape": [None, 5, 5, 2], "dtype": "float32", "name": "i"}
    config = {
        "class_name": "Sequential",
        "config": {
            "name": "s",
            "layers": [
                {"class_name": "InputLayer", "config": entry},
                {"class_name": "SeparableConv2D", "config": layer},
            ],
        },
        "keras_version": "2.21.0",
        "backend": "tensorflow",
    }
    model = keras.models.model_from_json(json.dumps(config))
    assert model.output_shape == (None, 4, 4, 4) and model.get_layer("c").filters == 4
    assert keras.models.model_from_config(config).output_shape == model.output_shape
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    model.compile("sgd", "mse")
    written = json.loads(model.to_json())
    assert written.keys() == config.keys() and written["class_name"] == "Sequential"
    inputs = written["config"]["layers"][0]["config"]
    assert inputs["batch_input_shape"] == entry["batch_input_shape"]
    assert keras.models.model_from_json(model.to_json()).output_shape == model.output_shape
