"""`tf.summary`: what is written, and when."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.internal.events import event_from
from tapeflow._src.summary.writer import in_force


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
        in_force.writer = in_force.step = None


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        with pytest.raises(ValueError, match="expected a step"):
            tf.summary.scalar("loss", 1.0)
        with pytest.raises(ValueError, match="expected a number"):
            tf.summary.scalar("loss", [1.0, 2.0], step=1)
        with pytest.raises(ValueError, match="'wav' or None"):
            tf.summary.audio("sound", np.zeros([1, 4, 1]), 8000, step=1, encoding="mp3")
        for step in (3.0, "a"):
            with pytest.raises(TypeError):
                tf.summary.scalar("loss", 1.0, step=step)
        with pytest.raises(ValueError, match="integer"):
            tf.summary.scalar("loss", 1.0, step=tf.constant(3.5))
        with pytest.raises(ValueError, match="rank 4"):
            tf.summary.image("picture", np.zeros([2, 2, 1]), step=1)
        for count, channels in ((-1, 1), (3, 5)):
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.summary.image(
                    "picture", np.zeros([1, 2, 2, channels]), step=1, max_outputs=count
                )
        with pytest.raises(tf.errors.InvalidArgumentError, match="float32"):
            tf.summary.audio("sound", np.zeros([1, 4, 1], "float64"), 8000, step=1)
        with pytest.raises(TypeError, match="sample_rate"):
            tf.summary.audio("sound", np.zeros([1, 4, 1], "float32"), 8000.0, step=1)
        with pytest.raises(ValueError, match=r"tf.Graph"):
            tf.summary.graph(3)
        with pytest.raises(ValueError, match="eager"):
            tf.function(lambda: tf.summary.graph(tf.Graph()))()
        with pytest.raises(tf.errors.DataLossError):
            tf.summary.experimental.write_raw_pb(b"\xff\xff", step=1)
        with pytest.raises(TypeError), tf.summary.record_if(1):
            tf.summary.scalar("loss", 1.0, step=1)
    writer.close()
    for call in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="closed"):
            call()
    assert tags(tmp_path) == []


# What TensorBoard's own histograms are, by values and the number of buckets.
HISTOGRAMS = [
    ([1.0, 2.0, 3.0, 4.0, 10.0], 3, [[1, 4, 3], [4, 7, 1], [7, 10, 1]]),
    ([2.0, 2.0, 2.0], 3, [[2, 2, 0], [2, 2, 0], [2, 2, 3]]),
    ([], 2, [[0, 0, 0], [0, 0, 0]]),
    ([1.0, 2.0], 0, np.zeros([0, 3])),
    ([1.0, np.nan, 2.0], 2, [[np.nan, np.nan, 0], [np.nan, np.nan, 0]]),
    ([1.0, np.inf, 2.0], 2, [[1, np.inf, 2], [np.inf, np.inf, 0]]),
    ([True, False], 2, [[0, 0.5, 1], [0.5, 1, 1]]),
]


def _tensor_written(folder: Path, write: Any) -> Any:
    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default(step=0):
        write()
    writer.close()
    (value,) = events(folder)[-1].summary.value  # type: ignore[attr-defined]
    return tf.make_ndarray(value.tensor)


@pytest.mark.parametrize(("values", "buckets", "rows"), HISTOGRAMS)
def test_histograms_are_those_of_tensorboard(
    tmp_path: Path, values: Any, buckets: int, rows: Any
) -> None:
    histogram = _tensor_written(
        tmp_path, lambda: tf.summary.histogram("h", values, buckets=tf.constant(buckets))
    )
    np.testing.assert_array_equal(histogram, rows)


@pytest.mark.parametrize(
    ("pixels", "shown"),
    [
        (
            np.array([-1.0, 0.0, 0.5, 1.0, 2.0, np.nan, np.inf], "float32"),
            [0, 0, 127, 255, 255, 0, 255],
        ),
        (np.array([0, 1000, 35000, 65535], "uint16"), [0, 3, 136, 255]),
        (np.array([0, 10, 35, 127], "int8"), [0, 20, 70, 254]),
        (np.array([0, 10, 35, 255], "uint8"), [0, 10, 35, 255]),
    ],
)
def test_images_of_all_dtypes_are_shown_as_bytes(tmp_path: Path, pixels: Any, shown: Any) -> None:
    batch = pixels.reshape(1, -1, 1, 1)
    width, height, image = _tensor_written(tmp_path, lambda: tf.summary.image("i", batch))
    assert (width, height) == (b"1", str(len(pixels)).encode())
    assert tf.io.decode_png(image).numpy().reshape(-1).tolist() == shown


def test_summaries_return_whether_they_are_written_as_tensors(tmp_path: Path) -> None:
    assert tf.summary.scalar("loss", 1.0, step=0).numpy() == np.False_
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert tf.summary.scalar("loss", 1.0, step=0).numpy() == np.True_


def test_old_events_are_flushed_with_new_ones(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=100, flush_millis=0)
    writer.set_as_default()
    try:
        tf.summary.scalar("loss", 1.0, step=0)
        assert tags(tmp_path) == [(0, "loss")]
    finally:
        writer.close()
        in_force.writer = None


KILLED = """
import os, signal, sys
import tapeflow as tf
tf.summary.create_file_writer(sys.argv[1], max_queue=10).set_as_default()
for step in range(25):
    tf.summary.scalar("loss", float(step), step=step)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("end", "count"), [("killed", 20), ("exited", 25)])
