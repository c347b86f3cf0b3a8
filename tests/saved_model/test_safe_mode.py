"""What a SavedModel can and cannot do: safe mode, assets, damaged messages, failed loads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.core import protos
from tapeflow._src.core.registry import every
from tests.saved_model.test_saved_model import SCALAR, module

TEXT = tf.TensorSpec([], tf.string)
ALLOWED = tf.saved_model.LoadOptions(safe_mode=False)


def first_of(first: Any, second: Any) -> Any:
    return first


def message_of(folder: Path) -> Any:
    return protos.SavedModel.FromString((folder / "saved_model.pb").read_bytes())


def changed(folder: Path, change: Callable[[Any], None]) -> None:
    """Rewrite the model after `change` of its MetaGraphDef."""
    message = message_of(folder)
    change(message.meta_graphs[0])
    (folder / "saved_model.pb").write_bytes(message.SerializeToString())


def function(body: Callable[..., Any], *signature: Any) -> Any:
    return tf.function(body, input_signature=list(signature))


@pytest.mark.parametrize(
    ("body", "op"),
    [
        (lambda x: tf.io.read_file(x), "ReadFile"),
        (lambda x: tf.io.write_file(x, "data"), "WriteFile"),
        (lambda x: tf.io.matching_files(x), "MatchingFiles"),
        (lambda x: (tf.print(x, output_stream="file:///nowhere/at/all"), x)[1], "PrintV2"),
        (lambda x: tf.py_function(lambda v: v, [x], tf.string), "EagerPyFunc"),
        (lambda x: tf.numpy_function(lambda v: v, [x], tf.string), "PyFunc"),
        (lambda x: tf.data.TextLineDataset(x).reduce("", lambda a, b: a), "TextLineDataset"),
        (lambda x: tf.data.TFRecordDataset(x).reduce("", lambda a, b: a), "TFRecordDataset"),
        (lambda x: tf.data.Dataset.from_tensors(x).cache(x).reduce("", first_of), "CacheDatasetV2"),
        (
            lambda x: tf.data.Dataset.from_tensors(x).cache("f").reduce("", first_of),
            "CacheDatasetV2",
        ),
        (lambda x: tf.data.Dataset.from_tensors(x).snapshot("f").reduce("", first_of), "Snapshot"),
        (lambda x: tf.cond(x == "a", lambda: tf.io.read_file(x), lambda: x), "ReadFile"),
        (lambda x: tf.map_fn(tf.io.read_file, x[None]), "ReadFile"),
    ],
)
def test_functions_that_reach_outside_are_refused(body: Any, op: str, tmp_path: Path) -> None:
    tf.saved_model.save(module(f=function(body, TEXT), g=function(lambda x: x, SCALAR)), tmp_path)
    with pytest.raises(tf.errors.PermissionDeniedError) as caught:
        tf.saved_model.load(tmp_path)
    for words in (op, "in function", "safe_mode=False", str(tmp_path)):
        assert words in str(caught.value)
    assert float(tf.saved_model.load(tmp_path, options=ALLOWED).g(2.0)) == 2.0


def test_a_dataset_that_is_cached_in_memory_is_allowed(tmp_path: Path) -> None:
    def total(x: Any) -> Any:
        return tf.data.Dataset.range(3).cache().reduce(x, lambda a, b: a + tf.cast(b, tf.float32))

    tf.saved_model.save(module(f=function(total, SCALAR)), tmp_path)
    assert float(tf.saved_model.load(tmp_path).f(1.0)) == 4.0


def test_one_error_names_all_that_is_refused(tmp_path: Path) -> None:
    made = module(
        f=function(lambda x: tf.io.read_file(x), TEXT),
        g=function(lambda x: tf.py_function(lambda v: v, [x], tf.string), TEXT),
    )
    tf.saved_model.save(made, tmp_path)
    with pytest.raises(tf.errors.PermissionDeniedError, match=r"(?s)ReadFile.*EagerPyFunc"):
        tf.saved_model.load(tmp_path)


def test_printing_is_allowed(tmp_path: Path, capsys: Any) -> None:
    tf.saved_model.save(module(f=function(lambda x: (tf.print(x), x)[1], TEXT)), tmp_path)
    tf.saved_model.load(tmp_path).f("words")
    assert capsys.readouterr().err == "words\n"


def test_gradients_that_reach_outside_are_refused(tmp_path: Path) -> None:
    @tf.custom_gradient
    def leaky(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            with tf.control_dependencies([tf.io.read_file("/etc/hostname")]):
                return dy * 2

        return x * 2, gradient

    tf.saved_model.save(module(f=function(leaky, SCALAR)), tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    x = tf.constant(1.0)
    with pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile"):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loaded.f(x)
        tape.gradient(y, x)


# -- assets ----------------------------------------------------------------------------------------


def with_asset(tmp_path: Path) -> Path:
    words = tmp_path / "words.txt"
    words.write_text("a\nb\n")
    table = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(
            str(words),
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        ),
        -1,
    )
    made = module(table=table, f=function(table.lookup, TEXT))
    folder = tmp_path / "model"
    tf.saved_model.save(made, folder)
    words.unlink()
    return folder


def test_tables_of_assets_are_filled(tmp_path: Path) -> None:
    assert int(tf.saved_model.load(with_asset(tmp_path)).f("b")) == 1


@pytest.mark.parametrize("name", ["/etc/hostname", "../../etc/hostname", "a/../../b", "", "a\0b"])
def test_assets_outside_of_the_model_are_refused(name: str, tmp_path: Path) -> None:
    folder = with_asset(tmp_path)

    def rename(meta: Any) -> None:
        meta.asset_file_def[0].filename = name

    changed(folder, rename)
    for options in (None, ALLOWED):
        with pytest.raises(ValueError, match="not the name of a file in its folder"):
            tf.saved_model.load(folder, options=options)


def test_links_out_of_the_model_are_refused(tmp_path: Path) -> None:
    folder = with_asset(tmp_path)
    (tmp_path / "secret.txt").write_text("x\ny\nb\n")
    (folder / "assets" / "words.txt").unlink()
    os.symlink(tmp_path / "secret.txt", folder / "assets" / "words.txt")
    with pytest.raises(ValueError, match=r"secret\.txt.*safe_mode=False"):
        tf.saved_model.load(folder)
    assert int(tf.saved_model.load(folder, options=ALLOWED).f("b")) == 2


def test_tables_of_other_files_are_refused(tmp_path: Path) -> None:
    folder = with_asset(tmp_path)

    def constant_path(meta: Any) -> None:
        """Let the table be filled from a constant path in place of the asset's."""
        for definition in meta.graph_def.library.function:
            for node in definition.node_def:
                if node.op == "InitializeTableFromTextFileV2":
                    path = definition.node_def.add(name="path", op="Const")
                    path.attr["dtype"].type = 7
                    path.attr["value"].tensor.dtype = 7
                    path.attr["value"].tensor.tensor_shape.SetInParent()
                    path.attr["value"].tensor.string_val.append(b"/etc/hostname")
                    node.input[1] = "path:output:0"

    changed(folder, constant_path)
    with pytest.raises(tf.errors.PermissionDeniedError, match="InitializeTableFromTextFileV2"):
        tf.saved_model.load(folder)


