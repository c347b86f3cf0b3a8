"""`TensorBoard` and `RemoteMonitor`."""

from __future__ import annotations

import gzip
import http.server
import json
import threading
import urllib.parse
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.internal.events import event_from

keras = tf.keras
layers = keras.layers
X, Y = np.ones((8, 6, 6, 1), "float32"), np.ones((8, 1), "float32")


def fitted(*callbacks: Any, **kwargs: Any) -> Any:
    model = keras.Sequential(
        [
            keras.Input((6, 6, 1)),
            layers.Conv2D(2, 3, name="c"),
            layers.Flatten(),
            layers.Dense(1, name="d"),
        ],
        name="m",
    )
    model.compile("sgd", "mse", metrics=["mae"])
    model.fit(X, Y, batch_size=4, verbose=0, callbacks=list(callbacks), **kwargs)
    return model


def events(folder: Path) -> list[Any]:
    found = []
    for path in sorted(folder.glob("events.out.tfevents.*")):
        found += [event_from(each.numpy()) for each in tf.data.TFRecordDataset(str(path))]
    return found


def tags(folder: Path) -> dict[str, list[int]]:
    """The steps of all entries, by tag."""
    known: dict[str, list[int]] = {}
    for event in events(folder):
        for entry in event.summary.value:
            known.setdefault(entry.tag, []).append(event.step)
    return known


class Writing(layers.Layer):
    def call(self, x: Any) -> Any:
        tf.summary.scalar("sum", tf.reduce_sum(x))
        return x


