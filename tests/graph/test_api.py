"""`tf.Graph`, `tf.Operation` and symbolic tensors, in the corners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.graph.helpers import concrete


@pytest.fixture
def graph() -> tf.Graph:
    made = tf.Graph()
    with made.as_default():
        tf.add(tf.constant(1.0, name="a"), 2.0, name="b")
    return made


def test_what_a_tensor_says_of_itself(graph: tf.Graph) -> None:
    b = graph.get_tensor_by_name("b:0")
    assert repr(b) == "<tf.Tensor 'b:0' shape=() dtype=float32>"
    assert str(b) == 'Tensor("b:0", shape=(), dtype=float32)'
    assert (b.name, b.value_index, b.dtype, b.ndim, b.device) == ("b:0", 0, tf.float32, 0, "")
    assert b.graph is graph
    assert b.get_shape() == b.shape == ()
    assert [op.name for op in graph.get_tensor_by_name("a:0").consumers()] == ["b"]


def test_what_an_operation_says_of_itself(graph: tf.Graph) -> None:
    b = graph.get_operation_by_name("b")
    assert repr(b) == "<tf.Operation 'b' type=AddV2>"
    assert [t.name for t in b.inputs] == ["a:0", "b/y:0"]
    assert [t.name for t in b.outputs] == ["b:0"]
    assert b.values()[0].op is b
    assert (b.type, b.device, b.control_inputs) == ("AddV2", "", [])
    assert b.node_def.op == "AddV2" and list(b.node_def.input) == ["a", "b/y"]
    assert graph.get_operation_by_name("a").get_attr("dtype") is tf.float32
    with pytest.raises(ValueError, match="Operation 'b' has no attr named 'zz'"):
        b.get_attr("zz")
    with pytest.raises(ValueError, match="without a session: call"):
        b.run()
    [(file, line, function, code)] = b.traceback
    assert file == __file__ and function == "graph" and "tf.add" in code and line


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("b", ValueError, "no tensor name: expected"),
        ("zz:0", KeyError, "does not exist"),
        ("b:5", KeyError, "does not exist"),
        (3, TypeError, "must be a string, received"),
    ],
)
def test_missing_tensors(graph: tf.Graph, name: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        graph.get_tensor_by_name(name)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("b:0", ValueError, "is the name of a Tensor"),
        ("zz", KeyError, "not found in the graph"),
        (3, TypeError, "operation name must be a string"),
    ],
)
def test_missing_operations(
    graph: tf.Graph, name: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        graph.get_operation_by_name(name)


def test_graph_elements(graph: tf.Graph) -> None:
    b = graph.get_operation_by_name("b")
    assert graph.as_graph_element("b") is graph.as_graph_element(b) is b
    assert graph.as_graph_element("b:0") is b.outputs[0]
    with pytest.raises(TypeError, match="Can not convert a int into a Tensor or Operation"):
        graph.as_graph_element(3)
    with pytest.raises(ValueError):
        graph.as_graph_element("b:0", allow_tensor=False)
    with pytest.raises(ValueError, match="not an element of this"):
        tf.Graph().as_graph_element(b.outputs[0])


def test_a_finalized_graph_does_not_change(graph: tf.Graph) -> None:
    assert not graph.finalized and not graph.building_function and graph.version == 3
    graph.finalize()
    with graph.as_default(), pytest.raises(RuntimeError, match="is finalized: no operations"):
        tf.constant(2.0)


def test_collections(graph: tf.Graph) -> None:
    graph.add_to_collection("k", 1)
    assert graph.get_collection("k") == [1]
    assert graph.get_collection("none") == []


def test_graphs_nest() -> None:
    inner = tf.Graph()
    with tf.Graph().as_default() as outer:
        a = tf.constant(1.0)
        with inner.as_default():
            b = tf.constant(2.0)
        c = tf.constant(3.0)
    assert [t.graph for t in (a, b, c)] == [outer, inner, outer]
    assert tf.executing_eagerly()


# -- tensors have no value ----------------------------------------------------------------------

REFUSED: dict[str, tuple[Any, type[Exception]]] = {
    "bool": (lambda x: bool(x), tf.errors.OperatorNotAllowedInGraphError),
    "if": (lambda x: 1 if x else 2, tf.errors.OperatorNotAllowedInGraphError),
    "for": (lambda x: list(x), tf.errors.OperatorNotAllowedInGraphError),
    "index": (lambda x: [1, 2][x], TypeError),
    "range": (lambda x: range(x), TypeError),
    "int": (lambda x: int(x), TypeError),
    "float": (lambda x: float(x), TypeError),
    "complex": (lambda x: complex(x), TypeError),
    "len": (lambda x: len(x), TypeError),
    "hash": (lambda x: hash(x), TypeError),
    "numpy": (lambda x: x.numpy(), AttributeError),
    "array": (lambda x: np.sin(x), NotImplementedError),
    "eval": (lambda x: x.eval(), ValueError),
    "unknown": (lambda x: x.nothing, AttributeError),
}


@pytest.mark.parametrize("case", REFUSED)
def test_values_that_a_symbolic_tensor_has_not(case: str) -> None:
    function, error = REFUSED[case]
    with pytest.raises(error):
        concrete(function, [2])


def test_operator_errors_are_type_errors() -> None:
    assert issubclass(tf.errors.OperatorNotAllowedInGraphError, TypeError)


# -- scope --------------------------------------------------------------------------------------


def test_tensors_do_not_leave_their_graph(graph: tf.Graph) -> None:
    b = graph.get_tensor_by_name("b:0")
    for use in (lambda: b + 1.0, lambda: tf.constant(1.0) * b, lambda: tf.exp(b)):
        with pytest.raises(TypeError, match="is out of scope"):
            use()
    with pytest.raises(TypeError, match="is out of scope"):
        concrete(lambda x: x + b, [])


def test_a_tensor_that_leaked_from_a_function_names_it() -> None:
    leaked = []

    def leaky(x: Any) -> Any:
        leaked.append(x * 2.0)
        return x

    concrete(leaky, [])
    with pytest.raises(TypeError, match=r"out of scope.*'leaky'"):
        tf.exp(leaked[0])
    with pytest.raises(TypeError, match="out of scope"):
        concrete(lambda x: x + leaked[0], [])


# -- control dependencies -----------------------------------------------------------------------


def test_control_dependencies() -> None:
    with tf.Graph().as_default() as graph:
        a, b = tf.constant(1.0), tf.constant(2.0)
        with graph.control_dependencies([a]):
            c = tf.identity(b)
            with graph.control_dependencies([b.op]):
                d = tf.identity(b)
            with graph.control_dependencies(None):
                e = tf.identity(b)
    assert c.op.control_inputs == [a.op]
    assert set(d.op.control_inputs) == {a.op, b.op}
    assert e.op.control_inputs == []


def test_operations_wait_for_what_names_an_element_or_stands_for_one() -> None:
    class Standing:
        def __init__(self, element: Any) -> None:
            self._as_graph_element = lambda: element

    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0, name="a")
        variable = tf.Variable(1.0)
        for item in ("a", "a:0", a, a.op, Standing(a)):
            with graph.control_dependencies([item]):
                assert tf.constant(2.0).op.control_inputs == [a.op]
        with graph.control_dependencies([variable]):
            assert tf.constant(2.0).op.control_inputs == [variable.op]


@pytest.mark.parametrize(
    ("item", "error", "message"),
    [
        (1, TypeError, "Can not convert a int into a Tensor or Operation"),
        (None, TypeError, "Can not convert a NoneType into a Tensor or Operation"),
        (print, TypeError, "into a Tensor or Operation"),
        ("nobody", KeyError, "'nobody' not found in the graph"),
    ],
)
def test_what_cannot_be_waited_for(item: Any, error: type[Exception], message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=message):  # noqa: SIM117
        with tf.control_dependencies([item]):
            raise AssertionError


def test_operations_of_other_graphs_are_not_waited_for() -> None:
    with tf.Graph().as_default():
        a = tf.constant(1.0)
    with tf.Graph().as_default() as graph, pytest.raises(ValueError, match="not an element"):
        graph.control_dependencies([a]).__enter__()


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: tf.function(f)()])
def test_callables_are_called_where_there_is_no_graph_to_build(run: Any) -> None:
    calls = []

    def program() -> Any:
        with tf.control_dependencies([lambda: calls.append(1), tf.constant(1.0)]):
            return tf.constant(2.0)

    assert float(run(program)) == 2.0
    assert calls == [1]


def test_elements_of_a_graph() -> None:
    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0, name="a")
        variable = tf.Variable(1.0)
        assert graph.as_graph_element(variable).op.type == "ReadVariableOp"
        assert graph.as_graph_element(variable.assign(2.0)).op.type == "ReadVariableOp"
    refused = [
        (a, {"allow_tensor": False}, TypeError, "SymbolicTensor into a Operation"),
        (a.op, {"allow_operation": False}, TypeError, "Operation into a Tensor"),
        ("a", {"allow_operation": False}, ValueError, "no tensor name: expected"),
        ("a:0", {"allow_tensor": False}, ValueError, "name of a Tensor, not of an Operation"),
        (tf.Variable(1.0), {}, TypeError, "Can not convert a Variable"),
    ]
    for element, options, error, message in refused:
        with pytest.raises(error, match=message):
            graph.as_graph_element(element, **options)


SCOPES = {
    "foo:0": "not a valid root scope name",
    "_bar": "not a valid root scope name",
    "a b/": "not a valid root scope name",
    "out/a b": "not a valid scope name",
    "out/c:0": "not a valid scope name",
}


@pytest.mark.parametrize("opens", [tf.name_scope, tf.Graph.name_scope], ids=["tf", "graph"])
@pytest.mark.parametrize("name", SCOPES)
def test_scopes_that_no_operation_could_be_in(name: str, opens: Any) -> None:
    graph = tf.Graph()
    open_scope = opens if opens is tf.name_scope else lambda text: opens(graph, text)
    outer, _, inner = name.rstrip("/").rpartition("/")
    with graph.as_default(), open_scope(outer), pytest.raises(ValueError, match=SCOPES[name]):
        open_scope(inner + "/" * name.endswith("/")).__enter__()
    with graph.as_default(), open_scope("in"), open_scope("_bar") as scope:
        assert scope == "in/_bar/"
    with tf.name_scope(name) as scope:
        assert scope.startswith(name)


@pytest.mark.parametrize("opens", [tf.device, tf.Graph.device], ids=["tf", "graph"])
def test_device_scopes_are_left_in_the_order_they_were_entered(opens: Any) -> None:
    with tf.Graph().as_default() as graph:
        open_scope = opens if opens is tf.device else lambda name: opens(graph, name)
        outer, inner = open_scope("/cpu:0"), open_scope("/cpu:1")
        outer.__enter__()
        inner.__enter__()
        with pytest.raises(RuntimeError, match="must be left in"):
            outer.__exit__(None, None, None)
        inner.__exit__(None, None, None)
        assert tf.constant(1.0).device == "/device:CPU:0"
    with tf.Graph().as_default():
        assert tf.constant(1.0).device == ""


def test_the_device_of_a_graph_is_its_own() -> None:
    graph, other = tf.Graph(), tf.Graph()
    with graph.device("/job:a"), graph.device("/cpu:1"):
        assert graph.create_op("NoOp", []).device == "/job:a/device:CPU:1"
        assert other.create_op("NoOp", []).device == ""
        with graph.as_default():
            assert tf.constant(1.0).device == "/job:a/device:CPU:1"
        with other.as_default():
            assert tf.constant(1.0).device == ""
        with graph.device(None):
            assert graph.create_op("NoOp", []).device == ""
    with tf.device("/cpu:0"):
        assert graph.create_op("NoOp", []).device == ""


def test_functions_that_choose_devices() -> None:
    with tf.Graph().as_default(), tf.compat.v1.device(lambda node: f"/job:{node.type}"):
        assert tf.constant(1.0).device == "/job:Const"
    with pytest.raises(RuntimeError, match="works in graphs only"):
        tf.compat.v1.device(lambda node: "/cpu:0")


def test_init_scope_leaves_the_graph() -> None:
    def function(x: Any) -> Any:
        assert not tf.executing_eagerly() and tf.inside_function()
        with tf.init_scope():
            assert tf.executing_eagerly()
            value = tf.constant(2.0) * 3.0
            assert value.numpy() == 6.0
        return x * value

    assert concrete(function, [])(tf.constant(2.0)).numpy() == 12.0
