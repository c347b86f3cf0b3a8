"""What a graph says of the operations put into it (the expected values are TensorFlow's)."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import tapeflow as tf

v1 = tf.compat.v1


@tf.RegisterGradient("NineTimes")
def _nine_times(op: Any, dz: Any) -> Any:
    return dz * 9.0 * tf.ones_like(op.inputs[0])


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def test_colocated_operations_name_each_other(graph: Any) -> None:
    a = tf.constant(1.0, name="a")
    with tf.device("/device:CPU:0"):
        b = tf.constant(1.0, name="b")
    with graph.colocate_with(a.op):
        c = tf.identity(a)
        with graph.colocate_with(b):
            d = tf.identity(a)
        with graph.colocate_with(None, ignore_existing=True):
            free = tf.identity(a)
    assert a.op.colocation_groups() == [b"loc:@a"]
    assert c.op.colocation_groups() == [b"loc:@a"] == c.op.get_attr("_class")
    assert d.op.colocation_groups() == [b"loc:@a", b"loc:@b"]
    assert d.device == "/device:CPU:0"
    assert "_class" not in free.op.node_def.attr
    with pytest.raises(ValueError, match="ignore_existing"), graph.colocate_with(None):
        pass


def test_devices_are_merged_and_may_be_chosen_by_a_function(graph: Any) -> None:
    a = tf.constant(1.0)
    with graph.device("/cpu:0"):
        plain = tf.identity(a)
        with graph.device(lambda op: "/gpu:1" if op.type == "Neg" else ""):
            chosen, left = -a, tf.identity(a)
        with graph.device("/job:worker"):
            merged = tf.identity(a)
        with graph.device(None):
            nowhere = tf.identity(a)
    found = [t.device for t in (plain, chosen, left, merged, nowhere)]
    both = "/job:worker/device:CPU:0"
    assert found == ["/device:CPU:0", "/device:GPU:1", "/device:CPU:0", both, ""]


def test_a_container_is_noted_on_what_has_one(graph: Any) -> None:
    with graph.container("kept"):
        variable = v1.get_variable("v", [2])
        other = tf.identity(1.0)
    assert variable.handle.op.get_attr("container") == b"kept"
    assert "container" not in other.op.node_def.attr


def test_blocks_hold_for_their_thread_alone(graph: Any) -> None:
    a = tf.constant(1.0)
    made = []

    def other() -> None:
        with graph.as_default():
            made.append(tf.identity(a))

    graph.switch_to_thread_local()
    with graph.colocate_with(a):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert "_class" not in made[0].op.node_def.attr


def test_a_gradient_may_be_another_one_registered(graph: Any) -> None:
    x = tf.constant(3.0)
    with graph.gradient_override_map({"Square": "NineTimes"}):
        y = tf.square(x)
    assert y.op.get_attr("_gradient_op_type") == b"NineTimes"
    with v1.Session() as session:
        assert session.run(tf.gradients(y, x)) == [9.0]
        assert session.run(tf.gradients(tf.square(x), x)) == [6.0]
    with graph.gradient_override_map({"Square": "NobodyRegisteredThis"}):
        unknown = tf.square(x)
    with pytest.raises(LookupError, match="No gradient defined for operation"):
        tf.gradients(unknown, x)
    for wrong in ([1], {1: 2}, {"Square": 3}):
        with pytest.raises(TypeError, match="strings"), graph.gradient_override_map(wrong):
            pass


@pytest.mark.parametrize("jit", [None, True])
def test_the_gradient_of_a_function_is_the_one_its_graph_names(jit: bool | None) -> None:
    @tf.function(jit_compile=jit)
    def function(x: Any) -> Any:
        with v1.get_default_graph().gradient_override_map({"Square": "NineTimes"}):
            return tf.square(x)

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert y.numpy() == 9.0
    assert tape.gradient(y, x).numpy() == 9.0


def test_a_tape_knows_ops_by_their_names_while_they_are_traced() -> None:
    @tf.function
    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            with v1.get_default_graph().gradient_override_map({"Square": "NineTimes"}):
                y = tf.square(x)
        return tape.gradient(y, x)

    assert function(tf.constant(3.0)).numpy() == 6.0


def test_operations_are_created_by_op_name(graph: Any) -> None:
    a, b = tf.constant(1.0), tf.constant(2.0)
    made = graph.create_op("AddV2", [a, b], [tf.float32], name="made")
    assert (made.name, made.type, made.outputs[0].dtype) == ("made", "AddV2", tf.float32)
    to_int = v1.AttrValue(type=tf.int32.as_datatype_enum)
    cast = graph.create_op("Cast", [a], attrs={"DstT": to_int})
    assert cast.outputs[0].dtype == tf.int32
    with v1.Session() as session:
        assert session.run([made.outputs[0], cast.outputs[0]]) == [3.0, 1]
    with pytest.raises(TypeError, match="Input #1 is not a tensor"):
        graph.create_op("AddV2", [a, 3.0])
    with pytest.raises(RuntimeError, match="Op type not registered 'Nope'"):
        graph.create_op("Nope", [a])


def test_feeding_and_fetching_can_be_prevented(graph: Any) -> None:
    a = tf.constant(1.0, name="a")
    b = tf.identity(a, name="b")
    assert graph.is_feedable(a)
    assert graph.is_fetchable(b)
    graph.prevent_feeding(a)
    graph.prevent_fetching(b.op)
    assert not graph.is_feedable(a)
    assert not graph.is_fetchable(b)
    assert not graph.is_fetchable(b.op)
    with v1.Session() as session:
        with pytest.raises(ValueError, match="a:0 may not be fed"):
            session.run(a, {a: 2.0})
        with pytest.raises(TypeError, match="cannot be fetched"):
            session.run(b)


def test_what_a_graph_knows_of_itself(graph: Any) -> None:
    tf.constant(1.0, name="a")
    graph.add_to_collection("kept", 1)
    assert graph.collections == ["kept"]
    assert graph.num_operations() == 1
    assert [op.name for op in graph.operations] == ["a"]
    assert graph.graph_def_versions.producer == 2474
    assert graph.op_def_for_type("Identity").input_arg[0].type_attr == "T"
    with pytest.raises(RuntimeError, match="Op type not registered"):
        graph.op_def_for_type("Nope")
    assert str(graph.get_operation_by_name("a")).startswith('name: "a"\nop: "Const"')


class Captured:
    """What libraries place in order to learn the device of the current blocks."""

    device: str | None = None

    def _set_device_from_string(self, name: str) -> None:
        self.device = name


def _captured(graph: Any) -> str | None:
    captured = Captured()
    graph._apply_device_functions(captured)
    return captured.device


def test_the_device_of_the_current_blocks_is_applied_to_stand_ins(graph: Any) -> None:
    assert _captured(graph) is None
    with tf.device("/CPU:0"):
        assert tf.DeviceSpec.from_string(_captured(graph)).device_type == "CPU"
    with graph.device(lambda op: "/device:GPU:1"):
        assert tf.DeviceSpec.from_string(_captured(graph)).device_index == 1
    other = tf.Graph()
    with other.device("/GPU:0"):
        assert tf.DeviceSpec.from_string(_captured(other)).device_type == "GPU"
    assert tf.DeviceSpec.from_string(_captured(graph)).device_type is None
