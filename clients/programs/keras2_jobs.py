"""Keras 2 (tf_keras): what its users do. One line for each job that works."""

import tempfile
import traceback

import numpy as np
import tensorflow as tf
import tf_keras as keras

keras.utils.set_random_seed(1)
x = np.random.default_rng(1).normal(size=[64, 4]).astype("float32")
y = x.sum(1, keepdims=True)
folder = tempfile.mkdtemp()


def dense_model():
    layers = [keras.layers.Dense(8, "relu", input_shape=[4]), keras.layers.Dense(1)]
    return keras.Sequential(layers)


def fitted(model, inputs=x, targets=y, **options):
    model.compile("adam", "mse", metrics=["mae"], **options)
    history = model.fit(inputs, targets, batch_size=16, epochs=5, verbose=0).history
    assert history["loss"][-1] < history["loss"][0], history["loss"]
    assert np.isfinite(model.evaluate(inputs, targets, verbose=0)).all()
    return model


def fit():
    fitted(dense_model())


def eager_fit():
    fitted(dense_model(), run_eagerly=True)


def recurrent():
    layers = [keras.layers.LSTM(8, return_sequences=True, input_shape=[4, 1])]
    model = keras.Sequential([*layers, keras.layers.GRU(4), keras.layers.Dense(1)])
    fitted(model, x[..., None])


def own_loop():
    model, optimizer = dense_model(), keras.optimizers.Adam(0.01)
    loss_of = keras.losses.MeanSquaredError()
    metric = keras.metrics.Mean()

    @tf.function
    def step(inputs, targets):
        with tf.GradientTape() as tape:
            loss = loss_of(targets, model(inputs, training=True))
        weights = model.trainable_weights
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        metric.update_state(loss)
        return loss

    dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64, seed=1).batch(16)
    losses = []
    for _ in range(10):
        for batch in dataset:
            loss = step(*batch)
        losses.append(float(loss))
    assert losses[-1] < losses[0]
    assert np.isfinite(metric.result().numpy())


def files():
    model = fitted(dense_model())
    for ending in ("keras", "h5"):
        path = f"{folder}/model.{ending}"
        model.save(path)
        again = keras.models.load_model(path)
        np.testing.assert_allclose(again(x), model(x), rtol=1e-5)
    model.save_weights(f"{folder}/weights")
    other = dense_model()
    other.load_weights(f"{folder}/weights").expect_partial()
    np.testing.assert_allclose(other(x), model(x), rtol=1e-5)


def operators():
    inputs = keras.Input([4])
    hidden = tf.nn.relu(keras.layers.Dense(4)(inputs) * 2.0 + 1.0)
    outputs = tf.reduce_sum(hidden[:, 1:] - tf.cast(hidden > 0, tf.float32)[:, :3], 1, True)
    model = fitted(keras.Model(inputs, tf.concat([outputs, -outputs], 1)[:, :1] / 2))
    again = keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again(x), model(x), rtol=1e-5)


def saved_model():
    model = fitted(dense_model())
    model.save(f"{folder}/saved", save_format="tf")
    again = keras.models.load_model(f"{folder}/saved")
    np.testing.assert_allclose(again(x), model(x), rtol=1e-5)
    served = tf.saved_model.load(f"{folder}/saved").signatures["serving_default"]
    (result,) = served(tf.constant(x)).values()
    np.testing.assert_allclose(result, model(x), rtol=1e-5)


def subclass_and_callbacks():
    class Residual(keras.Model):
        def __init__(self):
            super().__init__()
            self.blocks = [keras.layers.Dense(4, "tanh") for _ in range(2)]
            self.norm = keras.layers.BatchNormalization()
            self.head = keras.layers.Dense(1)

        def call(self, inputs, training=None):
            for block in self.blocks:
                inputs = inputs + block(inputs)
            return self.head(self.norm(inputs, training=training))

    model = Residual()
    model.compile(keras.optimizers.SGD(0.05), "mse", metrics=[keras.metrics.MeanSquaredError()])
    callbacks = [
        keras.callbacks.EarlyStopping(patience=5),
        keras.callbacks.ReduceLROnPlateau(patience=2),
        keras.callbacks.ModelCheckpoint(f"{folder}/best.weights.h5", save_weights_only=True),
        keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9),
        keras.callbacks.CSVLogger(f"{folder}/log.csv"),
    ]
    data = {"x": x, "y": y, "validation_data": (x, y)}
    history = model.fit(**data, epochs=4, verbose=0, callbacks=callbacks).history
    assert history["val_loss"][-1] < history["val_loss"][0]
    assert len(model.trainable_weights) == 8
    other = Residual()
    other(x)
    other.load_weights(f"{folder}/best.weights.h5")
    np.testing.assert_allclose(other(x), model(x), rtol=1e-4)


JOBS = (fit, eager_fit, recurrent, own_loop, files, operators, saved_model, subclass_and_callbacks)
for job in JOBS:
    try:
        job()
        print(f"ok: {job.__name__}", flush=True)
    except Exception:
        traceback.print_exc()
        print(f"failed: {job.__name__}", flush=True)
