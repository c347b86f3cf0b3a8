"""`tf.compat.v1`: graphs, sessions, variables and optimizers. Values are TensorFlow 2.21's."""

from __future__ import annotations

import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import protos

v1 = tf.compat.v1
_GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as built:
        yield built


# -- running -----------------------------------------------------------------------------------


def test_only_what_is_fetched_runs(graph: Any) -> None:
    with v1.Session() as session:
        v = tf.Variable(0.0)
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            v.assign_add(1.0)
            session.run(v + 1.0)
        assert session.run(v) == 0.0
        for i in range(3):
            update = v.assign_add(1.0)
            (waited,) = tf.tuple([tf.constant(1.0) + v], [tf.group(update)])
            session.run(waited)
            assert session.run(v) == i + 1.0


def test_structures(graph: Any) -> None:
    pair = namedtuple("pair", "first second")
    x = v1.placeholder(tf.float32, [None], name="x")
    y = x * 2
    with v1.Session() as session:
        feed = {x: [1.0, 2.0]}
        got = session.run({"a": [x, (y, "mul:0")], "b": pair(y, y.op)}, feed)
        assert got["a"][0].tolist() == [1.0, 2.0]
        assert got["a"][1][1].tolist() == [2.0, 4.0]
        assert got["b"].first.tolist() == [2.0, 4.0] and got["b"].second is None
        assert session.run([], feed) == []
        assert session.run("x:0", {"x:0": np.arange(3)}).dtype == np.float32


def test_values_are_numpys(graph: Any) -> None:
    with v1.Session() as session:
        assert isinstance(session.run(tf.constant(1.5)), np.float32)
        assert session.run(tf.constant("abc")) == b"abc"
        assert session.run(tf.constant(["a"])).tolist() == [b"a"]
        c = tf.constant([1, 2])
        first = session.run(c)
        first[0] = 7
        assert session.run(c).tolist() == [1, 2]


def test_composites(graph: Any) -> None:
    sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
    ragged = tf.RaggedTensor.from_row_lengths(tf.range(3), [1, 2])
    asked = v1.sparse_placeholder(tf.float32, [2, 2])
    with v1.Session() as session:
        value = session.run(sparse)
        assert isinstance(value, v1.SparseTensorValue)
        assert value.indices.tolist() == [[0, 0], [1, 1]]
        assert session.run(ragged).to_list() == [[0], [1, 2]]
        for fed in (([[0, 1]], [5.0], [2, 2]), v1.SparseTensorValue([[0, 1]], [5.0], [2, 2])):
            assert session.run(tf.sparse.to_dense(asked), {asked: fed}).tolist() == [[0, 5], [0, 0]]


def test_any_tensor_can_be_fed(graph: Any) -> None:
    start = tf.constant(0)
    end = tf.while_loop(lambda i: i < 10, lambda i: (i + 3,), [start])[0]
    sizes = tf.constant([2, 3])
    filled = tf.zeros(sizes)
    with v1.Session() as session:
        assert session.run(end) == 12
        assert session.run(end, {start: 5}) == 11
        assert session.run(filled, {sizes: [1, 1]}).shape == (1, 1)


def test_placeholder_with_default(graph: Any) -> None:
    d = v1.placeholder_with_default([1.0, 2.0], [None])
    doubled = d * 2
    assert doubled.shape.as_list() == [None]
    with v1.Session() as session:
        assert session.run(doubled).tolist() == [2.0, 4.0]
        assert session.run(doubled, {d: [5.0]}).tolist() == [10.0]
        call = session.make_callable(doubled, [d])
        assert call([1.0, 1.0, 1.0]).tolist() == [2.0, 2.0, 2.0]


