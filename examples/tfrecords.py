"""Write records to several TFRecord files, and read them with an input pipeline.

    python examples/tfrecords.py [--epochs 5]

Files are read interleaved, parsed in batches, shuffled, augmented and prefetched; TensorFlow reads
the same files.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import tapeflow as tf

keras = tf.keras
DATA = Path(__file__).parent / "data" / "digits.npz"
FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def write_records(folder: Path, shards: int = 4) -> int:
    """Write the digits as `tf.train.Example` messages; return how many."""
    with np.load(DATA) as data:
        images, labels = data["images"].astype("uint8"), data["labels"]
    for shard in range(shards):
        path = folder / f"digits-{shard:02}-of-{shards:02}.tfrecord"
        with tf.io.TFRecordWriter(str(path)) as writer:
            for image, label in zip(images[shard::shards], labels[shard::shards]):
                content = {
                    "image": tf.train.Feature(
                        bytes_list=tf.train.BytesList(value=[image.tobytes()])
                    ),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)])),
                }
                example = tf.train.Example(features=tf.train.Features(feature=content))
                writer.write(example.SerializeToString())
    return len(labels)


def parse(records: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Return images and labels of a batch of serialised examples."""
    parsed = tf.io.parse_example(records, FEATURES)
    pixels = tf.io.decode_raw(parsed["image"], tf.uint8)
    return tf.reshape(tf.cast(pixels, tf.float32) / 16, [-1, 8, 8, 1]), parsed["label"]


def shift(images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Move the images of a batch by up to one pixel."""
    padded = tf.pad(images, [[0, 0], [1, 1], [1, 1], [0, 0]])
    return tf.image.random_crop(padded, tf.shape(images)), labels


def pipeline(folder: Path, training: bool) -> tf.data.Dataset:
    files = tf.data.Dataset.list_files(str(folder / "*.tfrecord"), shuffle=training, seed=0)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=4)
    if training:
        records = records.shuffle(2000, seed=0)
    batches = records.batch(64).map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    return (batches.map(shift) if training else batches).prefetch(tf.data.AUTOTUNE)


def train(epochs: int, folder: Path, seed: int = 0) -> tuple[int, float]:
    """Return the number of records and the accuracy on them."""
    keras.utils.set_random_seed(seed)
    count = write_records(folder)
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(10),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(3e-3), loss, metrics=["accuracy"])
    model.fit(pipeline(folder, training=True), epochs=epochs, shuffle=False, verbose=0)
    return count, model.evaluate(pipeline(folder, training=False), verbose=0)[1]


def main() -> None:
    parser = argparse.ArgumentParser(description="Train from TFRecord files.")
    parser.add_argument("--epochs", type=int, default=5)
    with tempfile.TemporaryDirectory() as folder:
        count, accuracy = train(parser.parse_args().epochs, Path(folder))
    print(f"{count} records, accuracy {accuracy:.1%}")


if __name__ == "__main__":
    main()
