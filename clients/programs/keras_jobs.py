"""Keras 3 on its TensorFlow backend: training, saving, ops."""

import os
import tempfile

os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import numpy as np

model = keras.Sequential([keras.Input([4]), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
history = model.fit(np.ones([16, 4]), np.ones([16, 1]), epochs=3, verbose=0)
assert history.history["loss"][-1] < history.history["loss"][0]
print("ok: fit")

path = f"{tempfile.mkdtemp()}/model.keras"
model.save(path)
again = keras.models.load_model(path)
np.testing.assert_allclose(again.predict(np.ones([2, 4]), verbose=0)[0], model(np.ones([1, 4]))[0])
print("ok: save and load")

assert keras.ops.convert_to_numpy(keras.ops.sum(keras.ops.arange(4))) == 6
print("ok: ops")
