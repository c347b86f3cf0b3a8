"""Mutated SavedModels, GraphDefs, tensors and fingerprints: loaded, and what loads is called.

Nothing but the library's own errors comes out, no file is written, no process started.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import tapeflow as tf
from tapeflow._src.core import protos
from tapeflow._src.saved_model.restored import RestoredFunction
from tapeflow._src.saved_model.signatures import SignatureMap
from tests.fuzzing import check
from tests.fuzzing_protos import message_mutation, watched
from tests.saved_model.test_saved_model import module

GOLDEN = Path(__file__).parent.parent / "golden" / "saved_models"
ALLOWED = (ValueError, OSError, NotImplementedError, RuntimeError)
MOST_ELEMENTS = 10_000
SECONDS_OF_A_CALL = 1.0
SIZES = [pytest.param(60, id="sample"), pytest.param(7000, id="large", marks=pytest.mark.slow)]


def small_model(folder: Path) -> Path:
    """Variables, lists, branches, loops, calls, a table, an asset and a gradient of its own."""
    words = folder.parent / "words.txt"
    words.write_text("a\nb\n")
    index = tf.lookup.TextFileIndex
    table = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(
            str(words), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
        ),
        -1,
    )
    made = module(v=tf.Variable([1.0, 2.0]), items=[tf.Variable(1), 2], table=table)

    @tf.custom_gradient
    def twice(x: Any) -> Any:
        return x * 2, lambda dy: dy * 3

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, "x")])
    def compute(x: Any) -> Any:
        y = tf.matmul(x, tf.linalg.diag(made.v)) + tf.range(2.0)
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: twice(y), lambda: tf.nn.relu(y))
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(y)), (0, y))
        return {"y": tf.reshape(y, [-1]), "n": tf.shape(x)}

    made.compute = compute
    made.find = tf.function(table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    made.count = tf.function(
        lambda n=2, *, scale=1.0: made.v.assign_add([scale, scale * n]), input_signature=[]
    )
    tf.saved_model.save(made, folder, signatures={"serving_default": compute})
    return folder


def example(spec: Any) -> Any:
    dims = [2 if size is None else size for size in spec.shape.as_list() or []]
    if np.prod(dims, dtype=object) > MOST_ELEMENTS:
        raise tf.errors.ResourceExhaustedError(None, None, "larger than this test wants it")
    dtype = spec.dtype
    value = (
        np.full(dims, b"a", object) if dtype is tf.string else np.ones(dims, dtype.as_numpy_dtype)
    )
    return tf.constant(value, dtype)


@contextmanager
def short() -> Iterator[None]:
    """A block that calls a graph, which may loop for ever: it is given up after a while."""

    def stop(*_: Any) -> None:
        raise tf.errors.DeadlineExceededError(None, None, "the graph runs for long")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_OF_A_CALL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def call(function: Any) -> None:
    own = len(function.inputs) - len(function.captured_inputs)
    with short():
        function.call_flat([example(tensor) for tensor in function.inputs[:own]])


def concrete_functions(root: Any) -> Iterator[Any]:
    for value in list(getattr(root, "__dict__", {}).values()):
        yield from value.concrete_functions if isinstance(value, RestoredFunction) else ()
        signatures = value.values() if isinstance(value, SignatureMap) else ()
        yield from (s for s in signatures if not isinstance(s, RestoredFunction))


def loading(folder: Path, name: str = "saved_model.pb") -> Callable[[bytes], None]:
    def load(data: bytes) -> None:
        (folder / name).write_bytes(data)
        with watched(str(folder)):
            loaded = tf.saved_model.load(folder)
            for function in concrete_functions(loaded):
                try:
                    call(function)
                except tf.errors.OpError:  # of this function: the others are called all the same
                    continue

    return load


@pytest.mark.parametrize("count", SIZES)
def test_saved_models(count: int, tmp_path: Path) -> None:
    folder = small_model(tmp_path / "model")
    sample = (folder / "saved_model.pb").read_bytes()
    check(loading(folder), [sample], count, seed=1, allowed=ALLOWED,
          extra=[message_mutation(protos.SavedModel)], seconds=20.0)  # fmt: skip


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("name", ["model", "tables", "single"])
def test_saved_models_of_tensorflow(name: str, count: int, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(GOLDEN / name, folder)
    sample = (folder / "saved_model.pb").read_bytes()
    check(loading(folder), [sample], count // 3, seed=2, allowed=ALLOWED,
          extra=[message_mutation(protos.SavedModel)], seconds=20.0)  # fmt: skip


@pytest.mark.parametrize("count", SIZES)
def test_saved_models_as_text(count: int, tmp_path: Path) -> None:
    folder = small_model(tmp_path / "model")
    file = folder / "saved_model.pb"
    message = protos.SavedModel.FromString(file.read_bytes())
    file.unlink()
    sample = text_format.MessageToString(message).encode()
    check(loading(folder, "saved_model.pbtxt"), [sample], count // 4, seed=3, allowed=ALLOWED,
          seconds=20.0)  # fmt: skip


def run_graph(data: bytes) -> None:
    try:
        message = protos.GraphDef.FromString(data)
    except Exception:  # the caller parses GraphDefs
        return
    with watched("graph"):
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(message, name="")
        feeds = {
            op.outputs[0]: example(tf.TensorSpec(op.outputs[0].shape, op.outputs[0].dtype)).numpy()
            for op in graph.get_operations()
            if op.type == "Placeholder" and op.outputs[0].dtype is not tf.resource
        }
        last = graph.get_operations()[-1:]
        with tf.compat.v1.Session(graph=graph) as session, short():
            for op in last:
                session.run(list(op.outputs) or op, feeds)


def graph_samples() -> list[bytes]:
    with tf.Graph().as_default() as first:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], "x")
        y = tf.nn.conv2d(tf.reshape(x, [1, -1, 3, 1]), tf.ones([2, 2, 1, 2]), 1, "SAME")
        z = tf.concat([tf.reduce_mean(y, [1]), tf.zeros([1, 3, 2])], 1)
        tf.transpose(tf.strided_slice(z, [0, 1], [1, 4], [1, 2]), [1, 0, 2])
    with tf.Graph().as_default() as second:
        n = tf.compat.v1.placeholder(tf.int32, [], "n")
        _, total = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t + i), (0, 0))
        branch = tf.cond(total > 3, lambda: tf.range(total), lambda: tf.fill([2], total))
        tf.gather(tf.one_hot(branch, 4), [0, 1], axis=0)
    with tf.Graph().as_default() as third:
        s = tf.compat.v1.placeholder(tf.string, [None], "s")
        tf.strings.join([tf.strings.lower(s), tf.strings.substr(s, 0, 1)], "-")
    return [g.as_graph_def().SerializeToString() for g in (first, second, third)]


@pytest.mark.parametrize("count", SIZES)
def test_graph_defs(count: int) -> None:
    check(run_graph, graph_samples(), count, seed=4, allowed=ALLOWED,
          extra=[message_mutation(protos.GraphDef)], seconds=20.0)  # fmt: skip


@pytest.mark.parametrize("count", SIZES)
def test_tensor_protos(count: int) -> None:
    arrays = [np.arange(6.0).reshape(2, 3), np.array([b"a", b"bc"], object), np.zeros(5000, "f")]
    samples = [tf.make_tensor_proto(array).SerializeToString() for array in arrays]
    samples.append(tf.make_tensor_proto(1.0, shape=[40, 50]).SerializeToString())

    def parse(data: bytes) -> None:
        for dtype in (tf.float64, tf.float32, tf.string):
            try:
                tf.io.parse_tensor(data, dtype)
            except tf.errors.InvalidArgumentError:
                continue

    def make(data: bytes) -> None:
        parse(data)
        try:
            message = protos.TensorProto.FromString(data)
        except Exception:  # the caller parses TensorProtos
            return
        try:
            tf.make_ndarray(message)
        except TypeError:  # as TensorFlow raises for dtypes that arrays do not have
            return

    check(make, samples, count, seed=5, allowed=ALLOWED,
          extra=[message_mutation(protos.TensorProto)])  # fmt: skip


@pytest.mark.parametrize("count", SIZES)
def test_fingerprints(count: int, tmp_path: Path) -> None:
    tf.saved_model.save(module(v=tf.Variable(1.0)), tmp_path)
    file = tmp_path / "fingerprint.pb"
    sample = file.read_bytes()

    def read(data: bytes) -> None:
        file.write_bytes(data)
        with watched(str(tmp_path)):
            str(tf.saved_model.experimental.read_fingerprint(tmp_path))

    check(read, [sample], count, seed=6, allowed=ALLOWED,
          extra=[message_mutation(protos.FingerprintDef)])  # fmt: skip
