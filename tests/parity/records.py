"""Files of records with examples in them, written and read by whichever module is given.

Used on Tapeflow by the tests and on TensorFlow by `run_records.py`; imports neither.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

COMPRESSIONS = {"plain": "", "zlib": "ZLIB", "gzip": "GZIP"}


def examples(tf: Any) -> list[bytes]:
    """Serialized examples and sequences, the same bytes in every process."""
    found = []
    for i in range(4):
        features = tf.train.Features(
            feature={
                "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[i, -i])),
                "parts": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * i)),
                "text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"\0\xff" * i])),
            }
        )
        found.append(tf.train.Example(features=features).SerializeToString(deterministic=True))
    return [*found, b"", bytes(range(256)) * 40]


def write(tf: Any, folder: Path) -> None:
    """One file for each compression."""
    for name, compression in COMPRESSIONS.items():
        with tf.io.TFRecordWriter(str(folder / f"{name}.tfrecord"), compression) as writer:
            for record in examples(tf):
                writer.write(record)


def parse(tf: Any, record: bytes) -> dict[str, Any]:
    """An example as plain values."""
    features = {
        "number": tf.io.FixedLenFeature([2], tf.int64),
        "parts": tf.io.RaggedFeature(tf.float32),
        "text": tf.io.FixedLenFeature([], tf.string),
    }
    parsed = tf.io.parse_single_example(record, features)
    return {
        "number": parsed["number"].numpy().tolist(),
        "parts": parsed["parts"].numpy().tolist(),
        "text": parsed["text"].numpy().decode("latin-1"),
    }