def _writing() -> Any:
    model = keras.Sequential([keras.Input((3,)), Writing(), layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


@pytest.mark.parametrize("run_eagerly", [False, True])
def test_summaries_of_layers_go_to_the_files_of_the_callback(
    tmp_path: Path, run_eagerly: bool
) -> None:
    model, x, y = _writing(), np.ones((8, 3), "float32"), np.ones((8, 1), "float32")
    model.compile("sgd", "mse", run_eagerly=run_eagerly)
    for name in ("first", "second"):
        board = keras.callbacks.TensorBoard(tmp_path / name, update_freq=2)
        model.fit(x, y, batch_size=2, verbose=0, validation_data=(x, y), callbacks=[board])
        for kind in ("train", "validation"):
            known = tags(tmp_path / name / kind)
            assert [steps for tag, steps in known.items() if tag.endswith("sum")] == [[2, 4]]
            assert len(list((tmp_path / name / kind).iterdir())) == 1
    assert not tf.summary.scalar("outside", 1.0, step=0)


def test_summaries_of_layers_are_not_written_by_epoch(tmp_path: Path) -> None:
    board = keras.callbacks.TensorBoard(tmp_path)
    _writing().fit(np.ones((8, 3)), np.ones((8, 1)), verbose=0, callbacks=[board])
    assert not [tag for tag in tags(tmp_path / "train") if tag.endswith("sum")]


def test_results_of_epochs(tmp_path: Path) -> None:
    board = keras.callbacks.TensorBoard(tmp_path)
    model = fitted(board, epochs=2, validation_data=(X, Y))
    train, validation = tags(tmp_path / "train"), tags(tmp_path / "validation")
    assert train == {
        "keras": [0],
        **{f"epoch_{name}": [0, 1] for name in ("loss", "mae", "learning_rate")},
    }
    assert validation == {
        **{f"epoch_{name}": [0, 1] for name in ("loss", "mae")},
        **{f"evaluation_{name}_vs_iterations": [2, 4] for name in ("loss", "mae")},
    }
    written = events(tmp_path / "train")
    assert written[0].file_version == "brain.Event:2"
    entry = next(v for e in written for v in e.summary.value if v.tag == "epoch_loss")
    assert entry.metadata.plugin_data.plugin_name == "scalars"
    assert float(tf.make_ndarray(entry.tensor)) == model.history.history["loss"][0]


def test_batches_and_weights(tmp_path: Path) -> None:
    board = keras.callbacks.TensorBoard(
        tmp_path,
        histogram_freq=1,
        write_graph=False,
        write_images=True,
        write_steps_per_second=True,
        update_freq=2,
    )
    fitted(board, epochs=2)
    found = tags(tmp_path / "train")
    assert found["batch_loss"] == [2, 4] and found["batch_steps_per_second"] == [2, 4]
    assert found["epoch_steps_per_second"] == [0, 1]
    assert found["m/c/kernel/histogram"] == found["m/c/kernel/image"] == [0, 1]
    entries = {v.tag: v for e in events(tmp_path / "train") for v in e.summary.value}
    histogram = tf.make_ndarray(entries["m/d/kernel/histogram"].tensor)
    assert histogram.shape == (30, 3) and histogram[:, 2].sum() == 32
    width, height, first, *_ = tf.make_ndarray(entries["m/c/kernel/image"].tensor).tolist()
    assert (width, height) == (b"3", b"3")
    assert tf.io.decode_png(first).shape == (3, 3, 1)


@pytest.mark.parametrize("batches", [(4, 2), "2,3,4", -1, "a", None])
def test_batches_to_profile_are_one_or_two_numbers_in_order(tmp_path: Path, batches: Any) -> None:
    with pytest.raises(ValueError, match="profile_batch"):
        keras.callbacks.TensorBoard(tmp_path, profile_batch=batches)


@pytest.mark.parametrize("batches", ["2,3", (2, 3), 3])
def test_batches_are_profiled(tmp_path: Path, batches: Any) -> None:
    fitted(keras.callbacks.TensorBoard(tmp_path, profile_batch=batches), epochs=2)
    assert tags(tmp_path / "train")["batch_3"] == [3]
    (folder,) = (tmp_path / "train" / "plugins" / "profile").iterdir()
    (path,) = folder.glob("*.trace.json.gz")
    trace = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    steps = [event["name"] for event in trace if event.get("cat") == "step"]
    assert steps == ["train"] * (1 if batches == 3 else 2)
    assert "2 steps" in (folder / "summary.txt").read_text() or batches == 3


def test_a_profile_ends_with_the_training(tmp_path: Path) -> None:
    fitted(keras.callbacks.TensorBoard(tmp_path, profile_batch=(2, 100)))
    assert len(list((tmp_path / "train" / "plugins" / "profile").iterdir())) == 1
    with pytest.raises(tf.errors.UnavailableError):
        tf.profiler.experimental.stop()


def test_a_profile_of_the_user_is_left_alone(tmp_path: Path) -> None:
    board = keras.callbacks.TensorBoard(tmp_path / "board", profile_batch=1)
    mine = tf.profiler.experimental.Profile(str(tmp_path / "mine"))
    with mine, pytest.warns(UserWarning, match="no batches are profiled"):
        fitted(board)
    assert (tmp_path / "mine" / "plugins").exists()


@pytest.mark.parametrize("run_eagerly", [False, True])
def test_the_graph_of_a_step_is_written_once(tmp_path: Path, run_eagerly: bool) -> None:
    model = _writing()
    model.compile("sgd", "mse", run_eagerly=run_eagerly)
    board = keras.callbacks.TensorBoard(tmp_path)
    model.fit(np.ones((8, 3)), np.ones((8, 1)), batch_size=2, verbose=0, callbacks=[board])
    graphs = [
        e.graph_def for e in events(tmp_path / "train") if e.WhichOneof("what") == "graph_def"
    ]
    assert len(graphs) == (0 if run_eagerly else 1)
    if graphs:
        graph = tf.compat.v1.GraphDef.FromString(graphs[0])
        assert any(node.op == "MatMul" for node in graph.node)


def test_labels_of_embeddings(tmp_path: Path) -> None:
    def fit(labels: Any) -> None:
        model = keras.Sequential(
            [keras.Input((2,)), layers.Embedding(5, 3, name="e"), layers.Flatten(), layers.Dense(1)]
        )
        model.compile("sgd", "mse")
        board = keras.callbacks.TensorBoard(
            tmp_path, embeddings_freq=1, embeddings_metadata=labels, write_graph=False
        )
        model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0, callbacks=[board])

    fit({"e": "labels.tsv"})
    config = (tmp_path / "projector_config.pbtxt").read_text()
    assert 'metadata_path: "labels.tsv"' in config
    assert "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE" in config
    assert (tmp_path / "train" / "keras_embedding.ckpt-0.weights.h5").exists()
    with pytest.raises(ValueError, match="other"):
        fit({"other": "labels.tsv"})


@pytest.mark.parametrize("as_json", [True, False])
def test_results_are_sent(as_json: bool) -> None:
    received: list[Any] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if not as_json:
                text = urllib.parse.parse_qs(text)["data"][0]
            received.append(json.loads(text))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        root = f"http://127.0.0.1:{server.server_port}"
        monitor = keras.callbacks.RemoteMonitor(root, send_as_json=as_json)
        monitor.on_epoch_end(1, {"loss": np.float32(0.5)})
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert received == [{"epoch": 1, "loss": 0.5}]
    with pytest.warns(UserWarning, match="could not reach"):
        monitor.on_epoch_end(2, {})
