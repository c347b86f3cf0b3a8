"""Keras 3 on its TensorFlow backend: models, layers, training, precision, saving, export.

Each part stands on its own: one that fails shows its error, and the next one runs.
"""

import os
import tempfile
import traceback
from pathlib import Path

os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import numpy as np
import tensorflow as tf
from keras import layers

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=[64, 8]).astype("float32")
Y = (X[:, :1] - 2.0 * X[:, 1:2]).astype("float32")
WORDS = RANDOM.integers(1, 20, size=[32, 6])
FOLDER = Path(tempfile.mkdtemp())


def improves(model, x, y, loss="mse", epochs=4, **kwargs):
    """Train a model, and require that its loss falls."""
    model.compile(keras.optimizers.Adam(0.01), loss, **kwargs)
    losses = model.fit(x, y, epochs=epochs, batch_size=16, verbose=0).history["loss"]
    assert np.isfinite(losses).all() and losses[-1] < losses[0], losses
    return model


def dense():
    """Return a small functional model."""
    inputs = keras.Input([8])
    hidden = layers.Dense(16, "relu")(inputs)
    return keras.Model(inputs, layers.Dense(1)(layers.Dropout(0.1)(hidden)))


def sequential():
    model = keras.Sequential([keras.Input([8]), layers.Dense(16, "relu"), layers.Dense(1)])
    improves(model, X, Y, metrics=["mae"])
    assert set(model.evaluate(X, Y, verbose=0, return_dict=True)) == {"loss", "mae"}
    assert model.predict(X, verbose=0).shape == (64, 1)
    print("ok: sequential")


def functional():
    a, b = keras.Input([8], name="a"), keras.Input([8], name="b")
    joined = layers.concatenate([layers.Dense(4)(a), layers.Dense(4)(b)])
    model = keras.Model([a, b], [layers.Dense(1, name="c")(joined), layers.Dense(1)(joined)])
    improves(model, [X, X], [Y, -Y], loss=["mse", "mae"])
    data = tf.data.Dataset.from_tensor_slices(((X, X), (Y, -Y))).batch(16)
    model.fit(data, validation_data=data, verbose=0)
    print("ok: functional")


def subclass():
    class Small(keras.Model):
        def __init__(self):
            super().__init__()
            self.parts = [layers.Dense(16, "tanh"), layers.BatchNormalization(), layers.Dense(1)]

        def call(self, x, training=False):
            for part in self.parts[:-1]:
                x = part(x, training=training) if "norm" in part.name else part(x)
            return self.parts[-1](x)

    improves(Small(), X, Y)
    print("ok: subclass")


def own_train_step():
    class Custom(keras.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(x, y, self(x, training=True))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            return {"own": loss}

    inputs = keras.Input([8])
    model = Custom(inputs, layers.Dense(1)(inputs))
    model.compile(keras.optimizers.Adam(0.05), "mse")
    losses = model.fit(X, Y, epochs=10, verbose=0).history["own"]
    assert losses[-1] < losses[0], losses
    print("ok: own train_step")


def recurrent():
    for layer in (layers.LSTM(8), layers.GRU(8), layers.Bidirectional(layers.LSTM(4))):
        inputs = keras.Input([6])
        sequence = layers.Embedding(20, 8, mask_zero=True)(inputs)
        model = keras.Model(inputs, layers.Dense(1)(layer(sequence)))
        improves(model, WORDS, np.ones([32, 1]))
    print("ok: recurrent")


def masks():
    embedded = layers.Embedding(20, 4, mask_zero=True)
    rnn = layers.LSTM(4)
    padded = rnn(embedded(np.array([[3, 5, 0, 0]])))
    np.testing.assert_allclose(padded, rnn(embedded(np.array([[3, 5]]))), rtol=1e-5, atol=1e-6)
    print("ok: masks")


def convolutional():
    images = RANDOM.normal(size=[16, 12, 12, 3]).astype("float32")
    model = keras.Sequential(
        [
            keras.Input([12, 12, 3]),
            layers.Conv2D(8, 3, activation="relu", padding="same"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.DepthwiseConv2D(3),
            layers.Conv2DTranspose(4, 3),
            layers.GlobalAveragePooling2D(),
            layers.Dense(3, activation="softmax"),
        ]
    )
    improves(model, images, np.arange(16) % 3, "sparse_categorical_crossentropy", 6)
    print("ok: convolutional")


def attention():
    inputs = keras.Input([6])
    x = layers.Embedding(20, 8)(inputs)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True))
    model = keras.Model(inputs, layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))
    improves(model, WORDS, np.ones([32, 1]))
    print("ok: attention")


