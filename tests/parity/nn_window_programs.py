"""Programs on convolutions and pools; `nn_programs.py` says what they see."""

from __future__ import annotations

from itertools import product

FLOATS = ("float16", "bfloat16", "float64")
_X2, _W2 = "v(2, 5, 6, 3)", "v(3, 2, 3, 4)"
_FIRST2 = "v(2, 3, 5, 6)"


def _conv(function: str, inputs: str, options: str) -> str:
    return f"g(lambda x, w: N.{function}(x, w, {options}), {inputs})"


def _transposed(function: str, inputs: str, options: str) -> str:
    return f"g(lambda x, w: N.{function}(x, w, {options}), {inputs})"


CONVOLUTION = {
    **{
        f"conv2d {options}": _conv("conv2d", f"{_X2}, {_W2}", options)
        for options in (
            "1, 'SAME'",
            "1, 'VALID'",
            "2, 'SAME'",
            "[2, 3], 'VALID'",
            "[1, 2, 1, 1], 'SAME'",
            "1, 'SAME', dilations=2",
            "1, 'VALID', dilations=[2, 1]",
            "1, [[0, 0], [1, 2], [0, 3], [0, 0]]",
            "2, [[0, 0], [1, 0], [2, 1], [0, 0]]",
        )
    },
    **{
        f"conv2d {t}": _conv(
            "conv2d", f"v(1, 4, 4, 2, t='{t}'), v(2, 2, 2, 3, t='{t}')", "1, 'SAME'"
        )
        for t in FLOATS
    },
    "conv2d of integers": (
        "N.conv2d(tf.constant([[[[1], [2]], [[3], [4]]]]), tf.constant([[[[5]], "
        "[[6]]]]), 1, 'SAME')"
    ),
    "conv2d with padding, stride and dilation": (
        f"mark(N.conv2d({_X2}, {_W2}, 2, [[0, 0], [1, 0], [2, 1], [0, 0]], dilations=[1, 2]))"
    ),
    "conv2d in groups": _conv("conv2d", "v(2, 4, 5, 4), v(3, 3, 2, 6)", "1, 'SAME'"),
    "conv2d, channels first": _conv("conv2d", f"{_FIRST2}, {_W2}", "2, 'VALID', 'NCHW'"),
    "conv2d, channels first and dilated": (
        _conv("conv2d", f"{_FIRST2}, {_W2}", "1, 'SAME', 'NCHW', dilations=2")
    ),
    "conv1d, channels first": _conv("conv1d", "v(1, 2, 5), v(2, 2, 3)", "1, 'VALID', 'NCW'"),
    "conv3d, channels first": (
        _conv("conv3d", "v(1, 2, 3, 4, 5), v(2, 2, 2, 2, 3)", "[1] * 5, 'VALID', 'NCDHW'")
    ),
    "depthwise, channels first": _conv(
        "depthwise_conv2d", f"{_FIRST2}, v(3, 2, 3, 2)", "[1, 1, 2, 2], 'SAME', 'NCHW'"
    ),
    "conv2d of batches of batches": _conv("conv2d", "v(2, 2, 4, 5, 3), v(2, 2, 3, 2)", "1, 'SAME'"),
    "conv2d of a window much too large": "N.conv2d(v(1, 3, 3, 1), v(5, 5, 1, 1), 1, 'VALID')",
    "conv2d of the wrong depth": f"N.conv2d({_X2}, v(3, 3, 2, 1), 1, 'SAME')",
    "conv2d of two dtypes": f"N.conv2d({_X2}, v(3, 2, 3, 4, t='float64'), 1, 'SAME')",
    "conv2d without padding": f"N.conv2d({_X2}, {_W2}, 1, None)",
    "conv2d with unknown padding": f"N.conv2d({_X2}, {_W2}, 1, 'same')",
    "conv2d with too few paddings": f"N.conv2d({_X2}, {_W2}, 1, [[0, 0], [1, 1]])",
    "conv2d in an unknown format": f"N.conv2d({_X2}, {_W2}, 1, 'SAME', data_format='NHCW')",
    "conv2d of no stride": f"N.conv2d({_X2}, {_W2}, 0, 'SAME')",
    "conv2d of three strides": f"N.conv2d({_X2}, {_W2}, [1, 2, 2], 'SAME')",
    "conv2d of strides over the batch": f"N.conv2d({_X2}, {_W2}, [2, 1, 1, 1], 'SAME')",
    "conv2d of no dilation": f"N.conv2d({_X2}, {_W2}, 1, 'SAME', dilations=0)",
    "conv2d with an empty filter": f"N.conv2d({_X2}, v(0, 2, 3, 4), 1, 'SAME')",
    **{
        f"conv1d {options}": _conv("conv1d", "v(2, 7, 3), v(3, 3, 2)", options)
        for options in ("1, 'SAME'", "2, 'VALID'", "1, 'VALID', dilations=2", "[1, 3, 1], 'SAME'")
    },
    "conv1d of batches of batches": _conv("conv1d", "v(2, 2, 5, 3), v(2, 3, 2)", "1, 'SAME'"),
    "conv1d of two strides": "N.conv1d(v(2, 7, 3), v(3, 3, 2), [1, 2], 'SAME')",
    "conv1d in an unknown format": "N.conv1d(v(2, 7, 3), v(3, 3, 2), 1, 'SAME', 'NCHWD')",
    **{
        f"conv3d {options}": _conv("conv3d", "v(1, 3, 4, 4, 2), v(2, 2, 3, 2, 3)", options)
        for options in (
            "[1, 1, 1, 1, 1], 'SAME'",
            "[1, 1, 2, 1, 1], 'VALID'",
            "[1, 1, 1, 1, 1], 'SAME', dilations=[1, 1, 2, 1, 1]",
        )
    },
    "conv3d of one stride": "N.conv3d(v(1, 3, 4, 4, 2), v(2, 2, 3, 2, 3), 1, 'SAME')",
    "conv3d of three strides": "N.conv3d(v(1, 3, 4, 4, 2), v(2, 2, 3, 2, 3), [1, 1, 1], 'SAME')",
    "conv3d with explicit padding": (
        "N.conv3d(v(1, 3, 4, 4, 2), v(2, 2, 3, 2, 3), [1] * 5, [[0, 0]] * 5)"
    ),
    "convolution in one dimension": _conv("convolution", "v(2, 7, 3), v(3, 3, 2)", "strides=2"),
    "convolution in two dimensions": (
        _conv("convolution", f"{_X2}, {_W2}", "padding='SAME', dilations=[2, 2]")
    ),
    "convolution in three dimensions": (
        "mark(N.convolution(v(1, 3, 4, 4, 2), v(2, 2, 3, 2, 3), padding='SAME'))"
    ),
    "convolution in no dimension": "N.convolution(v(2, 3), v(3, 2))",
    "depthwise": _conv("depthwise_conv2d", "v(2, 5, 6, 3), v(3, 2, 3, 2)", "[1, 1, 1, 1], 'SAME'"),
    "depthwise with strides": (
        _conv("depthwise_conv2d", "v(2, 5, 6, 3), v(3, 2, 3, 2)", "[1, 2, 2, 1], 'VALID'")
    ),
    "depthwise dilated": _conv(
        "depthwise_conv2d",
        "v(2, 5, 6, 3), v(3, 2, 3, 1)",
        "[1, 1, 1, 1], 'SAME', dilations=[2, 1]",
    ),
    "depthwise with explicit padding": _conv(
        "depthwise_conv2d",
        "v(2, 5, 6, 3), v(3, 2, 3, 2)",
        "[1, 1, 1, 1], [[0, 0], [1, 1], [1, 0], [0, 0]]",
    ),
    "depthwise of the wrong depth": (
        "N.depthwise_conv2d(v(2, 5, 6, 3), v(3, 2, 2, 2), [1, 1, 1, 1], 'SAME')"
    ),
    "depthwise of one stride": "N.depthwise_conv2d(v(2, 5, 6, 3), v(3, 2, 3, 2), 1, 'SAME')",
    "depthwise gradient by the input": (
        "g(lambda w, d: N.depthwise_conv2d_backprop_input([2, 5, 6, 3], w, d, [1, 1, 1, "
        "1], 'SAME'), "
        "v(3, 2, 3, 2), v(2, 5, 6, 6))"
    ),
    "depthwise gradient by the filter": (
        "g(lambda x, d: N.depthwise_conv2d_backprop_filter(x, [3, 2, 3, 2], d, [1, 1, 1, 1], "
        "'SAME'), v(2, 5, 6, 3), v(2, 5, 6, 6))"
    ),
    "separable": (
        "g(lambda x, d, p: N.separable_conv2d(x, d, p, [1, 1, 1, 1], 'SAME'), "
        "v(2, 4, 5, 2), v(2, 2, 2, 3), v(1, 1, 6, 4))"
    ),
    "separable with strides": (
        "g(lambda x, d, p: N.separable_conv2d(x, d, p, [1, 2, 2, 1], 'VALID'), "
        "v(2, 4, 5, 2), v(2, 2, 2, 3), v(1, 1, 6, 4))"
    ),
    "separable with a wide pointwise filter": (
        "N.separable_conv2d(v(2, 4, 5, 2), v(2, 2, 2, 3), v(2, 1, 6, 4), [1, 1, 1, 1], 'SAME')"
    ),
    "atrous": _conv("atrous_conv2d", f"{_X2}, {_W2}", "rate=2, padding='SAME'"),
    "atrous, valid": _conv("atrous_conv2d", f"{_X2}, {_W2}", "rate=2, padding='VALID'"),
    "atrous of no rate": f"N.atrous_conv2d({_X2}, {_W2}, 0, 'SAME')",
}