# -- damaged models --------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path: Path) -> Path:
    made = module(v=tf.Variable([1.0, 2.0]), items=[tf.Variable(1)])
    made.f = function(lambda x: x + made.v, tf.TensorSpec([2], tf.float32))
    tf.saved_model.save(made, tmp_path)
    return tmp_path


@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"\x0a\xff\xff\xff\x7f", b"text"])
def test_files_that_do_not_parse(model: Path, data: bytes) -> None:
    (model / "saved_model.pb").write_bytes(data)
    with pytest.raises(OSError, match=r"saved_model\.pb"):
        tf.saved_model.load(model)
    (model / "saved_model.pb").rename(model / "saved_model.pbtxt")
    with pytest.raises(OSError, match=r"saved_model\.pbtxt"):
        tf.saved_model.load(model)


def _nodes(meta: Any, kind: str) -> Any:
    return next(n for n in meta.object_graph_def.nodes if n.WhichOneof("kind") == kind)


def _child_out_of_range(meta: Any) -> None:
    meta.object_graph_def.nodes[0].children[0].node_id = 99


def _child_negative(meta: Any) -> None:
    meta.object_graph_def.nodes[0].children[0].node_id = -1


def _child_reserved(meta: Any) -> None:
    meta.object_graph_def.nodes[0].children[0].local_name = "__class__"


def _unknown_dtype(meta: Any) -> None:
    _nodes(meta, "variable").variable.dtype = 77


def _unknown_aggregation(meta: Any) -> None:
    _nodes(meta, "variable").variable.aggregation = 9


def _other_dtype(meta: Any) -> None:
    _nodes(meta, "variable").variable.dtype = 3


def _no_functions(meta: Any) -> None:
    del meta.graph_def.library.function[:]


def _bound_out_of_range(meta: Any) -> None:
    next(iter(meta.object_graph_def.concrete_functions.values())).bound_inputs.append(1000)


def _too_many_bound(meta: Any) -> None:
    for described in meta.object_graph_def.concrete_functions.values():
        described.bound_inputs.extend(list(described.bound_inputs))


def _odd_specs(meta: Any) -> None:
    _nodes(meta, "function").function.function_spec.fullargspec.int64_value = 3


