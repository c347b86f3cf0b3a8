"""Cases about `tf.data`: what the next element or batch costs, eagerly and in functions."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Step, case, normal

ROWS = 20_000


def images(tf: Any) -> Any:
    """Images and labels, in memory."""
    labels = np.arange(ROWS) % 10
    return tf.data.Dataset.from_tensor_slices((normal(ROWS, 784), labels))


def following(dataset: Any) -> Step:
    """The next element, again and again."""
    iterator = iter(dataset.repeat())
    return lambda: next(iterator)


@case("batch of 32 images in memory", target=10)
def memory_batch(tf: Any) -> Step:
    return following(images(tf).batch(32))


@case("batch of 64 shuffled images", target=3)
def shuffled_batch(tf: Any) -> Step:
    return following(images(tf).shuffle(ROWS, seed=1).batch(64))


@case("one image of a dataset", target=10)
def single_element(tf: Any) -> Step:
    return following(images(tf))


@case("batch of 32 images, each mapped", target=1.5)
def mapped_batch(tf: Any) -> Step:
    dataset = images(tf).map(lambda x, y: (x * 2.0 - 1.0, y))
    return following(dataset.batch(32))


@case("batch of 32 images, mapped at once", target=2)
def batch_mapped(tf: Any) -> Step:
    dataset = images(tf).batch(32).map(lambda x, y: (x * 2.0 - 1.0, y))
    return following(dataset)


@case("number of a generator", target=2)
def generated(tf: Any) -> Step:
    spec = tf.TensorSpec([], tf.int32)
    dataset = tf.data.Dataset.from_generator(lambda: iter(int, 1), output_signature=spec)
    return following(dataset)


@case("loop over 100 batches in a function", target=2, warm=1.0)
def loop_in_function(tf: Any) -> Step:
    dataset = images(tf).batch(32).take(100)

    @tf.function
    def total(batches: Any) -> Any:
        found = tf.constant(0.0)
        for x, _ in batches:
            found += x[0, 0]
        return found

    return lambda: total(dataset)


@case("next batch in a function", target=3, warm=1.0)
def next_in_function(tf: Any) -> Step:
    iterator = iter(images(tf).batch(32).repeat())

    @tf.function
    def first(batches: Any) -> Any:
        return next(batches)[0][0, 0]

    return lambda: first(iterator)


# -- files --------------------------------------------------------------------------------------

LINES = 10_000


@functools.cache
def folder() -> Path:
    """A folder for files, removed at the end."""
    path = Path(tempfile.mkdtemp(prefix="tapeflow-bench-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def epoch(dataset: Any) -> Step:
    """All elements, from the first to the last: their number."""
    return lambda: sum(1 for _ in dataset)


@case("10,000 examples of records, parsed one by one and batched", target=1)
def parsed_examples(tf: Any) -> Step:
    path = str(folder() / "x.tfrecord")
    floats = normal(LINES, 16)
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(LINES):
            feature = {
                "x": tf.train.Feature(float_list=tf.train.FloatList(value=floats[i])),
                "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[i % 10])),
                "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"name %d" % i])),
            }
            features = tf.train.Features(feature=feature)
            writer.write(tf.train.Example(features=features).SerializeToString())
    features = {
        "x": tf.io.FixedLenFeature([16], tf.float32),
        "y": tf.io.FixedLenFeature([], tf.int64),
        "name": tf.io.FixedLenFeature([], tf.string),
    }
    dataset = tf.data.TFRecordDataset(path).map(
        lambda record: tf.io.parse_single_example(record, features), num_parallel_calls=2
    )
    return epoch(dataset.batch(128))


@case("10,000 lines of CSV, batched", target=1)
def csv_lines(tf: Any) -> Step:
    path = folder() / "x.csv"
    path.write_text("".join(f"{i},{i / 7:.6f},text {i},{-i / 3:.6f}\n" for i in range(LINES)))
    columns = [tf.int32, tf.float32, tf.string, tf.float32]
    return epoch(tf.data.experimental.CsvDataset(str(path), columns).batch(128))


@case("10,000 lines of text, batched", target=1)
def text_lines(tf: Any) -> Step:
    path = folder() / "x.txt"
    path.write_text("".join(f"line {i} of a text with several words\n" for i in range(LINES)))
    return epoch(tf.data.TextLineDataset(str(path)).batch(128))


@case("folder of 64 JPEG files, decoded and batched", target=1)
def jpeg_folder(tf: Any) -> Step:
    pixels = np.random.default_rng(0).integers(0, 256, (64, 128, 128, 3), np.uint8)
    for i, picture in enumerate(pixels):
        (folder() / f"{i:02}.jpg").write_bytes(tf.io.encode_jpeg(picture).numpy())
    dataset = tf.data.Dataset.list_files(str(folder() / "*.jpg"), shuffle=False).map(
        lambda name: tf.io.decode_jpeg(tf.io.read_file(name)), num_parallel_calls=2
    )
    return epoch(dataset.batch(16))
