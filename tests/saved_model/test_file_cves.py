"""TensorFlow's published weaknesses in loading SavedModels and GraphDefs, tried here one by one.

Each file that crashed TensorFlow, or made it run code, ends in one of the library's own errors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import tapeflow as tf
from tapeflow._src.core import protos
from tests.saved_model.test_safe_mode import changed, function
from tests.saved_model.test_saved_model import module
from tests.source_tree import sources

FLOATS = tf.TensorSpec([None], tf.float32)
T = "attr { key: 'T' value { type: DT_FLOAT } }"
X = "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    made = module(v=tf.Variable([1.0, 2.0]))

    def compute(x: Any) -> Any:
        y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * 2), (0, x))[1]
        return tf.concat([y, made.v], 0)

    made.f = function(compute, FLOATS)
    tf.saved_model.save(made, tmp_path)
    return tmp_path


def graph(text: str) -> Any:
    return text_format.Parse(text, tf.compat.v1.GraphDef())


def refuses(text: str, kind: Any = ValueError) -> None:
    """The import raises that class, and leaves nothing in the graph."""
    with tf.Graph().as_default() as target, pytest.raises(kind) as caught:
        tf.import_graph_def(graph(text))
    assert caught.type is kind
    assert target.get_operations() == []


def functions_of(meta: Any) -> Iterator[Any]:
    yield from meta.graph_def.library.function


def does_not_load(model: Path, change: Any, kinds: Any = (ValueError, tf.errors.OpError)) -> None:
    changed(model, change)
    with pytest.raises(kinds):
        tf.saved_model.load(model)


def test_cve_2020_15206_a_model_cut_short(model: Path) -> None:
    file = model / "saved_model.pb"
    data = file.read_bytes()
    for length in (1, len(data) // 3, len(data) - 7):
        file.write_bytes(data[:length])
        with pytest.raises((OSError, ValueError)):
            tf.saved_model.load(model)


def test_cve_2022_23577_a_model_without_what_loading_needs(model: Path) -> None:
    def strip(meta: Any) -> None:
        meta.signature_def.clear()
        meta.collection_def.clear()
        meta.object_graph_def.Clear()
        meta.object_graph_def.nodes.add()

    changed(model, strip)
    assert not hasattr(tf.saved_model.load(model), "f")


def test_cve_2022_23591_functions_that_call_themselves(model: Path) -> None:
    def recurse(meta: Any) -> None:
        for definition in functions_of(meta):
            for node in definition.node_def:
                if node.op in ("While", "StatelessWhile"):
                    node.attr["body"].func.name = definition.signature.name

    does_not_load(model, recurse, ValueError)


def test_cve_2022_23590_and_23586_functions_that_do_not_fit_their_signature(model: Path) -> None:
    def unreturned(meta: Any) -> None:
        for definition in functions_of(meta):
            definition.ret.clear()

    does_not_load(model, unreturned, ValueError)


def test_cve_2022_23589_nodes_without_their_inputs() -> None:
    refuses(f"{X} node {{ name: 'y' op: 'AddV2' input: 'x' {T} }}")
    refuses(f"node {{ name: 'y' op: 'AddV2' input: 'gone' input: 'gone:1' {T} }}")


def test_cve_2022_23588_reference_dtypes() -> None:
    refuses(
        "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT_REF } } attr { "
        "key: 'value' value { tensor { dtype: DT_FLOAT_REF tensor_shape { } float_val: 1 } } } }"
    )


def test_cve_2022_23583_inputs_of_another_dtype_than_the_attribute() -> None:
    refuses(
        f"{X} node {{ name: 'y' op: 'AddV2' input: 'x' input: 'x' "
        "attr { key: 'T' value { type: DT_STRING } } }"
    )


@pytest.mark.parametrize("size", [-1, -5, 2**62])
def test_cve_2022_23582_and_23571_constants_without_a_size(size: int) -> None:
    kind = tf.errors.ResourceExhaustedError if size > 0 else ValueError
    refuses(
        "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { "
        f"key: 'value' value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{ dim {{ size: {size} }} "
        "} float_val: 1 } } } }",
        kind,
    )


def test_cve_2022_23570_constants_without_a_dtype() -> None:
    refuses(
        "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } "
        "attr { key: 'value' value { tensor { tensor_shape { } } } } }"
    )
    refuses("node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } }")


def test_cve_2022_23580_shapes_that_ask_for_all_memory() -> None:
    with tf.Graph().as_default() as target:
        tf.import_graph_def(
            graph(
                "node { name: 'd' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } } "
                "attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape { dim { "
                "size: 1 } } int64_val: 4611686018427387904 } } } } "
                "node { name: 'v' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } "
                "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { } "
                "float_val: 1 } } } } "
                f"node {{ name: 'f' op: 'Fill' input: 'd' input: 'v' {T} "
                "attr { key: 'index_type' value { type: DT_INT64 } } }"
            ),
            name="",
        )
    exhausted = pytest.raises(tf.errors.ResourceExhaustedError)
    with tf.compat.v1.Session(graph=target) as session, exhausted:
        session.run("f:0")


@pytest.mark.parametrize("axis", [-7, 2**31 - 1])
def test_cve_2022_21731_concatenation_along_no_axis(axis: int) -> None:
    refuses(
        "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "
        "attr { key: 'shape' value { shape { dim { size: 2 } } } } } "
        "node { name: 'a' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } "
        "attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } "
        f"int_val: {axis} }} }} }} }} "
        f"node {{ name: 'y' op: 'ConcatV2' input: 'x' input: 'x' input: 'a' {T} "
        "attr { key: 'N' value { i: 2 } } attr { key: 'Tidx' value { type: DT_INT32 } } }"
    )


def test_cve_2022_23569_and_23575_counts_beyond_what_there_is() -> None:
    refuses(
        f"{X} node {{ name: 'y' op: 'AddN' input: 'x' {T} "
        "attr { key: 'N' value { i: 9223372036854775807 } } }"
    )


def test_cve_2020_26271_loops_whose_results_are_not_their_inputs(model: Path) -> None:
    message = protos.SavedModel.FromString((model / "saved_model.pb").read_bytes())
    names = [f.signature.name for f in functions_of(message.meta_graphs[0])]
    bodies = [name for name in names if "body" in name.lower() or "while" in name.lower()]
    assert bodies

    def shorten_bodies(meta: Any) -> None:
        for definition in functions_of(meta):
            if definition.signature.name in bodies and len(definition.signature.output_arg) > 1:
                del definition.signature.output_arg[-1]

    does_not_load(model, shorten_bodies, ValueError)


def test_cve_2020_26266_constants_of_unusual_dtypes(model: Path) -> None:
    for dtype in ("DT_QINT8", "DT_BFLOAT16", "DT_HALF", "DT_COMPLEX64"):
        with tf.Graph().as_default() as target:
            tf.import_graph_def(
                graph(
                    f"node {{ name: 'c' op: 'Const' attr {{ key: 'dtype' value {{ type: {dtype} }} "
                    f"}} attr {{ key: 'value' value {{ tensor {{ dtype: {dtype} tensor_shape {{ "
                    "dim { size: 3 } } } } } }"
                ),
                name="",
            )
        with tf.compat.v1.Session(graph=target) as session:
            value = session.run("c:0")
        assert value.shape == (3,)
        assert not value.view(np.uint8).any()


def test_cve_2021_41206_and_41208_inputs_of_the_wrong_rank(model: Path) -> None:
    loaded = tf.saved_model.load(model)
    trace = loaded.f.concrete_functions[0]
    for value in (tf.constant(1.0), tf.ones([2, 2])):
        with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
            trace(value)


# -- code ------------------------------------------------------------------------------------------

# Where Python code is made, and of what. None of it is text of a file that is loaded.
MAKES_CODE = {
    "autograph/factory.py": "the syntax tree of the user's own function, rewritten",
    "autograph/sources.py": "the user's own source, to find the function again",
    "executors/interpreter.py": "a graph: names are made of letters, attributes are literals",
    "keras/datasets/sources.py": "pickles of data sets, of which arrays and lists alone are read",
    "keras/saving/config_values.py": "Python lambdas, refused unless safe_mode=False",
    "keras/saving/serialization.py": "Python lambdas, written, and refused likewise",
    "composite/extension_types/overrides.py": "a fixed text, with names of a closure",
    "api/config/devices.py": "asks which plug-ins of JAX are installed, and imports none",
    "core/lazy.py": "imports modules of this package, by names in its source",
    **dict.fromkeys(
        ("standin/distribution.py", "standin/finder.py", "standin/installation.py"),
        "serve `import tensorflow` from the modules of this package, by names in their source",
    ),
}
RISKY_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "yaml", "imp"}
RISKY_CALLS = {"eval", "exec", "compile", "__import__"}


def _risky(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.partition(".")[0] in RISKY_MODULES)
            yield from (a.name for a in node.names if a.name == "importlib")
        elif isinstance(node, ast.ImportFrom):
            name = (node.module or "").partition(".")[0]
            yield from {name} & (RISKY_MODULES | {"importlib"})
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", "")
            yield from {name} & RISKY_CALLS


def test_cve_2021_37678_41228_and_2022_29216_nothing_evaluates_text_of_files() -> None:
    found = {
        source.path.removeprefix("_src/"): sorted(set(_risky(source.tree))) for source in sources()
    }
    unexplained = {path: names for path, names in found.items() if names and path not in MAKES_CODE}
    assert unexplained == {}


@pytest.mark.parametrize("name", ["\n    import os", "x)\nos", "a;b", "x y", "é"])
def test_names_of_files_do_not_become_code(name: str, model: Path) -> None:
    def rename(meta: Any) -> None:
        for definition in functions_of(meta):
            for argument in definition.signature.input_arg:
                argument.name = f"{argument.name}{name}"
            for node in definition.node_def:
                taken = {a.name.removesuffix(name) for a in definition.signature.input_arg}
                for place, source in enumerate(node.input):
                    if source in taken:
                        node.input[place] = f"{source}{name}"

    changed(model, rename)
    try:
        loaded = tf.saved_model.load(model)
    except ValueError:
        return
    assert loaded.f([1.0]).numpy().tolist() == [4.0, 1.0, 2.0]


def test_string_attributes_do_not_become_code() -> None:
    marker = "'+str(1/0)+'"
    with tf.Graph().as_default() as target:
        tf.import_graph_def(
            graph(
                "node { name: 's' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } "
                "} } node { name: 'j' op: 'StringJoin' input: 's' input: 's' "
                "attr { key: 'N' value { i: 2 } } "
                f"attr {{ key: 'separator' value {{ s: \"{marker}\" }} }} }}"
            ),
            name="",
        )
    with tf.compat.v1.Session(graph=target) as session:
        assert session.run("j:0", {"s:0": b"a"}) == f"a{marker}a".encode()
