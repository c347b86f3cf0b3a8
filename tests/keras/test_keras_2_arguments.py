"""Arguments and members that only Keras 2 has: each does what it does in tf_keras 2.21."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers
X = np.arange(16, dtype="float32").reshape(8, 2) / 16
Y = X[:, :1]


class Batches(keras.utils.Sequence):  # type: ignore[misc, name-defined]
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        return X[2 * index : 2 * index + 2], Y[2 * index : 2 * index + 2]


def line() -> Any:
    model = keras.Sequential([keras.Input((2,)), layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse", metrics=["mae"])
    return model


def test_workers_of_fit_evaluate_and_predict_are_those_of_the_dataset() -> None:
    alone, batches = line(), Batches()
    expected = alone.fit(X, Y, batch_size=2, shuffle=False, verbose=0).history
    model = line()
    history = model.fit(batches, shuffle=False, workers=2, max_queue_size=3, verbose=0).history
    np.testing.assert_allclose(history["loss"], expected["loss"], rtol=1e-5)
    assert (batches.workers, batches.max_queue_size) == (2, 3)
    results = model.evaluate(batches, verbose=0, workers=1, use_multiprocessing=False)
    np.testing.assert_allclose(results, model.evaluate(X, Y, verbose=0), rtol=1e-5)
    assert model.predict(batches, verbose=0, workers=1).shape == (8, 1)
    assert model.predict(X, verbose=0, workers=4).shape == (8, 1)
    for method in (model.fit, model.evaluate, model.predict):
        with pytest.raises(ValueError, match="'worker'"):
            method(batches, worker=1)


def test_metrics_of_batches_go_on_if_they_are_not_reset() -> None:
    model = line()
    model.test_on_batch(X[:2], Y[:2])
    both = model.test_on_batch(X[2:4], Y[2:4], reset_metrics=False)
    np.testing.assert_allclose(both, model.test_on_batch(X[:4], Y[:4]), rtol=1e-6)
    model.train_on_batch(X[:2], Y[:2])
    model.train_on_batch(X[2:4], Y[2:4], reset_metrics=False)
    assert float(model.metrics[0].count) == 4.0


@pytest.mark.parametrize(
    ("optimizer", "names"),
    [
        (keras.optimizers.Adam(amsgrad=True), ["m", "v", "vhat"]),
        (keras.optimizers.SGD(momentum=0.9), ["momentum"]),
        (keras.optimizers.SGD(), []),
        (keras.optimizers.RMSprop(momentum=0.5, centered=True), ["rms", "momentum", "mg"]),
        (keras.optimizers.Adagrad(), ["accumulator"]),
        (keras.optimizers.Adadelta(), ["accum_grad", "accum_var"]),
        (keras.optimizers.Ftrl(), ["accumulator", "linear"]),
    ],
)
def test_slots_have_their_names(optimizer: Any, names: list[str]) -> None:
    assert optimizer.get_slot_names() == []
    variable = tf.Variable([1.0, 2.0])
    optimizer.apply_gradients([(tf.ones(2), variable)], name="step")
    assert optimizer.get_slot_names() == names
    for name in names:
        assert optimizer.get_slot(variable, name).shape == (2,)
    assert optimizer.get_slot(variable, "other") is None


def test_variables_of_optimizers_may_be_called() -> None:
    inner = keras.optimizers.Adam()
    for optimizer in (inner, keras.mixed_precision.LossScaleOptimizer(inner)):
        optimizer.build([tf.Variable(1.0)])
        assert optimizer.variables() == optimizer.variables
        assert len(optimizer.variables) == len(optimizer.variables())


def test_steps_take_the_arguments_of_replicas() -> None:
    optimizer, variable = keras.optimizers.SGD(0.5), tf.Variable(1.0)
    pairs = optimizer.aggregate_gradients([(tf.constant(1.0), variable)])
    optimizer.apply_gradients(pairs, skip_gradients_aggregation=True)
    optimizer.apply_gradients(pairs, experimental_aggregate_gradients=False)
    assert variable.numpy() == 0.0
    optimizer.minimize(lambda: 3.0 * variable, [variable], grad_loss=tf.constant(2.0), name="s")
    assert variable.numpy() == -3.0


def test_loss_scale_is_read() -> None:
    optimizer = keras.mixed_precision.LossScaleOptimizer(
        keras.optimizers.SGD(), initial_scale=4.0, dynamic_growth_steps=2
    )
    variable = tf.Variable(1.0)
    assert float(optimizer.loss_scale) == 4.0 and optimizer.dynamic
    assert int(optimizer.dynamic_counter) == 0
    for counter, scale in ((1, 4.0), (0, 8.0)):
        optimizer.apply_gradients([(tf.constant(1.0), variable)])
        assert int(optimizer.dynamic_counter) == counter
        assert float(optimizer.loss_scale) == scale


def test_metrics_have_members_of_layers() -> None:
    metric = keras.metrics.MeanAbsoluteError(name="error")
    metric.update_state([[1.0], [3.0]], [[2.0], [5.0]])
    assert metric.get_weights() == [3.0, 2.0]
    assert metric.weights == metric.variables == metric.non_trainable_variables
    assert metric.trainable_weights == metric.losses == metric.metrics == []
    assert metric.count_params() == 2 and metric.compute_dtype == "float32"
    metric.set_weights([8.0, 2.0])
    assert float(metric.result()) == 4.0
    with pytest.raises(ValueError, match="expected 2 arrays"):
        metric.set_weights([1.0])
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = metric.other

    class Own(keras.metrics.Metric):
        def __init__(self) -> None:
            super().__init__()
            self.weights = "own"

    assert Own().weights == "own"


def test_layers_describe_outputs_and_masks_of_calls() -> None:
    layer = layers.Dense(3)
    x = keras.Input((2,))
    layer(x)
    spec = layer.compute_output_signature(tf.TensorSpec((None, 2), tf.float32))
    assert spec == tf.TensorSpec((None, 3), tf.float32)
    assert layer.input_mask is None and layer.get_output_mask_at(0) is None
    embedding = layers.Embedding(3, 2, mask_zero=True)
    embedding(keras.Input((4,)))
    assert embedding.output_mask.shape == (None, 4)
    assert not layer.dynamic
    assert keras.Sequential().distribute_strategy is tf.distribute.get_strategy()


def test_inputs_by_the_name_of_keras_2() -> None:
    x = tf.ones((1, 4, 2))
    assert layers.LSTM(3)(inputs=x).shape == (1, 3)
    assert layers.Resizing(2, 2)(inputs=tf.ones((1, 4, 4, 1))).shape == (1, 2, 2, 1)
    tensor = keras.Input((4, 2))
    assert layers.GRU(3)(inputs=tensor).shape == (None, 3)
    with pytest.raises(TypeError, match="sequences"):
        layers.LSTM(3)(input=x)


def test_states_for_the_rows_of_inputs() -> None:
    for states in (
        layers.LSTM(2).get_initial_state(inputs=tf.zeros((3, 4, 1))),
        layers.LSTM(2).get_initial_state(batch_size=3),
    ):
        assert [tuple(state.shape) for state in states] == [(3, 2), (3, 2)]
    assert layers.LSTM(2, implementation=1).implementation == 1


def test_average_pooling_has_the_default_window() -> None:
    x = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
    np.testing.assert_allclose(layers.AveragePooling2D()(x)[0, ..., 0], [[2.5, 4.5], [10.5, 12.5]])
    assert layers.AveragePooling1D().pool_size == (2,)
    assert layers.AveragePooling3D().pool_size == (2, 2, 2)


def test_classes_are_encoded_in_a_dtype() -> None:
    rows = keras.utils.to_categorical(y=[0, 2], num_classes=3, dtype="int32")
    np.testing.assert_array_equal(rows, [[1, 0, 0], [0, 0, 1]])
    assert rows.dtype == np.int32
    assert keras.utils.to_categorical(tf.constant([1]), 2, dtype="int64").dtype == tf.int64
    assert keras.utils.to_categorical([1]).dtype == np.float64
    with pytest.raises(TypeError, match="classes"):
        keras.utils.to_categorical()


def test_checkpoints_of_each_second_epoch(tmp_path: Path) -> None:
    file = str(tmp_path / "{epoch}.weights.h5")
    callback = keras.callbacks.ModelCheckpoint(file, save_weights_only=True, period=2)
    line().fit(X, Y, epochs=5, verbose=0, callbacks=[callback])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2.weights.h5", "4.weights.h5"]


def test_options_of_checkpoints_are_passed_on(tmp_path: Path) -> None:
    options = tf.train.CheckpointOptions()
    callback = keras.callbacks.ModelCheckpoint(
        str(tmp_path / "weights"), save_weights_only=True, options=options
    )
    line().fit(X, Y, verbose=0, callbacks=[callback])
    assert (tmp_path / "weights.index").exists()


def test_arguments_of_callbacks() -> None:
    keras.callbacks.ProgbarLogger(count_mode="steps", stateful_metrics=[])
    with pytest.raises(ValueError, match="count_mode='samples'"):
        keras.callbacks.ProgbarLogger(count_mode="samples")
    keras.callbacks.BackupAndRestore("folder", save_before_preemption=False)
    with pytest.raises(ValueError, match="save_before_preemption"):
        keras.callbacks.BackupAndRestore("folder", save_before_preemption=True)


def test_weights_and_losses_by_the_arguments_of_keras_2() -> None:
    layer = layers.Layer()
    weight = layer.add_weight(
        "w",
        shape=(2,),
        use_resource=True,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )
    assert weight.synchronization is tf.VariableSynchronization.ON_READ
    assert weight.aggregation is tf.VariableAggregation.SUM
    layer.add_loss(losses=[tf.constant(2.0)])
    assert [float(loss) for loss in layer.losses] == [2.0]
    x = keras.Input((2,))
    model = keras.Model(x, layers.Dense(1)(x))
    model.add_loss(losses=tf.reduce_mean(x))
    model.compile("sgd")
    np.testing.assert_allclose(model.evaluate(X, verbose=0), X.mean(), rtol=1e-6)


def test_convolutions_by_an_operation_of_a_subclass() -> None:
    class Standardized(layers.Conv2D):  # type: ignore[misc, name-defined]
        def convolution_op(self, inputs: Any, kernel: Any) -> Any:
            mean, variance = tf.nn.moments(kernel, axes=[0, 1, 2], keepdims=True)
            return super().convolution_op(inputs, (kernel - mean) / tf.sqrt(variance + 1e-10))

    def counted(shape: Any, dtype: Any = None) -> Any:
        return tf.reshape(tf.range(float(np.prod(shape))), shape)

    x = np.arange(96, dtype="float32").reshape(2, 4, 4, 3) / 10
    layer = Standardized(2, 3, padding="same", kernel_initializer=counted, bias_initializer="ones")
    # As Keras 2 and 3 compute it.
    np.testing.assert_allclose(layer(x)[0, :2, 0], [[13.466] * 2, [23.34] * 2], atol=1e-3)
    first = Standardized(
        *(2, 3),
        padding="same",
        data_format="channels_first",
        kernel_initializer=counted,
        bias_initializer="ones",
    )
    np.testing.assert_allclose(
        np.moveaxis(np.array(first(np.moveaxis(x, -1, 1))), 1, -1), layer(x), rtol=1e-5
    )


def test_images_in_gray_by_the_argument_of_keras_2(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    keras.utils.save_img(file, np.full((2, 3, 3), 9.0))
    assert keras.utils.load_img(file, grayscale=True).mode == "L"
    assert keras.utils.load_img(file).mode == "RGB"


def test_other_names_and_arguments() -> None:
    assert layers.StringLookup(vocabulary=["a", "b"]).vocab_size() == 3
    policy = keras.mixed_precision.Policy.from_config({"name": "float16"}, custom_objects={})
    assert policy.name == "float16"
    model = keras.applications.ConvNeXtTiny(
        model_name="mine", weights=None, include_top=False, input_shape=(32, 32, 3)
    )
    assert model.name == "mine"


def test_masks_by_the_argument_of_keras_2() -> None:
    mask = tf.constant([[True, False]])
    sequences = tf.ones((1, 2, 3))
    for layer in (layers.LSTM(2, return_sequences=True), layers.Dense(2), layers.Dropout(0.1)):
        assert layer.compute_mask(sequences, mask=mask) is mask
        assert layer.compute_mask(sequences, mask) is mask
    assert layers.GlobalAveragePooling1D().compute_mask(sequences, mask=mask) is None
    assert layers.Embedding(3, 2).compute_mask(tf.ones((1, 2)), mask=mask) is None


def test_policies_of_a_map_are_removed_with_a_default() -> None:
    policies = keras.dtype_policies.DTypePolicyMap()
    policies["a"] = keras.DTypePolicy("float16")
    assert policies.pop("a").name == "float16"
    assert policies.pop("a", None) is None
    with pytest.raises(KeyError):
        policies.pop("a")


def test_a_dataset_is_created_by_fit() -> None:
    contexts = []

    def create(context: Any) -> Any:
        contexts.append(context)
        rows = tf.data.Dataset.from_tensor_slices((X, Y)).repeat()
        return rows.batch(context.get_per_replica_batch_size(4))

    creator = keras.utils.experimental.DatasetCreator(create)
    model, other = line(), line()
    history = model.fit(creator, steps_per_epoch=2, epochs=2, verbose=0).history
    expected = other.fit(X, Y, batch_size=4, shuffle=False, epochs=2, verbose=0).history
    np.testing.assert_allclose(history["loss"], expected["loss"], rtol=1e-6)
    assert [context.num_input_pipelines for context in contexts] == [1]
    with pytest.raises(TypeError, match="must return a tf"):
        model.fit(keras.utils.experimental.DatasetCreator(lambda context: X), verbose=0)
    with pytest.raises(TypeError, match="must be a function"):
        keras.utils.experimental.DatasetCreator(X)


@pytest.mark.parametrize("kind", ["array", "dataset", "steps"])
def test_layers_of_users_are_adapted(kind: str) -> None:
    class Largest(layers.experimental.preprocessing.PreprocessingLayer):
        batches = 0

        def build(self, input_shape: Any) -> None:
            self.largest = self.add_weight(shape=(), initializer="zeros", trainable=False)

        def reset_state(self) -> None:
            self.largest.assign(0.0)

        def update_state(self, data: Any) -> None:
            self.batches += 1
            self.largest.assign(tf.maximum(self.largest, tf.reduce_max(data)))

        def finalize_state(self) -> None:
            self.largest.assign(self.largest * 2)

        def call(self, x: Any) -> Any:
            return x / self.largest

    layer = Largest()
    assert not layer.is_adapted
    data = tf.data.Dataset.from_tensor_slices(X).batch(2) if kind == "dataset" else X
    for _ in range(2):  # the second time the state is reset
        layer.adapt(data, batch_size=2, steps=2 if kind == "steps" else None)
        largest = X[:4].max() if kind == "steps" else X.max()
        assert float(layer.largest) == pytest.approx(2 * largest)
    assert layer.is_adapted and layer.batches == (4 if kind == "steps" else 8)
    with pytest.raises(NotImplementedError, match="update_state"):
        layers.experimental.preprocessing.PreprocessingLayer().adapt(X)