def _odd_signature(meta: Any) -> None:
    for described in meta.object_graph_def.concrete_functions.values():
        described.canonicalized_input_signature.string_value = "x"


def _odd_output(meta: Any) -> None:
    for described in meta.object_graph_def.concrete_functions.values():
        spec = described.output_signature
        spec.tuple_value.values.add().tensor_spec_value.dtype = 1
        spec.tuple_value.values.add().tensor_spec_value.dtype = 1


def _unknown_jit(meta: Any) -> None:
    _nodes(meta, "function").function.function_spec.jit_compile = 5


def _long_list(meta: Any) -> None:
    for node in meta.object_graph_def.nodes:
        if node.user_object.identifier == "trackable_list_wrapper":
            node.children[0].local_name = "9" * 15


def _signature_is_no_function(meta: Any) -> None:
    for node in meta.object_graph_def.nodes:
        if node.user_object.identifier == "signature_map":
            node.children.add(local_name="other", node_id=0)


def _root_is_a_variable(meta: Any) -> None:
    meta.object_graph_def.nodes[0].CopyFrom(_nodes(meta, "variable"))


@pytest.mark.parametrize(
    "change",
    [
        _child_out_of_range,
        _child_negative,
        _child_reserved,
        _unknown_dtype,
        _unknown_aggregation,
        _other_dtype,
        _no_functions,
        _bound_out_of_range,
        _too_many_bound,
        _odd_specs,
        _odd_signature,
        _odd_output,
        _unknown_jit,
        _long_list,
        _root_is_a_variable,
        _signature_is_no_function,
    ],
)
def test_messages_that_do_not_fit_together(model: Path, change: Any) -> None:
    changed(model, change)
    with pytest.raises(ValueError):
        tf.saved_model.load(model)


def test_models_without_their_variables_are_refused(model: Path) -> None:
    for file in (model / "variables").iterdir():
        file.unlink()
    with pytest.raises(tf.errors.OpError):
        tf.saved_model.load(model)
    options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    assert tf.saved_model.load(model, options=options).v.numpy().tolist() == [0.0, 0.0]


def test_fingerprints_that_do_not_parse(model: Path) -> None:
    (model / "fingerprint.pb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(RuntimeError, match="FingerprintDef"):
        tf.saved_model.experimental.read_fingerprint(model)


def test_a_failed_load_leaves_graphs_and_random_numbers_alone(model: Path) -> None:
    changed(model, _no_functions)
    tf.random.set_seed(3)
    expected = tf.random.normal([2]).numpy().tolist()
    tf.random.set_seed(3)
    with tf.Graph().as_default() as graph, pytest.raises(ValueError):
        tf.saved_model.load(model)
    assert graph.get_operations() == []
    assert tf.random.normal([2]).numpy().tolist() == expected


def test_a_damaged_value_fails_the_whole_load(model: Path) -> None:
    (file,) = (model / "variables").glob("*.data*")
    data = bytearray(file.read_bytes())
    data[0] ^= 1
    file.write_bytes(bytes(data))
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(model)


def test_ops_that_reach_outside_are_declared() -> None:
    """A new op that opens files or calls Python belongs into this list, and says so itself."""
    declared = {name: op.access.what for name, op in every().items() if op.access is not None}
    files = {
        "CSVDatasetV2",
        "CacheDatasetV2",
        "DatasetToTFRecord",
        "FixedLengthRecordDatasetV2",
        "FixedUnigramCandidateSampler",
        "InitializeTableFromTextFileV2",
        "MatchingFiles",
        "PrintV2",
        "ReadFile",
        "SnapshotDatasetV2",
        "SqlDataset",
        "TFRecordDataset",
        "TextLineDataset",
        "WriteFile",
    }
    python = {"EagerPyFunc", "GeneratorDataset", "PyFunc", "PyFuncStateless", "_JaxCall"}
    assert {name for name, what in declared.items() if what == "files"} == files
    assert {name for name, what in declared.items() if what == "python"} == python


@pytest.mark.parametrize("read", ["session", "functions", "meta_graph"])
def test_graphs_of_sessions_that_read_files_are_refused(tmp_path: Path, read: str) -> None:
    v1 = tf.compat.v1
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    folder, meta = str(tmp_path / "model"), str(tmp_path / "graph.meta")
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=1.0)
        y = tf.io.read_file(str(secret), name="y")
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, folder, {"w": w}, {"y": y})
        v1.train.export_meta_graph(meta)
    refused = pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile")
    with tf.Graph().as_default(), v1.Session() as session, refused:
        if read == "session":
            v1.saved_model.load(session, ["serve"], folder)
        elif read == "functions":
            tf.saved_model.load(folder)
        else:
            v1.train.import_meta_graph(meta)