def test_a_killed_process_loses_only_what_was_not_flushed(
    tmp_path: Path, end: str, count: int
) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), end], timeout=300)
    assert tags(tmp_path) == [(step, "loss") for step in range(count)]


def test_threads_write_whole_events(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=3)

    def write(number: int) -> None:
        with writer.as_default():
            for step in range(50):
                tf.summary.scalar(f"of_{number}", 0.0, step=step)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert sorted(tags(tmp_path)) == sorted((i, f"of_{n}") for n in range(4) for i in range(50))


def test_a_trace_has_the_graphs_of_functions_that_ran(tmp_path: Path) -> None:
    double, other = tf.function(lambda x: x * 2), tf.function(lambda x: tf.sin(x))
    other(tf.constant(1.0))
    tf.summary.trace_off()  # without effect
    with pytest.raises(ValueError, match="trace_on"):
        tf.summary.trace_export("t", step=0)
    tf.summary.trace_on()
    double(tf.constant(2.0))
    content = _tensor_written(tmp_path, lambda: tf.summary.trace_export("t"))
    (value,) = events(tmp_path)[-1].summary.value  # type: ignore[attr-defined]
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    run = tf.compat.v1.RunMetadata.FromString(content.item())
    (functions,) = run.function_graphs
    assert "Mul" in [node.op for node in functions.pre_optimization_graph.node]
    with pytest.raises(ValueError, match="trace_on"):
        tf.summary.trace_export("t", step=0)


def test_a_trace_can_have_a_profile(tmp_path: Path) -> None:
    tf.summary.trace_on(profiler=True, profiler_outdir=str(tmp_path / "profile"))
    tf.function(lambda x: x * 2)(tf.constant(2.0))
    _tensor_written(tmp_path / "events", lambda: tf.summary.trace_export("t"))
    (value,) = events(tmp_path / "events")[-1].summary.value  # type: ignore[attr-defined]
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata"
    assert list((tmp_path / "profile" / "plugins" / "profile").iterdir())


def test_compiled_parts_and_summaries_happen_in_order_once_a_call(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    step = tf.Variable(0, dtype=tf.int64)
    double = tf.function(lambda x: x * 2, jit_compile=True)

    @tf.function
    def train(x: Any) -> Any:
        with writer.as_default(step=step):
            tf.summary.scalar("before", x)
            x = double(x)
            tf.summary.scalar("after", x)
            for _ in tf.range(2):
                tf.summary.scalar("in_loop", x)
        step.assign_add(1)
        return x

    for _ in range(3):
        train(tf.constant(1.0))
    writer.close()
    each = ["before", "after", "while/in_loop", "while/in_loop"]
    assert tags(tmp_path) == [(step, tag) for step in range(3) for tag in each]
    compiled = tf.function(lambda x: tf.summary.scalar("x", x, step=0), jit_compile=True)
    other = tf.summary.create_file_writer(str(tmp_path / "other"))
    with other.as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="WriteSummary"):
        compiled(tf.constant(1.0))
    other.close()


def tags(folder: Path) -> list[tuple[int, str]]:
    return [(e.step, value.tag) for e in events(folder) for value in e.summary.value]  # type: ignore[attr-defined]


