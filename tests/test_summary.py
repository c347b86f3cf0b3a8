"""`tf.summary`: what is written, and when."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.__internal__.events import event_from
from tapeflow.summary.writer import _in_force as in_force


def events(folder: Path) -> list[object]:
    (path,) = folder.glob("events.out.tfevents.*.v2")
    return [event_from(each.numpy()) for each in tf.data.TFRecordDataset(str(path))]


def test_summaries_are_written_with_the_writer_in_force(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    assert not tf.summary.scalar("loss", 1.0, step=0)
    with writer.as_default():
        assert tf.summary.scalar("loss", tf.constant(0.5), step=tf.constant(3, tf.int64))
        assert tf.summary.histogram("weights", [1.0, 2.0, 2.5], step=3)
        assert tf.summary.image("picture", np.zeros([1, 2, 2, 3]), step=4)
    writer.close()
    first, *rest = events(tmp_path)
    assert first.file_version == "brain.Event:2"  # type: ignore[attr-defined]
    values = [(e.step, e.summary.value[0]) for e in rest]  # type: ignore[attr-defined]
    assert [(step, value.tag) for step, value in values] == [
        (3, "loss"),
        (3, "weights"),
        (4, "picture"),
    ]
    assert tf.make_ndarray(values[0][1].tensor) == np.float32(0.5)


def test_steps_of_blocks_buckets_and_descriptions_are_written(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path), filename_suffix=".mine.v2")
    with writer.as_default(step=7):
        tf.summary.scalar("loss", 1.0, description="of the batch")
        with writer.as_default(step=tf.Variable(8, dtype=tf.int64)):
            tf.summary.histogram("weights", [1.0, 2.0], buckets=5)
        tf.summary.scalar("loss", 2.0, step=9)
    writer.close()
    assert list(tmp_path.glob("*.mine.v2"))
    _, *rest = events(tmp_path)
    assert [each.step for each in rest] == [7, 8, 9]  # type: ignore[attr-defined]
    values = [each.summary.value[0] for each in rest]  # type: ignore[attr-defined]
    assert values[0].metadata.summary_description == "of the batch"
    assert tf.make_ndarray(values[1].tensor).shape == (5, 3)


def test_a_full_queue_is_written(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=2)
    writer.set_as_default(step=0)
    try:
        for _ in range(2):
            tf.summary.scalar("loss", 1.0)
        assert len(events(tmp_path)) == 3
    finally:
        writer.close()
        in_force.writers.clear()


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        with pytest.raises(ValueError, match="expected a step"):
            tf.summary.scalar("loss", 1.0)
        with pytest.raises(NotImplementedError, match="write it outside"):
            tf.function(lambda: tf.summary.scalar("loss", 1.0, step=1))()
    writer.close()
    with pytest.raises(RuntimeError, match="closed"), writer.as_default():
        pass
