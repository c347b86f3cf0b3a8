"""Mutated MetaGraphs and SavedModels of sessions: imported, restored, and what loads is run.

Nothing but the library's own errors comes out, no file is written, no process started.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import tapeflow as tf
from tapeflow._src.core import protos
from tests.fuzzing import check
from tests.fuzzing_protos import message_mutation, watched
from tests.saved_model.test_fuzz_models import ALLOWED, SIZES, example, short

v1 = tf.compat.v1


def build() -> tuple[Any, Any, Any]:
    """Build a graph with variables, a saver and an asset; its input, output and asset."""
    x = v1.placeholder(tf.float32, [None, 2], "x")
    w = v1.get_variable("w", [2, 3], initializer=v1.ones_initializer(), use_resource=True)
    b = v1.get_variable("b", [3], initializer=v1.zeros_initializer(), use_resource=True)
    v1.add_to_collection("numbers", 3)
    v1.add_to_collection("tensors", x)
    return x, tf.nn.relu(x @ w + b, name="y"), v1.constant("words.txt", name="words")


def session_model(folder: Path) -> Path:
    """Write a SavedModel of a session."""
    words = folder.parent / "words.txt"
    words.write_text("a\nb\n")
    with tf.Graph().as_default(), v1.Session() as session:
        x, y, _ = build()
        asset = tf.constant(str(words))
        first = tf.group(tf.strings.length(asset), name="first")
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(str(folder))
        signature = v1.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            assets_collection=[asset],
            main_op=first,
        )
        builder.save()
    return folder


def into_session(folder: Path) -> Callable[[bytes], None]:
    def load(data: bytes) -> None:
        (folder / "saved_model.pb").write_bytes(data)
        with watched(str(folder)), tf.Graph().as_default(), v1.Session() as session, short():
            meta = v1.saved_model.load(session, ["serve"], str(folder))
            for signature in meta.signature_def.values():
                feeds = {info.name: np.ones([2, 2]) for info in signature.inputs.values()}
                try:
                    session.run([info.name for info in signature.outputs.values()], feeds)
                except (TypeError, LookupError):  # the caller takes the names out of the message
                    continue

    return load


def as_functions(folder: Path) -> Callable[[bytes], None]:
    def load(data: bytes) -> None:
        (folder / "saved_model.pb").write_bytes(data)
        with watched(str(folder)), short():
            loaded = tf.saved_model.load(str(folder))
            for function in getattr(loaded, "signatures", {}).values():
                specs = function.structured_input_signature[0]
                function(*map(example, specs))

    return load


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("loader", [into_session, as_functions])
def test_saved_models_of_sessions(loader: Any, count: int, tmp_path: Path) -> None:
    folder = session_model(tmp_path / "model")
    sample = (folder / "saved_model.pb").read_bytes()
    check(loader(folder), [sample], count // 2, seed=11, allowed=ALLOWED,
          extra=[message_mutation(protos.SavedModel)], seconds=20.0)  # fmt: skip


def meta_graph() -> Any:
    with tf.Graph().as_default():
        build()
        return v1.train.Saver().export_meta_graph()


def importing(path: Path, wrapped: bool) -> Callable[[bytes], None]:
    def imported() -> None:
        v1.train.import_meta_graph(str(path))

    def run(data: bytes) -> None:
        path.write_bytes(data)
        with watched(str(path)), short():
            if wrapped:
                v1.wrap_function(imported, [])
            else:
                with tf.Graph().as_default(), v1.Session() as session:
                    imported()
                    session.run(v1.global_variables_initializer())

    return run


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("wrapped", [False, True])
def test_meta_graphs(wrapped: bool, count: int, tmp_path: Path) -> None:
    sample = meta_graph().SerializeToString()
    check(importing(tmp_path / "graph.meta", wrapped), [sample], count // 2, seed=12,
          allowed=ALLOWED, extra=[message_mutation(protos.MetaGraphDef)], seconds=20.0)  # fmt: skip


@pytest.mark.parametrize("count", SIZES)
def test_meta_graphs_as_text(count: int, tmp_path: Path) -> None:
    sample = text_format.MessageToString(meta_graph()).encode()
    check(importing(tmp_path / "graph.meta", False), [sample], count // 4, seed=13,
          allowed=ALLOWED, seconds=20.0)  # fmt: skip