TRANSPOSED = {
    **{
        f"conv2d {sizes} {options}": _transposed(
            "conv2d_transpose", f"v(2, {size}, 3), v(3, 2, 4, 3)", f"{sizes}, {options}"
        )
        for size, sizes, options in (
            ("4, 5", "[2, 4, 5, 4]", "1"),
            ("3, 3", "[2, 5, 6, 4]", "2, 'SAME'"),
            ("2, 3", "[2, 5, 6, 4]", "2, 'VALID'"),
            ("2, 3", "[2, 6, 7, 4]", "[2, 2], 'VALID'"),
            ("4, 5", "[2, 4, 5, 4]", "1, dilations=2"),
            ("3, 3", "[2, 4, 5, 4]", "2, [[0, 0], [2, 1], [1, 0], [0, 0]]"),
        )
    },
    "conv2d, channels first": _transposed(
        "conv2d_transpose", "v(2, 3, 4, 6), v(3, 2, 4, 3)", "[2, 4, 6, 7], 1, 'VALID', 'NCHW'"
    ),
    "conv2d of spatial sizes": "N.conv2d_transpose(v(1, 2, 2, 1), v(2, 2, 3, 1), [4, 4], 2).shape",
    "conv2d of the wrong depth": (
        "N.conv2d_transpose(v(1, 2, 2, 1), v(2, 2, 3, 1), [1, 4, 4, 2], 2)"
    ),
    "conv1d": _transposed("conv1d_transpose", "v(2, 4, 3), v(3, 2, 3)", "[2, 8, 2], 2"),
    "conv1d, valid": (
        _transposed("conv1d_transpose", "v(2, 4, 3), v(3, 2, 3)", "[2, 9, 2], 2, 'VALID'")
    ),
    "conv1d of a tensor's sizes": (
        "N.conv1d_transpose(v(2, 4, 3), v(3, 2, 3), tf.constant([2, 8, 2]), 2)[0, 0]"
    ),
    "conv3d": (
        _transposed("conv3d_transpose", "v(1, 2, 3, 2, 3), v(2, 2, 3, 2, 3)", "[1, 4, 6, 4, 2], 2")
    ),
    "conv3d, valid": _transposed(
        "conv3d_transpose",
        "v(1, 2, 3, 2, 3), v(2, 2, 3, 2, 3)",
        "[1, 3, 4, 4, 2], [1] * 5, 'VALID'",
    ),
    "conv in one dimension": (
        _transposed("conv_transpose", "v(2, 4, 3), v(3, 2, 3)", "[2, 8, 2], 2")
    ),
    "conv in two dimensions": (
        _transposed("conv_transpose", "v(2, 3, 3, 3), v(3, 2, 4, 3)", "[2, 5, 6, 4], 2")
    ),
    "conv in no dimension": "N.conv_transpose(v(2, 4, 3), v(3, 2, 3), [4], 2)",
    "atrous": _transposed(
        "atrous_conv2d_transpose", "v(2, 5, 6, 3), v(3, 2, 4, 3)", "[2, 5, 6, 4], 2, 'SAME'"
    ),
    "atrous, valid": _transposed(
        "atrous_conv2d_transpose", "v(2, 1, 4, 3), v(3, 2, 4, 3)", "[2, 5, 6, 4], 2, 'VALID'"
    ),
}

