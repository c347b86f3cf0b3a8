"""What libraries ask of operations and graphs that they walk through."""

from __future__ import annotations

from typing import Any

import tapeflow as tf


def test_a_graph_of_its_own_is_no_function() -> None:
    inside: list[bool] = []

    @tf.function(autograph=False)
    def traced() -> Any:
        inside.append(tf.inside_function())
        return tf.constant(1)

    assert not tf.inside_function()
    with tf.Graph().as_default():
        assert not tf.inside_function()
        traced()
        assert not tf.inside_function()
    assert inside == [True]


def test_operations_take_marks_and_know_what_waits_for_them() -> None:
    with tf.Graph().as_default():
        first = tf.constant(1).op
        first._mark = True
        with tf.control_dependencies([first]):
            second = tf.identity(tf.constant(2)).op
        assert first._mark
        assert second in first._control_outputs
        assert second._control_outputs == ()
