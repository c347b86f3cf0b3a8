"""Classify short reviews with an embedding and an LSTM, from text to prediction in one model.

    python examples/text_classification.py [--epochs 8]

The reviews are put together from lists of words; "not" turns the meaning of the next word around,
so that counting words is not enough and the order matters.
"""

from __future__ import annotations

import argparse

import numpy as np

import tapeflow as tf

keras = tf.keras
GOOD = ["great", "lovely", "brilliant", "fun", "moving"]
BAD = ["dull", "awful", "boring", "clumsy", "weak"]
SUBJECTS = ["the film", "the plot", "the cast", "the music", "every scene"]


def make_reviews(count: int, seed: int) -> tuple[list[str], np.ndarray]:
    """Return sentences and labels: 1 for praise, 0 for blame."""
    rng = np.random.default_rng(seed)
    texts, labels = [], rng.integers(0, 2, count)
    for praise in labels:
        negated = rng.random() < 0.5
        words = GOOD if bool(praise) != negated else BAD
        adverb = "not" if negated else rng.choice(["so", "really", "simply"])
        texts.append(f"{rng.choice(SUBJECTS)} was {adverb} {rng.choice(words)}")
    return texts, labels.astype("float32")


def make_model(texts: list[str]) -> keras.Model:
    """Return a model that takes strings: the vocabulary is part of it."""
    vectorize = keras.layers.TextVectorization(max_tokens=200, output_sequence_length=8)
    vectorize.adapt(texts)
    return keras.Sequential(
        [
            keras.Input((), dtype="string"),
            vectorize,
            keras.layers.Embedding(200, 16, mask_zero=True),
            keras.layers.LSTM(16),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


def train(epochs: int, seed: int = 0) -> tuple[keras.Model, float]:
    """Return a trained model and its accuracy on reviews that it has not seen."""
    keras.utils.set_random_seed(seed)
    texts, labels = make_reviews(800, seed)
    model = make_model(texts)
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    model.fit(tf.constant(texts), labels, batch_size=32, epochs=epochs, verbose=0)
    new_texts, new_labels = make_reviews(200, seed + 1)
    result = model.evaluate(tf.constant(new_texts), new_labels, verbose=0, return_dict=True)
    return model, result["accuracy"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Classify short reviews with an LSTM.")
    parser.add_argument("--epochs", type=int, default=8)
    model, accuracy = train(parser.parse_args().epochs)
    print(f"accuracy on new reviews: {accuracy:.1%}")
    for text in ("the plot was not dull", "the cast was not great"):
        print(f"{float(model(tf.constant([text]))[0, 0]):5.2f}  {text}")


if __name__ == "__main__":
    main()
