"""Forecast a noisy signal one step ahead with a GRU, and compare with a naive forecast.

    python examples/time_series.py [--epochs 10]

Windows come from `timeseries_dataset_from_array`; the last fifth of the time is held out.
"""

from __future__ import annotations

import argparse

import numpy as np

import tapeflow as tf

keras = tf.keras
WINDOW = 24


def make_series(length: int, seed: int) -> np.ndarray:
    """Return two overlaid waves with noise."""
    t = np.arange(length)
    noise = np.random.default_rng(seed).normal(0, 0.1, length)
    return (np.sin(t / 5) + 0.5 * np.sin(t / 17) + noise).astype("float32")


def windows(series: np.ndarray, shuffle: bool) -> tf.data.Dataset:
    """Return batches of windows, each with the value that follows it."""
    return keras.utils.timeseries_dataset_from_array(
        series[:-1, None], series[WINDOW:], WINDOW, batch_size=64, shuffle=shuffle, seed=0
    )


def train(epochs: int, seed: int = 0) -> dict[str, float]:
    """Return the mean squared error of the model and of "as it is now" on later times."""
    keras.utils.set_random_seed(seed)
    series = make_series(2000, seed)
    past, future = series[:1600], series[1600:]
    model = keras.Sequential(
        [keras.Input((WINDOW, 1)), keras.layers.GRU(16), keras.layers.Dense(1)]
    )
    model.compile(keras.optimizers.Adam(0.01), "mse")
    model.fit(windows(past, shuffle=True), epochs=epochs, shuffle=False, verbose=0)
    return {
        "model": model.evaluate(windows(future, shuffle=False), verbose=0),
        "naive": float(np.mean((future[WINDOW:] - future[WINDOW - 1 : -1]) ** 2)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Forecast a noisy signal with a GRU.")
    parser.add_argument("--epochs", type=int, default=10)
    for name, error in train(parser.parse_args().epochs).items():
        print(f"{name}: mean squared error {error:.4f}")


if __name__ == "__main__":
    main()
