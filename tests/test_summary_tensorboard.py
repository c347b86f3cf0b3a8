"""Event files as the real TensorBoard reads them; skipped where it is not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Write summaries of every kind, eagerly and in a function, and return what TensorBoard has."""
    images = np.linspace(0, 1, 2 * 4 * 4 * 3, dtype="float32").reshape(2, 4, 4, 3)
    sounds = np.sin(np.linspace(0, 40, 800, dtype="float32")).reshape(1, 800, 1)
    double = tf.function(lambda x: x * 2)

    @tf.function
    def traced(step: Any) -> None:
        with tf.name_scope("function"):
            tf.summary.scalar("loss", tf.cast(step, tf.float32) / 2, step=step)

    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        for step in range(3):
            tf.summary.scalar("loss", 1 / (step + 1), step=step, description="of training")
            tf.summary.histogram("weights", np.arange(10.0) * step, step=step, buckets=5)
            traced(tf.constant(step, tf.int64))
        tf.summary.image("picture", images, step=0)
        tf.summary.text("words", "some *words*", step=0)
        tf.summary.audio("sound", sounds, 8000, step=0)
        tf.summary.graph(double.get_concrete_function(tf.TensorSpec([])).graph)
        tf.summary.trace_on()
        double(tf.constant(1.0))
        tf.summary.trace_export("run", step=0)
    accumulator = accumulators.EventAccumulator(str(tmp_path), size_guidance={"tensors": 0})
    accumulator.Reload()
    return accumulator


def test_tensorboard_has_all_tags_for_their_plugins(read: Any) -> None:
    assert sorted(read.Tags()["tensors"]) == [
        *("function/loss", "loss", "picture", "run", "sound", "weights", "words")
    ]
    plugins = {
        tag: read.SummaryMetadata(tag).plugin_data.plugin_name for tag in read.Tags()["tensors"]
    }
    assert plugins == {
        **{"loss": "scalars", "function/loss": "scalars", "weights": "histograms"},
        **{"picture": "images", "words": "text", "sound": "audio"},
        "run": "graph_run_metadata_graph",
    }
    assert read.SummaryMetadata("loss").summary_description == "of training"


def test_tensorboard_has_the_values(read: Any) -> None:
    losses = [(e.step, e.tensor_proto.float_val[0]) for e in read.Tensors("loss")]
    assert losses == [(0, 1.0), (1, 0.5), (2, pytest.approx(1 / 3))]
    assert [e.tensor_proto.float_val[0] for e in read.Tensors("function/loss")] == [0.0, 0.5, 1.0]
    last = read.Tensors("weights")[-1].tensor_proto
    assert [dim.size for dim in last.tensor_shape.dim] == [5, 3]
    assert read.Tensors("words")[0].tensor_proto.string_val == [b"some *words*"]
    width, height, first, second = read.Tensors("picture")[0].tensor_proto.string_val
    assert (width, height) == (b"4", b"4") and first[:4] == second[:4] == b"\x89PNG"
    assert read.Tensors("sound")[0].tensor_proto.string_val[0][:4] == b"RIFF"


def test_tensorboard_has_the_graph(read: Any) -> None:
    assert "Mul" in [node.op for node in read.Graph().node]
    content = read.Tensors("run")[0].tensor_proto.string_val[0]
    run = tf.compat.v1.RunMetadata.FromString(content)
    assert len(run.function_graphs) == 1