def preprocessing():
    lookup = layers.StringLookup(vocabulary=["a", "b"])
    assert np.array(lookup(tf.constant(["b", "z"]))).tolist() == [2, 0]
    text = layers.TextVectorization(output_sequence_length=3)
    text.adapt(["one two", "two three"])
    assert text(tf.constant(["two four"])).shape == (1, 3)
    normal = layers.Normalization()
    normal.adapt(X)
    np.testing.assert_allclose(np.mean(normal(X), axis=0), np.zeros(8), atol=1e-5)
    data = tf.data.Dataset.from_tensor_slices(["a", "b", "z"]).map(lookup)
    assert [int(i) for i in data] == [1, 2, 0]
    assert layers.RandomFlip(seed=1)(np.ones([1, 4, 4, 3], "float32")).shape == (1, 4, 4, 3)
    print("ok: preprocessing")


def operations():
    ops = keras.ops
    assert int(ops.sum(ops.arange(4))) == 6
    np.testing.assert_allclose(ops.einsum("ij,kj->ik", X, X), X @ X.T, rtol=1e-4, atol=1e-4)
    total = ops.scan(lambda c, x: (c + x, c), np.float32(0.0), np.ones([3], "float32"))[0]
    assert float(total) == 3.0
    assert int(ops.while_loop(lambda i: i < 5, lambda i: (i + 1,), (0,))[0]) == 5
    assert ops.image.resize(np.ones([1, 4, 4, 3], "float32"), (8, 8)).shape == (1, 8, 8, 3)
    np.testing.assert_allclose(
        ops.segment_sum(np.ones(4, "float32"), np.array([0, 0, 1, 1])), [2, 2]
    )
    print("ok: operations")


def half_precision():
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_float16")
    try:
        model = improves(dense(), X, Y)
        assert model.layers[1].compute_dtype == "float16"
        assert model.layers[1].kernel.dtype == "float32"
    finally:
        keras.config.set_dtype_policy(policy)
    print("ok: half precision")


def compiled():
    improves(dense(), X, Y, jit_compile=True)
    print("ok: compiled")


def eager():
    improves(dense(), X, Y, run_eagerly=True)
    print("ok: eager")


def application():
    model = keras.applications.MobileNetV2(
        input_shape=(32, 32, 3), alpha=0.35, weights=None, classes=4
    )
    out = model.predict(np.ones([2, 32, 32, 3], "float32"), verbose=0)
    np.testing.assert_allclose(out.sum(axis=-1), [1.0, 1.0], rtol=1e-5)
    model.compile("sgd", "sparse_categorical_crossentropy")
    assert np.isfinite(model.train_on_batch(np.ones([2, 32, 32, 3], "float32"), np.array([0, 1])))
    print("ok: application")


def files():
    model = improves(dense(), X, Y, keras.losses.MeanSquaredError())
    expected = model.predict(X, verbose=0)
    for name in ("model.keras", "model.h5"):
        model.save(FOLDER / name)
        again = keras.models.load_model(FOLDER / name)
        np.testing.assert_allclose(again.predict(X, verbose=0), expected, rtol=1e-5, atol=1e-6)
    keras.models.load_model(FOLDER / "model.keras").fit(X, Y, verbose=0)
    model.save_weights(FOLDER / "model.weights.h5")
    other = dense()
    other.load_weights(FOLDER / "model.weights.h5")
    np.testing.assert_allclose(other.predict(X, verbose=0), expected, rtol=1e-5, atol=1e-6)
    print("ok: files")


def export():
    model = improves(dense(), X, Y)
    model.export(FOLDER / "exported", verbose=False)
    loaded = tf.saved_model.load(str(FOLDER / "exported"))
    served = loaded.serve(tf.constant(X))
    np.testing.assert_allclose(served, model.predict(X, verbose=0), rtol=1e-5, atol=1e-6)
    print("ok: export")


def sparse():
    inputs = keras.Input([8], sparse=True)
    model = keras.Model(inputs, layers.Dense(1)(inputs))
    rare = tf.sparse.from_dense(np.where(X > 1.0, X, 0.0))
    assert model(rare).shape == (64, 1)
    data = tf.data.Dataset.from_tensor_slices((rare, Y)).batch(16)
    model.compile("adam", "mse")
    assert np.isfinite(model.fit(data, verbose=0).history["loss"]).all()
    print("ok: sparse")


for part in (
    *(sequential, functional, subclass, own_train_step, recurrent, masks, convolutional),
    *(attention, preprocessing, operations, half_precision, compiled, eager, application),
    *(files, export, sparse),
):
    keras.utils.set_random_seed(0)
    try:
        part()
    except Exception:
        traceback.print_exc()