def test_functions_write_whenever_they_run(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train(x: tf.Tensor) -> tf.Tensor:
        with writer.as_default(step=step):
            tf.summary.scalar("loss", tf.reduce_sum(x))
            with tf.summary.record_if(tf.equal(step % 2, 0)):
                recorded = tf.summary.histogram("even", x)
        step.assign_add(1)
        return recorded

    recorded = [bool(train(tf.constant([1.0, float(i)]))) for i in range(3)]
    writer.close()
    assert recorded == [True, False, True]
    assert tags(tmp_path) == [(0, "loss"), (0, "even"), (1, "loss"), (2, "loss"), (2, "even")]
    losses = [
        tf.make_ndarray(value.tensor).item()
        for event in events(tmp_path)
        for value in event.summary.value  # type: ignore[attr-defined]
        if value.tag == "loss"
    ]
    assert losses == [1.0, 2.0, 3.0]


def test_functions_write_what_is_written_eagerly(tmp_path: Path) -> None:
    def write(x: tf.Tensor) -> None:
        with tf.name_scope("outer"):
            tf.summary.histogram("weights", x, step=1, buckets=3)
        tf.summary.image("picture", tf.reshape(x, [1, 2, 2, 1]), step=1, description="a picture")
        tf.summary.audio("sound", tf.reshape(x, [1, 4, 1]), 8000, step=1)
        tf.summary.text("words", ["some", "words"], step=2)
        tf.summary.write("raw", tf.cast(x, tf.int32), step=3)

    contents = []
    for name, function in (("eager", write), ("graph", tf.function(write))):
        writer = tf.summary.create_file_writer(str(tmp_path / name))
        with writer.as_default():
            function(tf.constant([0.0, 0.5, 1.0, 1.0]))
        writer.close()
        values = [event.summary.SerializeToString() for event in events(tmp_path / name)]  # type: ignore[attr-defined]
        contents.append(values)
    assert contents[0] == contents[1]
    assert [tag for _, tag in tags(tmp_path / "graph")] == [
        *("outer/weights", "picture", "sound", "words", "raw")
    ]
    _, _, picture, sound, words, _ = events(tmp_path / "graph")
    blobs = tf.make_ndarray(picture.summary.value[0].tensor)  # type: ignore[attr-defined]
    assert blobs[:2].tolist() == [b"2", b"2"]
    np.testing.assert_array_equal(tf.io.decode_png(blobs[2])[..., 0], [[0, 127], [255, 255]])
    ((wav, label),) = tf.make_ndarray(sound.summary.value[0].tensor)  # type: ignore[attr-defined]
    assert label == b"" and tf.audio.decode_wav(wav).sample_rate.numpy() == 8000
    assert words.summary.value[0].metadata.plugin_data.plugin_name == "text"  # type: ignore[attr-defined]


def test_the_step_and_the_condition_are_in_force_in_their_blocks(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    assert not tf.summary.should_record_summaries()
    try:
        with writer.as_default(step=7):
            assert tf.summary.experimental.get_step() == 7
            assert tf.summary.should_record_summaries().dtype is tf.bool
            with tf.summary.record_if(lambda: False):
                assert not tf.summary.scalar("never", 1.0)
            with tf.summary.create_noop_writer().as_default():
                tf.summary.scalar("kept", 1.0)
            tf.summary.experimental.set_step(8)
            tf.summary.experimental.write_raw_pb(event_from(b"").summary.SerializeToString())
            tf.summary.graph(tf.function(lambda: 1).get_concrete_function().graph)
            tf.summary.flush()
        assert tf.summary.experimental.get_step() is None
        assert tags(tmp_path) == [(7, "kept")]
        assert [event.WhichOneof("what") for event in events(tmp_path)][2:] == [  # type: ignore[attr-defined]
            "summary",
            "graph_def",
        ]
    finally:
        writer.close()


def test_a_writer_creates_its_file_at_once(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path / "run"))
    (event,) = events(tmp_path / "run")
    writer.close()
    assert event.file_version == "brain.Event:2"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "scope"), [("a[0] b/c{", "a0b/c/"), ("[]", "summary/"), ("plain", "plain/")]
)
def test_tags_are_any_text_and_scopes_what_is_valid_of_it(name: str, scope: str) -> None:
    def scopes() -> tuple[str, str]:
        with tf.summary.experimental.summary_scope(name) as both:
            return both

    assert scopes() == (name, scope)
    with tf.Graph().as_default():
        assert scopes() == (name, scope)