def test_callables_of_options_connect_tensors(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [], name="x")
    y = v1.placeholder(tf.float32, [], name="y")
    count = v1.get_variable("count", initializer=0.0, use_resource=True)
    source = v1.assign_add(count, 1.0) * 10.0
    total = tf.add(x + y, source, name="total")
    options = protos.CallableOptions()
    options.feed.append(x.name)
    options.fetch.append(total.name)
    options.target.append(total.op.name)
    connection = options.tensor_connection.add()
    connection.from_tensor, connection.to_tensor = source.name, y.name
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        call = session._make_callable_from_options(options)
        assert call(np.float32(1.0)) == [21.0]
        # The source is computed once per call.
        assert call(np.float32(2.0), run_metadata=None) == [42.0]


def test_branches_functions_and_random_numbers(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [])
    either = tf.cond(x > 3.0, lambda: x * 2, lambda: -x)
    square = tf.function(lambda t: t * t)
    noise = tf.random.uniform([3], seed=1)
    with v1.Session() as session:
        assert session.run([either, square(x)], {x: 4.0}) == [8.0, 16.0]
        assert session.run(either, {x: 1.0}) == -1.0
        first, second = session.run(noise), session.run(noise)
        assert first.tolist() != second.tolist()
        assert session.run([noise, noise * 1])[0].shape == (3,)


def test_hot_programs_agree(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 64])
    v = tf.Variable(tf.ones([64, 64]))
    step = v.assign_sub(tf.matmul(x, x, transpose_a=True) * 1e-4)
    with v1.Session() as session:
        session.run(v.initializer)
        expected = np.ones((64, 64), np.float32)
        data = np.linspace(-1, 1, 640, dtype=np.float32).reshape(10, 64)
        for _ in range(30):
            session.run(step, {x: data})
            expected -= data.T @ data * np.float32(1e-4)
        np.testing.assert_allclose(session.run(v), expected, rtol=1e-4)


def test_printing_is_an_operation(graph: Any, capfd: Any) -> None:
    t = tf.range(3)
    written = tf.print("values:", t, output_stream=sys.stdout)
    with tf.control_dependencies([written]):
        tripled = t * 3
    with v1.Session() as session:
        session.run(t)
        assert capfd.readouterr().out == ""
        assert session.run(tripled).tolist() == [0, 3, 6]
    assert capfd.readouterr().out == "values: [0 1 2]\n"


def test_print(graph: Any, capfd: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 2])
    shown = v1.Print(x * 2, [x, tf.shape(x)], message="x is ", first_n=1, summarize=2)
    (slope,) = v1.gradients(shown, x)
    with v1.Session() as session:
        assert session.run(shown, {x: [[1, 2], [3, 4]]}).tolist() == [[2, 4], [6, 8]]
        session.run(shown, {x: [[1, 2]]})
        assert session.run(slope, {x: [[1, 2]]}).tolist() == [[2, 2]]
    assert capfd.readouterr().err == "x is [[1 2]...][2 2]\n"


# -- what is refused ---------------------------------------------------------------------------


