"""Keras 2 (tf_keras): training, weights in HDF5."""

import tempfile

import numpy as np
import tf_keras as keras

model = keras.Sequential([keras.layers.Dense(8, "relu", input_shape=[4]), keras.layers.Dense(1)])
model.compile("adam", "mse")
losses = model.fit(np.ones([16, 4]), np.ones([16, 1]), epochs=3, verbose=0).history["loss"]
assert losses[-1] < losses[0]
print("ok: fit")

path = f"{tempfile.mkdtemp()}/model.h5"
model.save(path)
again = keras.models.load_model(path)
np.testing.assert_allclose(again.predict(np.ones([2, 4]), verbose=0)[0], model(np.ones([1, 4]))[0])
print("ok: save and load")
