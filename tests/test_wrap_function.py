"""`tf.compat.v1.wrap_function`: the code of graphs as functions, and parts of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

wrap_function = tf.compat.v1.wrap_function
FLOAT = tf.TensorSpec([], tf.float32)


def counter(x: Any, add: bool) -> Any:
    variable = tf.Variable(5.0)
    changed = variable.assign_add(x) if add else variable.assign_sub(x)
    with tf.control_dependencies([changed]):
        return variable.read_value()


def test_variables_are_made_once_for_each_function() -> None:
    up, down = wrap_function(counter, [FLOAT, True]), wrap_function(counter, [FLOAT, False])
    assert [float(up(1.0)), float(up(2.0))] == [6.0, 8.0]
    assert [float(down(1.0)), float(down(1.0))] == [4.0, 3.0]
    assert len(up.variables) == len(down.variables) == 1


@pytest.mark.parametrize("traced", [False, True])
def test_arguments_and_results(traced: bool) -> None:
    wrapped = wrap_function(
        lambda x, y: {"a": x * 2.0, "b": [y]}, [tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)]
    )
    assert [t.name for t in wrapped.inputs] == ["x:0", "y:0"]
    call = tf.function(lambda x, y: wrapped(x, y)) if traced else wrapped
    result = call(tf.constant([1.0, 2.0]), tf.constant(3))
    np.testing.assert_array_equal(result["a"], [2.0, 4.0])
    assert int(result["b"][0]) == 3


def test_what_no_result_needs_is_not_done() -> None:
    variable = tf.Variable(0)

    def function(x: Any) -> Any:
        variable.assign_add(1, name="increment", read_value=False)
        return x

    wrapped = wrap_function(function, [tf.TensorSpec([], tf.int32)])
    assert int(wrapped(7)) == 7
    assert int(variable) == 0
    increment = wrapped.graph.get_operation_by_name("increment")
    pruned = wrapped.prune((), (increment,))
    assert pruned() == (None,)
    assert int(variable) == 1
    assert wrapped.prune([], {"n": increment})() == {"n": None}
    assert int(variable) == 2


def frozen() -> Any:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="in/x")
        doubled = tf.multiply(x, 2.0, name="doubled")
        shift = tf.compat.v1.placeholder(tf.float32, [], name="shift")
        tf.add(doubled, shift, name="sum")
    return graph.as_graph_def()


def imported() -> Any:
    message = frozen()
    return wrap_function(lambda: tf.compat.v1.import_graph_def(message, name=""), [])


def test_the_graph_of_a_file_becomes_functions() -> None:
    whole = imported()
    assert whole() is None
    element = whole.graph.as_graph_element
    pruned = whole.prune(element("in/x:0"), [element("doubled:0")])
    assert [t.name for t in pruned.inputs] == ["in/x:0"]
    for (result,) in (
        pruned(tf.constant([1.0, 2.0])),
        pruned(in_x=tf.constant([1.0, 2.0])),
        tf.function(lambda x: pruned(x), jit_compile=True)(tf.constant([1.0, 2.0])),
    ):
        np.testing.assert_array_equal(result, [2.0, 4.0])
    total = whole.prune(["in/x:0", "shift:0"], {"total": "sum:0"})
    np.testing.assert_array_equal(total([1.0], 3.0)["total"], [5.0])
    inner = whole.prune(["doubled:0", "shift:0"], "sum:0")
    np.testing.assert_array_equal(inner([1.0], 3.0), [4.0])
    again = total.prune(["in/x:0"], "doubled:0")
    np.testing.assert_array_equal(again([4.0]), [8.0])


def test_what_cannot_be_cut_out() -> None:
    whole = imported()
    with pytest.raises(ValueError, match="placeholder 'shift', which is not among the feeds"):
        whole.prune(["in/x:0"], "sum:0")
    with pytest.raises(ValueError, match="must consist of tensors, received"):
        whole.prune(["in/x"], "doubled:0")
    with pytest.raises(KeyError, match="nobody"):
        whole.prune([], "nobody:0")
    with pytest.raises(TypeError, match="must return tensors"):
        wrap_function(lambda: tf.group(tf.constant(1.0)), [])


def test_gradients_of_functions_and_of_their_parts() -> None:
    outside = tf.Variable(2.0)
    made: list[Any] = []

    def function(z: Any) -> Any:
        if not made:
            made.append(tf.Variable(3.0))
        return tf.identity(outside * made[0] * z, "fetch")

    wrapped = wrap_function(function, [FLOAT])
    pruned = wrapped.prune(wrapped.inputs, wrapped.graph.get_tensor_by_name("fetch:0"))
    for each in (wrapped, pruned):
        z = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(z)
            result = each(z)
        gradients = tape.gradient(result, [z, outside, made[0]])
        assert [float(result), *map(float, gradients)] == [6.0, 6.0, 3.0, 2.0]
        assert {v.ref() for v in each.variables} == {outside.ref(), made[0].ref()}


def test_ragged_feeds_and_fetches() -> None:
    seen: list[Any] = []

    def function(x: Any, y: Any) -> Any:
        seen[:] = [x, x * x]
        return seen[1], y * y

    wrapped = wrap_function(function, [tf.RaggedTensorSpec([None, None], tf.float32), FLOAT])
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    squares = wrapped.prune(seen[0], seen[1])(rows.values, rows.row_splits)
    assert squares.to_list() == [[1.0, 4.0], [9.0]]
    assert wrapped(rows, 3.0)[0].to_list() == [[1.0, 4.0], [9.0]]


def test_assignments_have_the_names_they_are_given() -> None:
    variable = tf.Variable(1.0)

    @tf.function
    def function() -> None:
        variable.assign(2.0, name="one")
        variable.assign_add(2.0, name="two")
        variable.assign_sub(2.0, name="three", read_value=False)

    names = [node.name for node in function.get_concrete_function().graph.get_operations()]
    assert {"one", "two", "three"} <= set(names)
    function()
    assert float(variable) == 2.0
