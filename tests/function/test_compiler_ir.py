"""The compiled code of functions, as text."""

from __future__ import annotations

import pytest

import tapeflow as tf


def test_stages():
    variable = tf.Variable(tf.zeros([10, 20]))
    function = tf.function(lambda x: x + variable, jit_compile=True)
    get_ir = function.experimental_get_compiler_ir(tf.TensorSpec([10, 20]))
    assert "f32[10,20]" in get_ir()
    assert get_ir(stage="hlo").startswith("HloModule")
    assert "is_scheduled=true" in get_ir(stage="optimized_hlo")
    assert isinstance(get_ir(stage="hlo_serialized"), bytes)
    assert isinstance(get_ir(stage="optimized_hlo_serialized"), bytes)
    assert get_ir(stage="optimized_hlo_dot").startswith("digraph")
    assert variable.numpy().sum() == 0


def test_arguments_of_all_kinds():
    function = tf.function(lambda d, v, n: v.assign_add(d["x"] * n), jit_compile=True)
    get_ir = function.experimental_get_compiler_ir({"x": tf.ones([3])}, tf.Variable([1.0] * 3), 2)
    assert "f32[3]" in get_ir(stage="hlo")


def test_what_is_refused():
    with pytest.raises(ValueError, match="needs a function with jit_compile=True"):
        tf.function(lambda x: x).experimental_get_compiler_ir(tf.constant(1.0))
    function = tf.function(lambda x: x + 1, jit_compile=True)
    with pytest.raises(ValueError, match="inputs of static shape"):
        function.experimental_get_compiler_ir(tf.TensorSpec([None]))
    get_ir = function.experimental_get_compiler_ir(tf.constant(1.0))
    with pytest.raises(ValueError, match="Invalid stage selected: 'nonsense'"):
        get_ir(stage="nonsense")
    with pytest.raises(ValueError, match="No matching device found for 'GPU:0'"):
        get_ir(device_name="GPU:0")
