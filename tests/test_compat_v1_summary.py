"""`tf.compat.v1.summary`: messages that graphs compute, and the files of `FileWriter`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

v1 = tf.compat.v1


def ran(build: Any) -> Any:
    """The summary that an op of a graph computes."""
    with tf.Graph().as_default():
        summary = build()
        with v1.Session() as session:
            return v1.Summary.FromString(session.run(summary))


def test_tags_have_the_scopes_and_the_family() -> None:
    with tf.Graph().as_default():
        with tf.name_scope("outer"):
            spaced = v1.summary.scalar("a loss", 2.5)
        family = v1.summary.scalar("loss", 1, family="test")
        assert spaced.name == "outer/a_loss:0" and family.name == "test/loss:0"
        assert v1.get_collection(v1.GraphKeys.SUMMARIES) == [spaced, family]
        with v1.Session() as session:
            merged = v1.Summary.FromString(session.run(v1.summary.merge_all()))
    assert [(value.tag, value.simple_value) for value in merged.value] == [
        ("outer/a_loss", 2.5),
        ("test/test/loss", 1.0),
    ]


def test_histograms_have_the_buckets_of_tensorflow() -> None:
    summary = ran(lambda: v1.summary.histogram("h", [1.0, 2.0, -3.0, 0.0, 1e-20]))
    histogram = summary.value[0].histo
    assert (histogram.min, histogram.max, histogram.num, histogram.sum_squares) == (-3, 2, 5, 14)
    assert list(histogram.bucket) == [0, 1, 0, 2, 0, 1, 0, 1, 0]
    limits = [
        *(-3.1665833053880363, -2.8787120958073054, 0, 1e-12, 0.917246389039776),
        *(1.0089710279437536, 1.9661990955585713, 2.1628190051144287, 1.7976931348623157e308),
    ]
    np.testing.assert_allclose(list(histogram.bucket_limit), limits, rtol=1e-14)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not all finite"):
        ran(lambda: v1.summary.histogram("h", [1.0, float("nan")]))


def test_images_are_scaled_to_their_largest_value() -> None:
    pixels = np.arange(24).reshape(2, 2, 2, 3).astype("float32") / 3 - 3
    summary = ran(lambda: v1.summary.image("i", pixels, max_outputs=2))
    assert [value.tag for value in summary.value] == ["i/image/0", "i/image/1"]
    image = summary.value[0].image
    assert (image.height, image.width, image.colorspace) == (2, 2, 3)
    expected = [[[1, 15, 29], [43, 57, 71]], [[85, 99, 113], [128, 142, 156]]]
    np.testing.assert_array_equal(tf.io.decode_png(image.encoded_image_string), expected)
    pixels[0, 0, 0, 1] = np.nan
    red = ran(lambda: v1.summary.image("i", pixels, max_outputs=1)).value[0]
    assert red.tag == "i/image"
    decoded = tf.io.decode_png(red.image.encoded_image_string)
    np.testing.assert_array_equal(decoded[0, 0], [255, 0, 0])


def test_sounds_texts_and_tensors_are_summaries() -> None:
    sound = ran(lambda: v1.summary.audio("s", np.zeros((2, 8), "float32"), 8000.0, max_outputs=1))
    audio = sound.value[0].audio
    assert (sound.value[0].tag, audio.num_channels, audio.length_frames) == ("s/audio", 1, 8)
    assert tf.audio.decode_wav(audio.encoded_audio_string).sample_rate.numpy() == 8000
    words = ran(lambda: v1.summary.text("t", tf.constant(["a", "b"]))).value[0]
    assert words.metadata.plugin_data.plugin_name == "text"
    assert tf.make_ndarray(words.tensor).tolist() == [b"a", b"b"]
    tensor = ran(lambda: v1.summary.tensor_summary("n", [1, 2], "of two", display_name="N"))
    about = tensor.value[0].metadata
    assert (about.display_name, about.summary_description) == ("N", "of two")
    np.testing.assert_array_equal(tf.make_ndarray(tensor.value[0].tensor), [1, 2])


def test_what_cannot_be_merged_or_collected() -> None:
    with tf.Graph().as_default():
        assert v1.summary.merge_all() is None
        with pytest.raises(ValueError, match="expected strings"):
            v1.summary.text("t", tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="two summaries have the tag 'a'"):
        ran(lambda: v1.summary.merge([v1.summary.scalar("a", 1.0)] * 2))
    with pytest.raises(RuntimeError, match="belongs to graphs"):
        v1.summary.merge_all()


def test_a_file_writer_writes_what_sessions_compute(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        text = v1.summary.text("t", tf.constant("a"))
        v1.summary.image("i", np.zeros((1, 2, 2, 1), "float32"))
        with v1.Session() as session, v1.summary.FileWriter(tmp_path, graph) as writer:
            writer.add_summary(session.run(text), 1)
            writer.add_summary(session.run(text), np.int64(2))
            writer.add_session_log(v1.SessionLog(status=v1.SessionLog.START), 3)
            writer.flush()
    writer.add_event(v1.Event(step=4))
    (path,) = tmp_path.iterdir()
    events = list(v1.train.summary_iterator(str(path)))
    assert [(event.step, event.WhichOneof("what")) for event in events] == [
        *((0, "file_version"), (0, "graph_def"), (1, "summary"), (2, "summary")),
        (3, "session_log"),
    ]
    described = [event.summary.value[0].HasField("metadata") for event in events[2:4]]
    assert described == [True, False]
    nodes = {node.name: node for node in v1.GraphDef.FromString(events[1].graph_def).node}
    assert nodes["i"].op == "ImageSummary"
    writer.reopen()
    writer.add_event(v1.Event(step=5))
    writer.close()
    assert len(list(tmp_path.iterdir())) == 2


def test_raw_image_summaries_take_the_bad_color_as_a_message() -> None:
    images = np.array([[[[4.0, 2.0, 0.0], [np.nan, 1.0, 1.0]]]], "float32")
    color = tf.make_tensor_proto(np.array([1, 2, 3], np.uint8))
    summary = ran(lambda: tf.raw_ops.ImageSummary(tag="t", tensor=images, bad_color=color))
    pixels = tf.io.decode_png(summary.value[0].image.encoded_image_string)
    assert pixels.numpy().tolist() == [[[255, 127, 0], [1, 2, 3]]]


def test_one_writer_for_each_folder(tmp_path: Path) -> None:
    cache = v1.summary.FileWriterCache
    with tf.Graph().as_default():
        assert cache.get(tmp_path) is cache.get(tmp_path)
    cache.clear()


def test_imported_savers_leave_out_local_variables(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        v1.get_variable("w", initializer=tf.constant(3.0))
        v1.metrics.mean([1.0], name="m")
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            path = v1.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(f"{path}.meta").restore(session, path)
        assert [v.name for v in v1.local_variables()] == ["m/total:0", "m/count:0"]
        assert session.run(v1.global_variables()) == [3.0]