_TIES = "tf.constant(np.arange(24).reshape(1, 4, 6, 1) // 3 % 3, 'float32')"
POOLS = {
    **{
        f"{kind} pool {options}": f"g(lambda x: N.{kind}_pool2d(x, {options}), v(2, 5, 6, 3))"
        for kind, options in product(
            ("max", "avg"),
            (
                "2, 2, 'VALID'",
                "2, 2, 'SAME'",
                "3, 1, 'SAME'",
                "[3, 2], [1, 2], 'VALID'",
                "[1, 3, 2, 1], [1, 2, 1, 1], 'SAME'",
                "5, 4, 'SAME'",
            ),
        )
    },
    **{
        f"{kind} pool {t}": f"g(lambda x: N.{kind}_pool2d(x, 2, 2, 'SAME'), v(1, 3, 5, 2, t='{t}'))"
        for kind, t in product(("max", "avg"), FLOATS)
    },
    **{
        f"max pool of ties {options}": f"g(lambda x: N.max_pool2d(x, {options}), {_TIES})"
        for options in ("2, 2, 'VALID'", "3, 1, 'SAME'", "[2, 3], 1, 'VALID'")
    },
    "max pool of negatives at the border": (
        "g(lambda x: N.max_pool2d(x, 3, 1, 'SAME'), v(1, 3, 3, 1, low=-9, high=-8))"
    ),
    "max pool with explicit padding": (
        "g(lambda x: N.max_pool2d(x, 3, 2, [[0, 0], [1, 0], [2, 1], [0, 0]]), v(1, 5, 4, 2))"
    ),
    "max pool of integers": "N.max_pool2d(tf.reshape(tf.range(16), [1, 4, 4, 1]), 2, 2, 'VALID')",
    "max pool of an array": (
        "N.max_pool2d(np.arange(16, dtype='int32').reshape(1, 4, 4, 1), 2, 2, 'VALID')"
    ),
    "max pool of infinities": "N.max_pool2d(tf.fill([1, 2, 2, 1], -np.inf), 2, 2, 'VALID')",
    "max pool twice": (
        "x = v(1, 4, 4, 1)\n"
        "with tf.GradientTape() as outer:\n"
        "    outer.watch(x)\n"
        "    with tf.GradientTape() as inner:\n"
        "        inner.watch(x)\n"
        "        y = N.max_pool2d(x * x, 2, 1, 'SAME')\n"
        "    first = inner.gradient(y, x, output_gradients=weights(y))\n"
        "mark(outer.gradient(first, x, output_gradients=weights(first)))"
    ),
    "avg pool with explicit padding": "N.avg_pool2d(v(1, 4, 4, 1), 2, 2, [[0, 0]] * 4)",
    "avg pool of integers": "N.avg_pool2d([[[[1]]]], 1, 1, 'SAME')",
    **{
        f"{kind} pool in {rank} dimensions": (
            f"g(lambda x: N.{kind}_pool(x, 2, 2, 'SAME', {layout!r}), v({shape}))"
        )
        for kind, (rank, layout, shape) in product(
            ("max", "avg"),
            ((1, "NWC", "2, 5, 3"), (2, "NHWC", "2, 5, 4, 3"), (3, "NDHWC", "1, 3, 4, 5, 2")),
        )
    },
    **{
        f"{kind} pool 1d and 3d": (
            f"N.{kind}_pool1d(v(1, 5, 2), 3, 2, 'VALID'), "
            f"mark(N.{kind}_pool3d(v(1, 4, 4, 3, 2), [2, 1, 3], 1, 'VALID'))"
        )
        for kind in ("max", "avg")
    },
    "pools, channels first": (
        "m(N.max_pool2d(v(2, 3, 5, 6), 2, 1, 'VALID', 'NCHW'), "
        "N.max_pool3d(v(1, 2, 3, 4, 5), 2, 1, 'VALID', 'NCDHW'), "
        "N.avg_pool3d(v(1, 2, 3, 4, 5), 2, 1, 'VALID', 'NCDHW'), "
        "N.avg_pool1d(v(1, 2, 5), 2, 1, 'VALID', 'NCW'))"
    ),
    "avg pool, channels first": (
        "g(lambda x: N.avg_pool2d(x, 2, 1, 'VALID', 'NCHW'), v(2, 3, 5, 6))"
    ),
    "max pool across channels": "N.max_pool2d(v(1, 1, 2, 4), [1, 1, 1, 2], [1, 1, 1, 2], 'VALID')",
    "max pool across channels that overlaps": (
        "N.max_pool2d(v(1, 1, 2, 4), [1, 1, 1, 2], [1, 1, 1, 1], 'VALID')"
    ),
    "max pool across channels that do not divide": (
        "N.max_pool2d(v(1, 1, 2, 4), [1, 1, 1, 3], [1, 1, 1, 3], 'VALID')"
    ),
    "max pool across channels and space": (
        "N.max_pool2d(v(1, 2, 2, 4), [1, 2, 2, 2], [1, 2, 2, 2], 'VALID')"
    ),
    "max pool across channels, gradient": (
        "g(lambda x: N.max_pool2d(x, [1, 1, 1, 2], [1, 1, 1, 2], 'VALID'), v(1, 1, 2, 4))"
    ),
    "max pool of lists": "N.max_pool2d([[[[1], [2]], [[3], [4]]]], 2, 2, 'VALID')",
    "max pool in no dimension": "N.max_pool(v(4, 4), 2, 2, 'VALID')",
    "max pool over the channels": "N.max_pool2d(v(1, 4, 4, 2), [1, 1, 1, 2], 2, 'VALID')",
    "max pool over the batch": "N.max_pool2d(v(2, 4, 4, 2), [2, 1, 1, 1], 2, 'VALID')",
    "max pool of an empty window": "N.max_pool2d(v(1, 4, 4, 1), 0, 2, 'VALID')",
    "max pool of a window too large": "N.max_pool2d(v(1, 2, 2, 1), 4, 1, 'VALID')",
    "max pool of three sizes": "N.max_pool2d(v(1, 4, 4, 1), [1, 2, 2], 2, 'VALID')",
    "pool": "g(lambda x: N.pool(x, [2, 3], 'MAX', strides=[2, 1], padding='SAME'), v(2, 5, 6, 3))",
    "pool dilated": "g(lambda x: N.pool(x, [2, 2], 'AVG', dilations=[2, 1]), v(2, 5, 6, 3))",
    "pool dilated in one dimension": (
        "g(lambda x: N.pool(x, [2], 'MAX', dilations=[3]), v(1, 7, 2))"
    ),
    "pool dilated to the border": (
        "N.pool(v(1, 5, 6, 1), [2, 2], 'MAX', dilations=[2, 2], padding='SAME')"
    ),
    "pool dilated with strides": (
        "N.pool(v(1, 5, 6, 1), [2, 2], 'MAX', dilations=[2, 2], strides=[2, 2])"
    ),
    "pool of an unknown type": "N.pool(v(1, 5, 6, 1), [2, 2], 'MIN')",
    "pool of the wrong rank": "N.pool(v(1, 5, 6, 1), [2], 'MAX')",
    **{
        f"max pool with argmax {options}": (
            f"g(lambda x: N.max_pool_with_argmax(x, {options}), v(2, 3, 4, 2))"
        )
        for options in (
            "2, 2, 'VALID'",
            "[2, 3], 1, 'SAME'",
            "2, 2, 'SAME', include_batch_in_index=True",
        )
    },
    "max pool with argmax of ties": f"N.max_pool_with_argmax({_TIES}, 2, 2, 'SAME')",
    "max pool with argmax, channels first": (
        "N.max_pool_with_argmax(v(1, 2, 4, 4), 2, 2, 'SAME', data_format='NCHW')"
    ),
    "with space to batch": (
        "g(lambda x: N.with_space_to_batch(x, [2, 1], 'SAME', "
        "lambda y, n, p: N.conv2d(y, v(2, 2, 3, 2), 1, p), filter_shape=[2, 2]), v(1, 5, 4, 3))"
    ),
    "with space to batch over one axis": (
        "N.with_space_to_batch(v(1, 2, 5, 1), [2], 'VALID', lambda y, n, p: y + n, "
        "spatial_dims=[2])"
    ),
    "with space to batch of no filter": (
        "N.with_space_to_batch(v(1, 5, 4, 3), [2, 1], 'SAME', lambda y, n, p: y)"
    ),
    "with space to batch of no rate": (
        "N.with_space_to_batch(v(1, 5, 4, 3), [0, 1], 'VALID', lambda y, n, p: y)"
    ),
    "with space to batch in the wrong order": (
        "N.with_space_to_batch(v(1, 5, 4, 3), [2, 2], 'VALID', lambda y, n, p: y, "
        "spatial_dims=[2, 1])"
    ),
}

