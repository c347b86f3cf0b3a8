"""What people do with tensorflow_hub: load a module, and use it as a layer."""

import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_hub as hub
import tf_keras

folder = tempfile.mkdtemp()


class Half(tf.Module):
    def __init__(self):
        super().__init__()
        self.factor = tf.Variable(0.5)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def __call__(self, x):
        return x * self.factor


tf.saved_model.save(Half(), folder)
x = np.arange(6, dtype=np.float32).reshape(2, 3)

loaded = hub.load(folder)
np.testing.assert_allclose(loaded(tf.constant(x)), x / 2)
print("ok: load")

layer = hub.KerasLayer(folder, input_shape=[3], trainable=True)
np.testing.assert_allclose(layer(tf.constant(x)), x / 2)
print("ok: KerasLayer")

model = tf_keras.Sequential([layer, tf_keras.layers.Dense(1)])
model.compile("sgd", "mse")
history = model.fit(x, x.sum(1, keepdims=True), epochs=5, verbose=0).history["loss"]
assert history[-1] < history[0]
print("ok: fit")