def test_wrong_fetches_and_feeds(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    with tf.Graph().as_default():
        elsewhere = tf.constant(1.0)
    with v1.Session() as session:
        for wrong, kind, message in [
            (lambda: session.run(None), TypeError, "Cannot be None"),
            (lambda: session.run(5), TypeError, "expected a tensor, an"),
            (lambda: session.run("zz:0"), ValueError, "cannot be interpreted as a Tensor"),
            (lambda: session.run(elsewhere), ValueError, "belongs to another graph"),
            (lambda: session.run(x), tf.errors.InvalidArgumentError, "You must feed a value"),
            (lambda: session.run(x, {"zz:0": 1}), TypeError, "Cannot interpret feed_dict key"),
            (lambda: session.run(x, {x: [1.0]}), ValueError, "Cannot feed shape"),
            (lambda: session.run(x, {x: x}), TypeError, "is the tensor"),
            (lambda: session.run(x, 3), TypeError, "feed_dict"),
            (
                lambda: session.run(x, options=v1.RunOptions(trace_level=3)),
                tf.errors.UnimplementedError,
                "options",
            ),
        ]:
            with pytest.raises(kind, match=message):
                wrong()
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(x)
    with pytest.raises(RuntimeError, match="session is empty"):
        v1.Session(graph=tf.Graph()).run([])
    with pytest.raises(tf.errors.UnimplementedError, match="target"):
        v1.Session("grpc://somewhere")
    with pytest.raises(TypeError, match=r"must be a tf\.Graph"):
        v1.Session(graph=3)


def test_errors_of_operations_name_the_line(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [None])
    checked = tf.debugging.check_numerics(x, "bad")
    with v1.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        session.run(checked, {x: [np.nan]})


def test_eagerly_there_are_no_placeholders() -> None:
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        v1.placeholder(tf.float32)


# -- variables ---------------------------------------------------------------------------------


def test_a_variable_has_a_value_in_each_session(graph: Any) -> None:
    v = tf.Variable([1, 2], name="v")
    again = tf.Variable(lambda: tf.zeros([2]), name="v")
    assert (v.name, again.name, v.op.type, v.graph) == ("v:0", "v_1:0", "VarHandleOp", graph)
    assert (v.initializer.name, v.initial_value.name) == (
        "v/Assign",
        "v/Initializer/initial_value:0",
    )
    assert repr(v) == "<tf.Variable 'v:0' shape=(2,) dtype=int32>"
    one, other = v1.Session(), v1.Session()
    with pytest.raises(tf.errors.FailedPreconditionError, match="not been initialized"):
        one.run(v)
    one.run(v.initializer)
    assert one.run(v.assign([3, 4])).tolist() == [3, 4]
    assert one.run(v).tolist() == v.eval(one).tolist() == [3, 4]
    assert one.run(v.is_initialized()) and not other.run(v.is_initialized())
    with pytest.raises(tf.errors.FailedPreconditionError):
        other.run(v)
    with pytest.raises(NotImplementedError, match="numpy"):
        v.numpy()


def test_variables_changed_in_branches_and_loops(graph: Any) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    chosen = v1.placeholder(tf.bool, [])
    either = tf.cond(chosen, lambda: tf.identity(v.assign_add([1.0, 1.0])), lambda: tf.identity(v))

    def step(i: Any) -> Any:
        with tf.control_dependencies([v.assign_sub([1.0, 0.0])]):
            return (i + 1,)

    looped = tf.while_loop(lambda i: i < 3, step, [tf.constant(0)])[0]
    with tf.control_dependencies([v.assign([5.0, 5.0])]):
        after = v.read_value()
    with v1.Session() as session:
        session.run(v.initializer)
        assert session.run(either, {chosen: True}).tolist() == [2.0, 3.0]
        assert session.run(either, {chosen: False}).tolist() == [2.0, 3.0]
        assert session.run(looped) == 3
        assert session.run(v).tolist() == [-1.0, 3.0]
        assert session.run(after).tolist() == [5.0, 5.0]


def test_sparse_gradients(graph: Any) -> None:
    table = tf.Variable(tf.reshape(tf.range(6.0), [3, 2]))
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [2, 0, 2]) ** 2)
    (slices,) = tf.gradients(loss, table)
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    with v1.Session() as session:
        session.run(table.initializer)
        value = session.run(slices)
        assert value.indices.tolist() == [2, 0, 2]
        assert value.values.tolist() == [[8, 10], [0, 2], [8, 10]]
        assert value.dense_shape.tolist() == [3, 2]
        session.run(train)
        np.testing.assert_allclose(session.run(table), [[0, 0.8], [2, 3], [2.4, 3]], rtol=1e-6)


def test_handles_are_nodes_of_the_message(graph: Any) -> None:
    v = tf.Variable(1.0, name="v")
    written = graph.as_graph_def()
    assert {node.op for node in written.node} >= {"VarHandleOp", "AssignVariableOp"}
    small = v1.graph_util.extract_sub_graph(written, ["v/Read/ReadVariableOp"])
    assert [node.name for node in small.node] == ["v", "v/Read/ReadVariableOp"]
    assert v.initial_value.eval(session=v1.Session()) == 1.0