_DILATED = "[1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1]"
MORPHOLOGY = {
    **{
        f"{kind} {options}": (
            f"g(lambda x, f: N.{kind}2d(x, f, {options}), v(2, 5, 6, 2), v(2, 3, 2))"
        )
        for kind, options in product(
            ("dilation", "erosion"),
            (
                _DILATED,
                "[1, 2, 1, 1], 'VALID', 'NHWC', [1, 1, 2, 1]",
                "[1, 2, 3, 1], 'SAME', 'NHWC', [1, 2, 2, 1]",
            ),
        )
    },
    "dilation float16": (
        f"N.dilation2d(v(1, 2, 3, 1, t='float16'), v(2, 2, 1, t='float16'), {_DILATED})"
    ),
    "dilation of integers": (
        f"N.dilation2d([[[[-9], [5]], [[1], [0]]]], [[[1]], [[-3]]], {_DILATED})"
    ),
    "dilation of ties": (
        f"g(lambda x, f: N.dilation2d(x, f, {_DILATED}), tf.zeros([1, 3, 3, 1]), "
        f"tf.zeros([2, 2, 1]))"
    ),
    "dilation of NaN": (
        f"N.dilation2d(tf.fill([1, 2, 2, 1], np.nan), tf.zeros([1, 1, 1]), {_DILATED})"
    ),
    "dilation of a window too far apart": (
        "N.dilation2d(v(1, 4, 4, 1), v(2, 2, 1), [1, 1, 1, 1], 'VALID', 'NHWC', [1, 9, 9, 1])"
    ),
    "dilation, channels first": (
        "N.dilation2d(v(1, 4, 4, 1), v(2, 2, 1), [1, 1, 1, 1], 'SAME', 'NCHW', [1, 1, 1, 1])"
    ),
    "dilation of one stride": (
        "N.dilation2d(v(1, 4, 4, 1), v(2, 2, 1), 1, 'SAME', 'NHWC', [1, 1, 1, 1])"
    ),
    "dilation of strides over the batch": (
        "N.dilation2d(v(1, 4, 4, 1), v(2, 2, 1), [2, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1])"
    ),
    "dilation of the wrong depth": f"N.dilation2d(v(1, 4, 4, 1), v(2, 2, 3), {_DILATED})",
    "dilation of a volume": f"N.dilation2d(v(4, 4, 1), v(2, 2, 1), {_DILATED})",
}

