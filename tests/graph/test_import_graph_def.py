"""`tf.import_graph_def`: names, replaced inputs, what is asked back, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import tapeflow as tf
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tests.graph.roundtrip import run

FLOAT = "attr { key: 'dtype' value { type: DT_FLOAT } }"
T = "attr { key: 'T' value { type: DT_FLOAT } }"
X = f"node {{ name: 'x' op: 'Placeholder' {FLOAT} }}"
Y = f"node {{ name: 'y' op: 'Placeholder' {FLOAT} }}"
ADD = f"node {{ name: 'add' op: 'AddV2' input: 'x' input: 'y' {T} }}"


def message(*parts: str) -> Any:
    return text_format.Parse(" ".join(parts), tf.compat.v1.GraphDef())


def imported(*parts: str, **options: Any) -> Any:
    """The graph that holds the nodes alone, and what the import returned."""
    with tf.Graph().as_default() as graph:
        returned = tf.import_graph_def(message(*parts), **options)
    return graph, returned


def names(graph: Any) -> list[str]:
    return [operation.name for operation in graph.get_operations()]


# -- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "prefix"), [(None, "import/"), ("", ""), ("foo", "foo/"), ("foo/", "foo/")]
)
def test_names(name: str | None, prefix: str) -> None:
    graph, returned = imported(X, Y, ADD, name=name)
    assert names(graph) == [f"{prefix}x", f"{prefix}y", f"{prefix}add"]
    assert returned is None


def test_names_are_unique() -> None:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message(X))
        tf.import_graph_def(message(X))
        tf.import_graph_def(message(X), name="")
        tf.import_graph_def(message(X), name="")
    assert names(graph) == ["import/x", "import_1/x", "x", "x_1"]


def test_nodes_in_any_order() -> None:
    graph, _ = imported(ADD, Y, X, name="")
    assert names(graph) == ["x", "y", "add"]
    assert [t.name for t in graph.get_operation_by_name("add").inputs] == ["x:0", "y:0"]


def test_control_inputs() -> None:
    node = f"node {{ name: 'z' op: 'Neg' input: 'x' input: '^y' {T} }}"
    graph, _ = imported(X, node, Y, name="")
    assert [o.name for o in graph.get_operation_by_name("z").control_inputs] == ["y"]
    assert names(graph).index("y") < names(graph).index("z")


# -- what is put in and taken out ----------------------------------------------------------------


def test_what_is_asked_back() -> None:
    _, (add, tensor, x) = imported(X, Y, ADD, return_elements=["add", "add:0", "x"])
    assert isinstance(add, tf.Operation) and add.name == "import/add"
    assert tensor is add.outputs[0] and x.type == "Placeholder"
    assert imported(X, return_elements=[])[1] == []


@pytest.mark.parametrize("key", ["x", "x:0"])
def test_inputs_are_replaced(key: str) -> None:
    graph = FuncGraph("f")
    with graph.as_default():
        given = graph.argument(tf.float32, (), "given")
        (total,) = tf.import_graph_def(
            message(X, Y, ADD), input_map={key: given, "y": 2.0}, return_elements=["add:0"]
        )
    assert total.op.inputs[0] is given
    assert total.op.inputs[1].op.name.startswith("import/_inputs/")
    assert run(Body(graph, (total,)), [np.float32(1.0)]) == [3.0]


def test_an_unused_replacement_is_none() -> None:
    graph, _ = imported(X, input_map={"x": 1.0}, name="all/")
    assert "all/x" in names(graph)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message(X), input_map={"x": tf.constant(1.0)}, name="")
    assert "x" in names(graph)


def test_defaults_are_filled_in() -> None:
    """Files leave out attributes that have their default values."""
    axis = (
        "node { name: 'i' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } "
        "attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } }"
    )
    total = f"node {{ name: 's' op: 'Sum' input: 'x' input: 'i' {T} }}"
    _, (operation,) = imported(X, axis, total, return_elements=["s"])
    assert operation.get_attr("keep_dims") is False
    assert operation.get_attr("Tidx") is tf.int32


def test_unknown_attributes_are_left_out() -> None:
    extra = ADD.replace(T, T + "attr { key: 'Z' value { i: 3 } }")
    _, (operation,) = imported(X, Y, extra, return_elements=["add"])
    assert "Z" not in operation.node_def.attr


def test_functions_are_called_in_place() -> None:
    library = """
      library { function {
        signature { name: 'double' input_arg { name: 'a' type: DT_FLOAT }
                    output_arg { name: 'b' type: DT_FLOAT } }
        node_def { name: 'sum' op: 'AddV2' input: 'a' input: 'a'
                   attr { key: 'T' value { type: DT_FLOAT } } }
        ret { key: 'b' value: 'sum:z:0' } } }
    """
    call = """
      node { name: 'call' op: 'PartitionedCall' input: 'x'
             attr { key: 'Tin' value { list { type: DT_FLOAT } } }
             attr { key: 'Tout' value { list { type: DT_FLOAT } } }
             attr { key: 'f' value { func { name: 'double' } } } }
      node { name: 'again' op: 'double' input: 'call' }
    """
    graph = FuncGraph("f")
    with graph.as_default():
        x = graph.argument(tf.float32, (), "given")
        (y,) = tf.import_graph_def(
            message(X, call, library), input_map={"x": x}, return_elements=["again:0"], name=""
        )
    assert [n.name for n in graph.nodes if n.type == "AddV2"] == ["call/sum", "again/sum"]
    assert run(Body(graph, (y,)), [np.float32(3.0)]) == [12.0]


# -- what is refused ---------------------------------------------------------------------------

REFUSED = {
    "unknown return node": ((X,), {"return_elements": ["z"]}, "return node 'z' not found"),
    "no such output": ((X,), {"return_elements": ["x:1"]}, r"output 1 of node 'x', which has 1"),
    "no number": ((X,), {"return_elements": ["x:a"]}, "with an integer index"),
    "not in the graph": ((X,), {"input_map": {"z": 1.0}}, r"not found in graph_def: \[z:0\]"),
    "another dtype": (
        (X, Y, ADD),
        {"input_map": {"x": np.int32(1)}},
        "Input 0 of node import/add was passed int32 from import/_inputs/.* expected float32",
    ),
    "not an output": ((X,), {"input_map": {"x:2": 1.0}}, r"not found in graph_def: \[x:2\]"),
    "no tensor for no name": (
        (X,),
        {"input_map": {"x": 1.0}, "name": ""},
        "needs a `name` scope",
    ),
    "no such tensor": ((X,), {"return_elements": ["z:0"]}, "return tensor 'z:0' not found"),
    "no such node": ((X,), {"return_elements": ["z"]}, "return node 'z' not found"),
    "a missing node": ((X, ADD), {}, "Node 'add': Unknown input node 'y'"),
    "a missing node with outputs": (
        (X, ADD.replace("'y'", "'y:1'")),
        {},
        "Node 'add': Unknown input node 'y:1'",
    ),
    "a missing node to wait for": (
        (X.replace("op:", "input: '^z' op:"),),
        {},
        r"Node 'x': Unknown input node '\^z'",
    ),
    "a missing node to be with": (
        (X.replace("op:", "attr { key: '_class' value { list { s: 'loc:@z' } } } op:"),),
        {},
        "Node 'x' expects to be colocated with unknown node 'z'",
    ),
    "an unknown format": ((X, "versions { producer: -1 }"), {}, "producer version -1 below"),
    "a missing output": (
        (X, Y, ADD.replace("'y'", "'y:1'")),
        {},
        "invalid output 1 of source node y which has 1 outputs",
    ),
    "a missing attribute": ((X, Y, ADD.replace(T, "")), {}, "NodeDef missing attr 'T' from Op<"),
    "an attribute of another type": (
        (X, Y, ADD.replace("type: DT_FLOAT", "i: 3")),
        {},
        "type 'int' when 'type' expected",
    ),
    "too few inputs": ((X, ADD.replace("input: 'y'", "")), {}, "do not match 1 inputs specified"),
    "two of one name": ((X, X), {}, "Node 'x' is not unique"),
    "a circle": (
        (
            f"node {{ name: 'a' op: 'Neg' input: 'b' {T} }}",
            f"node {{ name: 'b' op: 'Neg' input: 'a' {T} }}",
        ),
        {},
        "2 nodes in a cycle",
    ),
    "a bad name": ((X.replace("'x'", "'x y'"),), {}, "'x y': Node name contains invalid char"),
    "a bad prefix": ((X,), {"name": "a b"}, "'a b' is not a valid"),
    "a newer format": ((X, "versions { min_consumer: 9999 }"), {}, "min consumer version 9999"),
    "a function that is not there": (
        (
            "node { name: 'c' op: 'PartitionedCall' "
            "attr { key: 'f' value { func { name: 'g' } } } }",
        ),
        {},
        "'c' calls 'g', which is not in the graph's library",
    ),
    "other shapes": (
        (
            X.replace(FLOAT, FLOAT + "attr { key: 'shape' value { shape { dim { size: 2 } } } }"),
            Y.replace(FLOAT, FLOAT + "attr { key: 'shape' value { shape { dim { size: 3 } } } }"),
            ADD,
        ),
        {},
        "",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_value_error(case: str) -> None:
    parts, options, text = REFUSED[case]
    with pytest.raises(ValueError, match=text or "."):
        imported(*parts, **options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"input_map": 3}, "must be a dict"),
        ({"return_elements": [3]}, "must list names"),
    ],
)
def test_a_type_error(options: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        imported(X, **options)


def test_only_messages_and_only_into_graphs() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="must be a GraphDef message"):
        tf.import_graph_def(3)
    with pytest.raises(ValueError, match="needs a graph to import into"):
        tf.import_graph_def(message(X))


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        ("FooBar", "no op of TensorFlow 2.21"),
        ("Switch", "control flow of TensorFlow 1"),
        ("TextLineReaderV2", "TensorFlow has it, but Tapeflow does not"),
    ],
)
def test_unknown_ops(op: str, reason: str) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=f"not registered {op!r}.*{reason}"):
        imported(X, f"node {{ name: 'n' op: '{op}' input: 'x' }}")


# -- devices -----------------------------------------------------------------------------------


def on(name: str, device: str = "", near: str = "") -> str:
    """A node, on a device, or where another is."""
    place = f"attr {{ key: '_class' value {{ list {{ s: 'loc:@{near}' }} }} }}" if near else ""
    return f"node {{ name: '{name}' op: 'NoOp' device: '{device}' {place} }}"


def test_nodes_stay_on_their_devices() -> None:
    nodes = (on("a"), on("b", "/cpu:0"), on("c", "/job:worker"))
    graph, _ = imported(*nodes)
    assert [n.device for n in graph.get_operations()] == ["", "/device:CPU:0", "/job:worker"]
    with tf.Graph().as_default() as graph, tf.device("/job:ps"):
        tf.import_graph_def(message(*nodes))
    assert [node.device for node in graph.get_operations()] == [
        "/job:ps",
        "/job:ps/device:CPU:0",
        "/job:worker",
    ]


def test_nodes_are_where_others_are() -> None:
    nodes = (on("a", "/device:CPU:0"), on("b", "/device:GPU:0", near="a"), on("c", near="c"))
    graph, _ = imported(*nodes, name="one")
    a, b, c = graph.get_operations()
    assert (a.device, b.device, c.device) == ("/device:CPU:0", "/device:CPU:0", "")
    assert b.colocation_groups() == [b"loc:@one/a"]
    assert c.colocation_groups() == [b"loc:@one/c"]
    assert list(b.node_def.attr["_class"].list.s) == [b"loc:@one/a"]
    with graph.as_default():
        tf.import_graph_def(message(*nodes), name="")
        tf.import_graph_def(message(*nodes), name="")
    assert graph.get_operation_by_name("b_1").colocation_groups() == [b"loc:@a_1"]


def test_names_may_be_bytes() -> None:
    with tf.Graph().as_default():
        given = tf.constant(1.0)
        (node,) = tf.import_graph_def(
            message(Y, ADD), input_map={b"x:0": given}, return_elements=[b"add"]
        )
    assert node.inputs[0] is given  # of a node that is not there


# -- files -------------------------------------------------------------------------------------


def test_graphs_as_files(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="c")
    path = tf.io.write_graph(graph, tmp_path / "new", "graph.pbtxt")
    assert path == str(tmp_path / "new" / "graph.pbtxt")
    assert message(Path(path).read_text()) == graph.as_graph_def()
    assert "float_val: 1.0" in Path(path).read_text()
    path = tf.io.write_graph(graph.as_graph_def(), str(tmp_path), "graph.pb", as_text=False)
    read = tf.compat.v1.GraphDef.FromString(Path(path).read_bytes())
    assert read == graph.as_graph_def()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["graph.pb", "new"]
    with pytest.raises(TypeError, match="graphs and messages, not 3"):
        tf.io.write_graph(3, tmp_path, "graph.pb")
