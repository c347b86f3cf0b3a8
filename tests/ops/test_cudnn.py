"""Recurrent networks of cuDNN are traced and differentiated, and refused when they run."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

STATE = tf.TensorSpec([1, None, 5])
SPECS = (tf.TensorSpec([None, None, 4]), STATE, STATE, tf.TensorSpec([None]))
LENGTHS = tf.TensorSpec([None], tf.int32)


def traced(name: str, *more: tf.TensorSpec, **attrs: Any) -> Any:
    """A trace of the op and of its gradients with respect to all but its lengths."""
    call = getattr(tf.raw_ops, name)

    @tf.function(autograph=False)
    def run(x: Any, h: Any, c: Any, params: Any, *lengths: Any) -> Any:
        named = {"sequence_lengths": lengths[0]} if lengths else {}
        outputs = call(input=x, input_h=h, input_c=c, params=params, **named, **attrs)
        return outputs, tf.gradients(outputs.output, [x, h, c, params])

    return run.get_concrete_function(*SPECS, *more)


@pytest.mark.parametrize(
    ("name", "more"), [("CudnnRNN", ()), ("CudnnRNNV2", ()), ("CudnnRNNV3", (LENGTHS,))]
)
def test_shapes_and_gradients_are_traced(name: str, more: tuple[tf.TensorSpec, ...]) -> None:
    concrete = traced(name, *more, direction="bidirectional")
    outputs, gradients = concrete.structured_outputs
    assert outputs.output.shape.as_list() == [None, None, 10]
    assert outputs.output_h.shape.as_list() == [1, None, 5]
    assert outputs.output_c.shape.as_list() == [1, None, 5]
    if name != "CudnnRNN":
        assert outputs.host_reserved.dtype is tf.int8
    assert [g.shape.as_list() for g in gradients] == [spec.shape.as_list() for spec in SPECS]
    kinds = [operation.type for operation in concrete.graph.get_operations()]
    assert kinds.count(name.replace("CudnnRNN", "CudnnRNNBackprop")) == 1


def test_gated_units_have_no_cell_state() -> None:
    outputs, _ = traced("CudnnRNNV3", LENGTHS, rnn_mode="gru").structured_outputs
    assert outputs.output_c.shape.as_list() == []


def test_wrong_attributes_are_named() -> None:
    with pytest.raises(ValueError, match="rnn_mode must be one of"):
        traced("CudnnRNN", rnn_mode="LSTM")
    with pytest.raises(ValueError, match="direction must be one of"):
        traced("CudnnRNN", direction="backwards")


def test_the_gradient_needs_a_call_for_training() -> None:
    with pytest.raises(ValueError, match="is_training=True"):
        traced("CudnnRNN", is_training=False)


def test_running_is_refused_without_a_gpu() -> None:
    state = tf.ones([1, 3, 5])
    with pytest.raises(tf.errors.NotFoundError, match="GPUs only"):
        tf.raw_ops.CudnnRNN(
            input=tf.ones([2, 3, 4]), input_h=state, input_c=state, params=tf.ones([10])
        )


def test_graphs_with_them_are_written_and_read() -> None:
    graph = traced("CudnnRNNV3", LENGTHS).graph.as_graph_def()
    with tf.Graph().as_default() as again:
        tf.graph_util.import_graph_def(graph, name="")
    types = {operation.type for operation in again.get_operations()}
    assert {"CudnnRNNV3", "CudnnRNNBackpropV3"} <= types