def test_a_scope_first_used_while_tracing_is_one_of_resources_eagerly() -> None:
    code = (
        "import tapeflow as tf; v1 = tf.compat.v1\n"
        "@tf.function\n"
        "def f():\n"
        "    v1.get_variable_scope(); return tf.constant(1)\n"
        "f()\n"
        "with v1.variable_scope('eager') as scope: assert scope.use_resource is True\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_variable_scopes_say_whether_variables_are_resources() -> None:
    with v1.variable_scope("eager") as scope:
        assert scope.use_resource is True
        with pytest.raises(ValueError, match="use_resource=True"):
            scope.set_use_resource(False)
    with tf.Graph().as_default():
        assert v1.get_variable_scope().use_resource is None
        with v1.variable_scope("a", use_resource=True), v1.variable_scope("b") as inner:
            assert inner.use_resource is True
        with v1.variable_scope("c", use_resource=False) as scope:
            assert scope.use_resource is False


def test_variables_are_keys_in_graphs_of_sessions_alone() -> None:
    outside = tf.Variable(1.0)
    with tf.Graph().as_default():
        v, w = tf.Variable(1.0), tf.Variable(1.0)
        assert {v: 1, w: 2, outside: 3}[w] == 2
        assert v == v and v != w and v != tf.constant(1.0) and (v == w) is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(outside)
    assert (outside == 1.0).numpy()


def test_variable_scopes(graph: Any) -> None:
    with v1.variable_scope("layer") as scope:
        w = v1.get_variable("w", [2, 1], initializer=v1.ones_initializer())
        assert (w.name, scope.name) == ("layer/w:0", "layer")
        assert tf.constant(1, name="c").name == "layer/c:0"
    with v1.variable_scope("layer", reuse=True):
        assert v1.get_variable("w", [2, 1]) is w
        with pytest.raises(ValueError, match="does not exist"):
            v1.get_variable("missing", [1])
        with pytest.raises(ValueError, match="cannot be shared"):
            v1.get_variable("w", [3, 1])
    with pytest.raises(ValueError, match="already exists"):
        v1.get_variable("layer/w", [2, 1])
    with v1.variable_scope("auto", reuse=v1.AUTO_REUSE):
        a = v1.get_variable("a", initializer=3.0)
        assert v1.get_variable("a", initializer=3.0) is a
    with v1.variable_scope(None, "block") as first, v1.variable_scope("inner") as inner:
        assert (first.name, inner.name) == ("block", "block/inner")
    with v1.variable_scope(None, "block") as second:
        assert second.name == "block_1"
    with pytest.raises(ValueError, match="fully defined"):
        v1.get_variable("open", [None])
    default = v1.get_variable("default", [100, 100])
    assert [v.name for v in v1.trainable_variables("layer")] == ["layer/w:0"]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert np.abs(session.run(default)).max() <= np.sqrt(6 / 200)


def test_collections(graph: Any) -> None:
    keys = v1.GraphKeys
    local = v1.Variable(1.0, trainable=False, collections=[keys.LOCAL_VARIABLES], name="local")
    v1.add_to_collection("mine", 3)
    v1.add_to_collections(["mine", "yours"], 4)
    assert v1.get_collection("mine") == [3, 4]
    assert v1.get_collection_ref("yours") == [4]
    assert v1.local_variables() == [local]
    assert v1.global_variables() == [] and v1.trainable_variables() == []
    assert sorted(graph.get_all_collection_keys())[-2:] == ["variables", "yours"]
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        assert session.run(v1.assign_add(local, 2.0)) == 3.0


def test_frozen_graphs(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    w, table = tf.Variable([[1.0], [2.0]], name="w"), tf.Variable([3.0, 4.0], name="table")
    y = tf.add(tf.matmul(x, w), tf.nn.embedding_lookup(table, [1]), name="y")
    with v1.Session() as session:
        freeze = v1.graph_util.convert_variables_to_constants
        with pytest.raises(tf.errors.FailedPreconditionError):
            freeze(session, graph.as_graph_def(), ["y"])
        session.run(v1.global_variables_initializer())
        frozen = freeze(session, graph.as_graph_def(), ["y"])
        with pytest.raises(ValueError, match="cannot become a constant"):
            freeze(session, graph.as_graph_def(), ["w/Assign"])
        assert y.shape.as_list() == [None, 1]
    assert not {"VarHandleOp", "ReadVariableOp"} & {node.op for node in frozen.node}
    with tf.Graph().as_default(), v1.Session() as session:
        got = tf.import_graph_def(frozen, return_elements=["x:0", "y:0"])
        assert session.run(got[1], {got[0]: [[1.0, 1.0]]}).tolist() == [[7.0]]


# -- optimizers --------------------------------------------------------------------------------

_X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
_Y = np.array([[1], [2], [4]], np.float32)


@pytest.mark.parametrize(
    ("make", "loss", "weights"),
    [
        (
            lambda t: t.GradientDescentOptimizer(0.01),
            0.057882082,
            [0.4470799, 0.2973056, -0.1497742],
        ),
        (lambda t: t.AdamOptimizer(0.1), 0.96423697, [0.5199567, 0.5200655, -0.4795262]),
        (
            lambda t: t.MomentumOptimizer(0.001, 0.9, use_nesterov=True),
            1.0155898,
            [0.5495376, 0.4281561, -0.1213816],
        ),
        (
            lambda t: t.RMSPropOptimizer(0.01, centered=True),
            16.69577,
            [0.8822482, 0.8821545, -0.1142716],
        ),
        (lambda t: t.AdagradOptimizer(0.1), 6.9721069, [0.7145801, 0.7147092, -0.2846969]),
    ],
)
def test_optimizers(graph: Any, make: Any, loss: float, weights: list[float]) -> None:
    x, y = v1.placeholder(tf.float32, [None, 2]), v1.placeholder(tf.float32, [None, 1])
    w = v1.get_variable("w", [2, 1], initializer=v1.ones_initializer())
    b = v1.get_variable("b", [1], initializer=v1.zeros_initializer())
    error = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    step = v1.train.get_or_create_global_step()
    train = make(v1.train).minimize(error, global_step=step)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for _ in range(5):
            session.run([train, error], {x: _X, y: _Y})
        assert session.run(step) == 5
        assert session.run(error, {x: _X, y: _Y}) == pytest.approx(loss, rel=1e-4)
        assert [*session.run(w).ravel(), *session.run(b)] == pytest.approx(weights, rel=1e-4)


def test_a_graph_that_tensorflow_wrote_is_trained(graph: Any) -> None:
    # `y = x @ w + embedding_lookup(table, [1])`, its sum as `loss`, and a step of Adam as `train`.
    message = v1.GraphDef.FromString((_GOLDEN / "training_graph.pb").read_bytes())
    tf.import_graph_def(message, name="")
    with v1.Session() as session:
        session.run("init")
        assert session.run("y:0", {"x:0": [[1.0, 1.0]]}).tolist() == [[7.0]]
        session.run("train", {"x:0": [[1.0, 1.0]]})
        assert session.run("y:0", {"x:0": [[1.0, 1.0]]}) == pytest.approx(6.7, rel=1e-6)
        assert session.run("loss:0", {"x:0": [[2.0, 1.0]]}) == pytest.approx(7.6, rel=1e-6)


# -- the default graph -------------------------------------------------------------------------


def test_names_and_scopes(graph: Any) -> None:
    assert v1.get_default_graph() is graph
    with v1.name_scope("outer") as scope:
        assert (scope, graph.get_name_scope()) == ("outer/", "outer")
    with v1.name_scope(None, "default") as scope:
        assert scope == "default/"
    with tf.init_scope():
        assert not tf.executing_eagerly()
        assert v1.get_default_graph() is graph
    assert not v1.executing_eagerly_outside_functions()


def test_tensors_are_keys(graph: Any) -> None:
    x, y = tf.constant(1), tf.constant(1)
    assert (x == y, x == x, x != y, len({x, y})) == (False, True, True, 2)


def test_interactive_sessions(graph: Any) -> None:
    t = tf.constant(2.0)
    session = v1.InteractiveSession()
    assert t.eval() == 2.0
    assert v1.get_default_session() is session
    session.close()
    assert v1.get_default_session() is None
    with pytest.raises(ValueError, match="without a session: call"):
        t.eval()


def test_outside_of_graphs() -> None:
    assert v1.executing_eagerly_outside_functions()
    inside = tf.function(lambda: v1.executing_eagerly_outside_functions())
    assert inside()
    with pytest.raises(TypeError, match="expects a Python or NumPy value"):
        tf.function(tf.constant)(tf.ones([]))


def test_programs_of_graphs() -> None:
    program = (
        "import tapeflow as tf\n"
        "v1 = tf.compat.v1\n"
        "v1.disable_v2_behavior()\n"
        "assert not tf.executing_eagerly()\n"
        "x = v1.placeholder(tf.float32, name='x')\n"
        "assert x.graph is v1.get_default_graph()\n"
        "v = tf.Variable(2.0)\n"
        "y = x * v\n"
        "with v1.Session() as session:\n"
        "    session.run(v1.global_variables_initializer())\n"
        "    print(session.run(y, {x: 3.0}))\n"
        "try:\n"
        "    v1.enable_eager_execution()\n"
        "except ValueError as error:\n"
        "    print(error)\n"
        "v1.reset_default_graph()\n"
        "assert not v1.get_default_graph().get_operations()\n"
        "v1.enable_v2_behavior()\n"
        "print(tf.constant(1.0).numpy())\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "6.0",
        "enable_eager_execution must come first in a program: the default graph has operations "
        "already.",
        "1.0",
    ]


def test_what_is_fed_is_waited_for_no_more() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        gate = v1.placeholder(tf.bool)
        with tf.control_dependencies([gate]):
            one = tf.constant(1.0) + 0.0
        assert session.run(one, {gate: False}) == 1.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value"):
            session.run(one)


def test_constants_that_functions_and_gradients_give_are_fetched() -> None:
    one = tf.function(lambda: tf.constant(1.0))
    following = tf.function(lambda x: x + 1.0)
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant(2.0)
        (slope,) = tf.gradients(following(x), x)
        assert session.run([one(), following(x), slope]) == [1.0, 3.0, 1.0]
        assert session.run(tf.gradients(x, x)) == [1.0]


def test_feature_columns_and_keras_are_those_of_the_root() -> None:
    assert v1.feature_column is tf.feature_column
    assert v1.keras.layers is tf.keras.layers
    assert v1.keras.utils.to_categorical is tf.keras.utils.to_categorical
    assert {*dir(tf.keras)} <= {*dir(v1.keras)}


def test_the_global_step_outside_of_graphs_is_one_variable() -> None:
    v1.reset_default_graph()
    step = v1.train.get_or_create_global_step()
    assert step.assign_add(1).numpy() == 1
    assert v1.train.get_or_create_global_step() is step
    following = tf.function(lambda: v1.train.get_or_create_global_step() + 1)
    assert following().numpy() == 2
    with tf.Graph().as_default(), v1.Session() as session:
        inside = v1.train.get_or_create_global_step()
        assert inside is not step
        session.run(inside.initializer)
        assert session.run(inside) == 0
    v1.reset_default_graph()


def test_variable_scopes_outside_of_graphs_name_alike() -> None:
    names = []
    for _ in range(2):
        with v1.variable_scope("outer"), v1.variable_scope("inner"):
            names.append(tf.Variable(1.0, name="v").name)
    assert names == ["outer/inner/v:0"] * 2


def test_variable_lifting_is_accepted() -> None:
    assert v1.Variable(1.0, experimental_enable_variable_lifting=False).numpy() == 1.0
