"""What variables have from TensorFlow 1 (the expected values are TensorFlow's)."""

from __future__ import annotations

import pytest

import tapeflow as tf

v1 = tf.compat.v1


@pytest.mark.parametrize("jit", [False, None, True])
def test_rows_of_indices_are_about_rows_of_the_variable(jit: bool | None) -> None:
    variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def update() -> None:
        slices = tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [1]]))
        variable.batch_scatter_update(slices)

    (update if jit is False else tf.function(update, jit_compile=jit))()
    assert variable.numpy().tolist() == [[9.0, 2.0], [3.0, 8.0]]
    with pytest.raises(TypeError, match=r"sparse_delta must be"):
        variable.batch_scatter_update(3)


def test_more_can_be_said_of_a_shape() -> None:
    variable = tf.Variable([1.0, 2.0], shape=[None])
    variable.set_shape([2])
    assert variable.shape == [2]
    with pytest.raises(ValueError, match="are not compatible"):
        variable.set_shape([3])


def test_eager_variables_are_loaded_but_are_no_messages() -> None:
    variable = tf.Variable([1.0])
    variable.load([2.0])
    assert variable.read_value_no_copy().numpy() == [2.0]
    assert tf.Variable(1).count_up_to(3).numpy() == 1
    for ask in (variable.to_proto, lambda: variable.create):
        with pytest.raises(RuntimeError, match="of graph variables needs"):
            ask()
    for ask in (variable.initialized_value, lambda: tf.Variable.from_proto(None)):
        with pytest.raises(NotImplementedError, match="is not there"):
            ask()


def test_variables_of_graphs_are_loaded_and_written() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        with tf.name_scope("outer"):
            variable = tf.Variable([1.0, 2.0], name="v")
        session.run(variable.initializer)
        variable.load([5.0, 6.0], session)
        assert session.run(variable).tolist() == [5.0, 6.0]
        assert variable.create is variable.initializer
        message = variable.to_proto()
        assert message.variable_name == "outer/v:0"
        assert message.initializer_name == "outer/v/Assign"
        assert message.snapshot_name == "outer/v/Read/ReadVariableOp:0"
        assert message.is_resource
        assert message.trainable
        assert variable.to_proto("outer").variable_name == "v:0"
        assert variable.to_proto("elsewhere") is None


def test_parts_of_larger_variables() -> None:
    part = tf.Variable.SaveSliceInfo("whole", [4, 3], [2, 0], [2, 3])
    assert part.spec == "4 3 2,2:0,3"
    again = tf.Variable.SaveSliceInfo(save_slice_info_def=part.to_proto(), import_scope="s")
    assert (again.full_name, again.spec) == ("s/whole", part.spec)


def test_consumers_are_those_of_the_parts() -> None:
    @tf.function
    def function(x: tf.Tensor) -> tf.Tensor:
        slices = tf.IndexedSlices(x, tf.constant([0]))
        y = slices.values + 1.0
        assert [op.type for op in slices.consumers()] == ["AddV2"]
        return y

    function(tf.constant([1.0]))
    assert tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])).consumers() == []
    assert tf.sparse.from_dense([[1]]).consumers() == []
