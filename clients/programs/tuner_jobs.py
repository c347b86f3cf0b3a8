"""What people do with KerasTuner: search for the best size of a layer."""

import os
import tempfile

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras
import keras_tuner
import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(64, 4)).astype("float32")
y = x.sum(1, keepdims=True)


def build(hp):
    model = keras.Sequential(
        [
            keras.layers.Dense(hp.Int("units", 4, 16, step=4), activation="relu"),
            keras.layers.Dense(1),
        ]
    )
    rate = hp.Float("rate", 1e-3, 1e-1, sampling="log")
    model.compile(keras.optimizers.Adam(rate), "mse")
    return model


def check(tuner):
    tuner.search(x, y, validation_split=0.25, epochs=2, verbose=0)
    best = tuner.get_best_models(1)[0]
    assert best.predict(x, verbose=0).shape == (64, 1)
    assert tuner.get_best_hyperparameters(1)[0].get("units") in (4, 8, 12, 16)


about = {"objective": "val_loss", "seed": 0}
check(keras_tuner.RandomSearch(build, max_trials=3, directory=tempfile.mkdtemp(), **about))
print("ok: random search")

check(keras_tuner.Hyperband(build, max_epochs=3, directory=tempfile.mkdtemp(), **about))
print("ok: hyperband")