FRACTIONAL = {
    **{
        f"{kind} pool {options}": (
            "tf.random.set_seed(2)\n"
            f"g(lambda x: N.fractional_{kind}_pool(x, {options}, seed=5), v(2, 7, 9, 2))"
        )
        for kind, options in product(
            ("max", "avg"),
            (
                "[1, 1.44, 1.44, 1]",
                "[1, 1.3, 1.7, 1], pseudo_random=True",
                "[1, 2.3, 1.6, 1], overlapping=True",
                "[1, 1.5, 3.2, 1], True, True",
            ),
        )
    },
    "avg pool of integers": (
        "x = tf.reshape(tf.range(-20, 20), [1, 5, 8, 1])\n"
        "N.fractional_avg_pool(x, [1, 1.7, 2.3, 1], seed=3)"
    ),
    "max pool of one ratio": "N.fractional_max_pool(v(1, 7, 9, 1), 1.44, seed=5)[1:]",
    "max pool without a global seed": "N.fractional_max_pool(v(1, 7, 9, 1), 1.44, seed=5)",
    "max pool of a ratio below one": "N.fractional_max_pool(v(1, 7, 9, 1), 0.5, seed=5)",
    "max pool over the batch": "N.fractional_max_pool(v(1, 7, 9, 1), [1.5, 1.5, 1.5, 1], seed=5)",
    "max pool of too large a ratio": "N.fractional_max_pool(v(1, 7, 9, 1), 8.0, seed=5)",
    "max pool of a volume": "N.fractional_max_pool(v(7, 9, 1), 1.5, seed=5)",
    "max pool of half precision": "N.fractional_max_pool(v(1, 7, 9, 1, t='float16'), 1.5, seed=5)",
    "max pool with seeds but not deterministic": (
        "tf.raw_ops.FractionalMaxPool(value=v(1, 7, 9, 1), pooling_ratio=[1.0, 1.5, 1.5, 1.0], "
        "seed=1)"
    ),
    "avg pool gradient of a negative sequence": (
        "tf.raw_ops.FractionalAvgPoolGrad(orig_input_tensor_shape=np.array([1, 4, 4, 1]), "
        "out_backprop=v(1, 2, 2, 1), row_pooling_sequence=np.array([0, 2, 4]), "
        "col_pooling_sequence=np.array([0, -2, 4]))"
    ),
}

PROGRAMS = {
    "convolution": CONVOLUTION,
    "transposed": TRANSPOSED,
    "pool": POOLS,
    "morphology": MORPHOLOGY,
    "fractional": FRACTIONAL,
}
