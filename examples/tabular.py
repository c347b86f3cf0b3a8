"""Tabular data: numbers, categories and a crossed feature, prepared inside the model.

    python examples/tabular.py [--epochs 10]

The price of a trip depends on distance, hour and district, and on the pair of hour and district:
a crossed feature finds that. The saved model takes raw columns, so serving needs no other code.
"""

from __future__ import annotations

import argparse

import numpy as np

import tapeflow as tf

keras = tf.keras
DISTRICTS = ["centre", "north", "south", "harbour"]
Columns = dict[str, np.ndarray]


def make_trips(count: int, seed: int) -> tuple[Columns, np.ndarray]:
    rng = np.random.default_rng(seed)
    hour = rng.integers(0, 24, count)
    district = rng.choice(DISTRICTS, count)
    distance = rng.gamma(2.0, 3.0, count)
    rush = ((hour // 6) == 1) & (district == "centre")
    price = 2 + 1.2 * distance + 6 * rush + rng.normal(0, 0.5, count)
    columns = {
        "distance": distance.astype("float32"),
        "quarter": np.char.add("q", (hour // 6).astype(str)),
        "district": district,
    }
    return columns, price.astype("float32")


def make_model(columns: Columns, crossed: bool) -> keras.Model:
    """Return a model whose inputs are the columns as they are."""
    normalize = keras.layers.Normalization(axis=None)
    normalize.adapt(columns["distance"])
    distance = keras.Input((1,), name="distance")
    parts = [normalize(distance)]
    texts = {}
    for name in ("quarter", "district"):
        lookup = keras.layers.StringLookup(output_mode="one_hot")
        lookup.adapt(columns[name])
        texts[name] = keras.Input((1,), name=name, dtype="string")
        parts.append(lookup(texts[name]))
    if crossed:
        cross = keras.layers.HashedCrossing(num_bins=64, output_mode="one_hot")
        parts.append(cross((texts["quarter"], texts["district"])))
    price = keras.layers.Dense(1)(keras.layers.Concatenate()(parts))
    return keras.Model({"distance": distance, **texts}, price)


def train(epochs: int, seed: int = 0) -> dict[str, float]:
    """Return the mean absolute error on new trips, without and with the crossed feature."""
    columns, price = make_trips(2000, seed)
    new_columns, new_price = make_trips(500, seed + 1)
    results = {}
    for crossed in (False, True):
        keras.utils.set_random_seed(seed)
        model = make_model(columns, crossed)
        model.compile(keras.optimizers.Adam(0.1), "mae")
        model.fit(columns, price, batch_size=64, epochs=epochs, verbose=0)
        name = "crossed" if crossed else "plain"
        results[name] = model.evaluate(new_columns, new_price, verbose=0)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description="Predict prices from columns of a table.")
    parser.add_argument("--epochs", type=int, default=10)
    for name, error in train(parser.parse_args().epochs).items():
        print(f"{name:8} mean absolute error {error:.2f}")


if __name__ == "__main__":
    main()
