"""What wrong calls say while a function is traced (classes and texts are TensorFlow's)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf

F23, F5, F3 = (tf.TensorSpec(shape, tf.float32) for shape in ([2, 3], [5], [3]))
I23 = tf.TensorSpec([2, 3], tf.int32)
IMAGES = tf.TensorSpec([1, 4, 4, 2])

DTYPES: dict[str, tuple[Callable[..., Any], list[Any], str]] = {
    "two arguments": (
        lambda x, i: x + i,
        [F23, I23],
        "AddV2: 'y' has dtype int32, expected the same as 'x', float32",
    ),
    "in a list": (
        lambda x, i: tf.concat([x, i], 0),
        [F23, I23],
        "ConcatV2: 'values' has dtype float32, int32, expected one dtype",
    ),
    "not allowed": (
        lambda x: tf.nn.softmax(x),
        [I23],
        "Softmax: 'logits' does not support dtype int32",
    ),
    "an index": (
        lambda x: tf.gather(x, x),
        [F23],
        "'indices' does not support dtype float32; allowed values: int16, int32, int64",
    ),
    "a shape": (
        lambda x: tf.reshape(x, x),
        [F23],
        "'shape' does not support dtype float32; allowed values: int32, int64",
    ),
    "named otherwise in files": (
        lambda x, y: tf.reduce_sum(x, y),
        [F23, F3],
        "'reduction_indices' does not support dtype float32",
    ),
    "one dtype only": (
        lambda x: tf.strings.length(x),
        [F23],
        "StringLength: 'input' has dtype float32, expected string",
    ),
    "one dtype only in a list": (
        lambda x: tf.strings.join([x, x]),
        [F23],
        "StringJoin: 'inputs' has dtype float32, float32, expected string",
    ),
    "found by the shape rule": (
        lambda x: tf.one_hot(x, 3),
        [F23],
        "'indices' does not support dtype float32; allowed values: uint8, int8, int32, int64",
    ),
    "of an attribute": (
        lambda x: tf.bitcast(x, tf.string),
        [F23],
        "'type' does not support dtype string",
    ),
    "no value at all": (lambda x: x + object(), [F23], "Cannot convert <object"),
    "mixed values": (lambda x: tf.constant([1, "a"]), [F23], "Cannot convert [1"),
}

SHAPES: dict[str, tuple[Callable[..., Any], list[Any], str]] = {
    "broadcast": (
        lambda x, y: x + y,
        [F23, F5],
        "3 and 5 must be equal or 1 for '{{node add}} = AddV2[T=DT_FLOAT](x, y)' "
        "with input shapes: [2,3], [5].",
    ),
    "matrices": (
        tf.matmul,
        [F23, F23],
        "b has shape [2,3] for '{{node MatMul}} = MatMul[T=DT_FLOAT, "
        "grad_a=false, grad_b=false, transpose_a=false, transpose_b=false](a, b)' with",
    ),
    "joined": (
        lambda x, y: tf.concat([x, y], 0),
        [F23, F3],
        "Shape must be rank 2 but is rank 1 for '{{node concat}} = ConcatV2[N=2, T=DT_FLOAT, "
        "Tidx=DT_INT32](x, y, concat/axis)' with input shapes: [2,3], [3], [].",
    ),
    "reshaped": (
        lambda x: tf.reshape(x, [4]),
        [F23],
        "must stay the same for '{{node Reshape}} = "
        "Reshape[T=DT_FLOAT, Tshape=DT_INT32](x, Reshape/shape)' with input shapes: [2,3], [1]",
    ),
    "channels": (
        lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 9, 2]), 1, "SAME"),
        [IMAGES],
        "Depth of input (2) is not a multiple of input depth of filter (9) for '{{node Conv2D}} = "
        'Conv2D[T=DT_FLOAT, data_format="NHWC", dilations=[1, 1, 1, 1], explicit_paddings=[], '
        'padding="SAME", strides=[1, 1, 1, 1], use_cudnn_on_gpu=true](x, ones)\' with',
    ),
    "ensured": (
        lambda x: tf.ensure_shape(x, [3, None]),
        [F23],
        "EnsureShape[T=DT_FLOAT, shape=[3,?]](x)' with input shapes: [2,3].",
    ),
    "no matrix": (tf.matmul, [F3, F3], "must be a matrix"),
    "a list": (
        lambda x, y: tf.add_n([x, y]),
        [F23, F3],
        "Ranks must be equal",
    ),
    "ranks": (lambda x: tf.nn.max_pool2d(x, 2, 1, "SAME"), [F23], "Shape must be rank 4 but is"),
    "seeds": (
        lambda: tf.random.stateless_uniform([2], [1]),
        [],
        "Dimension must be 2 but is 1 for",
    ),
    "None": (lambda x: tf.identity(None), [F23], "None values not supported."),
}


def _refused(function: Callable[..., Any], specs: list[Any], error: type, text: str) -> None:
    traced = tf.function(function, autograph=False)
    with pytest.raises(error, match=re.escape(text)):
        traced.get_concrete_function(*specs)


@pytest.mark.parametrize("case", DTYPES)
def test_wrong_dtypes_are_type_errors(case: str) -> None:
    function, specs, text = DTYPES[case]
    _refused(function, specs, TypeError, text)


@pytest.mark.parametrize("case", SHAPES)
def test_wrong_shapes_are_value_errors(case: str) -> None:
    function, specs, text = SHAPES[case]
    _refused(function, specs, ValueError, text)


WINDOWS: dict[str, tuple[Callable[..., Any], Any]] = {
    "convolution": (lambda x: tf.nn.conv2d(x, tf.ones([5, 5, 2, 2]), 1, "VALID"), IMAGES),
    "strided": (lambda x: tf.nn.conv2d(x, tf.ones([5, 5, 2, 2]), 2, "VALID"), IMAGES),
    "depthwise": (
        lambda x: tf.nn.depthwise_conv2d(x, tf.ones([5, 5, 2, 2]), [1, 1, 1, 1], "VALID"),
        IMAGES,
    ),
    "greatest": (lambda x: tf.nn.max_pool2d(x, 5, 1, "VALID"), IMAGES),
    "mean": (lambda x: tf.nn.avg_pool2d(x, 5, 2, "VALID"), IMAGES),
    "row": (lambda x: tf.nn.max_pool1d(x, 5, 1, "VALID"), tf.TensorSpec([1, 4, 2])),
    "volume": (lambda x: tf.nn.max_pool3d(x, 5, 1, "VALID"), tf.TensorSpec([1, 4, 4, 4, 2])),
}


@pytest.mark.parametrize("case", WINDOWS)
def test_windows_do_not_reach_beyond_what_a_graph_knows(case: str) -> None:
    function, spec = WINDOWS[case]
    text = "Negative dimension size caused by subtracting 5 from 4 for"
    _refused(function, [spec], ValueError, text)
    # Where sizes come with the values nothing is left, as in eager code.
    unknown = tf.TensorSpec([None] * (spec.shape.rank - 1) + [2])
    run = tf.function(function, input_signature=[unknown])
    result = run(tf.ones(spec.shape))
    assert result.shape == function(tf.ones(spec.shape)).shape
    assert 0 in result.shape


def test_eager_calls_name_the_only_dtype_there_is() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected string inputs"):
        tf.strings.length(tf.ones([2]))
    with pytest.raises(TypeError, match=r"Cannot convert 0\.5 to EagerTensor of dtype int32"):
        tf.reduce_sum(tf.ones([2]), 0.5)


def test_sparse_tensors_of_unknown_rank_get_another_axis() -> None:
    spec = tf.SparseTensorSpec(None, tf.float32)
    given = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    for axis, shape in ((0, [1, 2, 2]), (-1, [2, 2, 1]), (1, [2, 1, 2])):

        def expand(s: Any, axis: int = axis) -> Any:
            return tf.sparse.expand_dims(s, axis)

        result = tf.function(expand, input_signature=[spec])(given)
        assert tf.sparse.to_dense(result).shape == shape
    partly = tf.SparseTensorSpec([None, 2], tf.float32)
    known = tf.function(lambda s: tf.sparse.expand_dims(s, 0)).get_concrete_function(partly)
    assert known.structured_outputs.shape.as_list() == [1, None, 2]
    _refused(lambda s: tf.sparse.expand_dims(s, 9), [partly], ValueError, "axis must be in")
