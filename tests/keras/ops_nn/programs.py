"""The ops of `keras.ops` for networks, signals and matrices, on tensors and in models."""

from __future__ import annotations

_SETUP = """
o = k.ops
r = np.random.RandomState(3)
a = tf.constant(r.randn(2, 3).astype("float32"))
p = tf.constant(r.rand(2, 3).astype("float32") + 0.1)
half = tf.cast(a, "float16")
s = tf.constant(r.randn(2, 6, 4).astype("float32"))
im = tf.constant(r.randn(2, 5, 6, 4).astype("float32"))
v = tf.constant(r.randn(1, 4, 3, 4, 2).astype("float32"))
q = tf.constant(r.randn(3, 3).astype("float32"))
spd = q @ tf.transpose(q) + tf.eye(3)
w = tf.constant(r.randn(1, 3, 2, 4).astype("float32"))
"""
CALLS = (
    *("softmax(s, (1, 2))", "softmax(a, None)", "log_softmax(s, (0, 2))", "log_softmax(a, None)"),
    *("gelu(a)", "gelu(a, approximate=False)", "celu(a, 0.5)", "threshold(a, 0.1, 7.0)"),
    *("relu(half)", "sparsemax(s, 1)", "glu(s)", "squareplus(a, 2)", "softmax(half)"),
    *("max_pool(im, 2)", "max_pool(im, (2, 3), 1, 'same')", "average_pool(im, 2, padding='same')"),
    *("max_pool(s, 2, data_format='channels_first')", "average_pool(v, 2)", "max_pool(a, 2)"),
    *("adaptive_max_pool(im, (2, 4))", "adaptive_average_pool(im, 3)", "adaptive_max_pool(s, 4)"),
    *("adaptive_average_pool(s, 3, 'channels_first')", "adaptive_average_pool(v, (2, 3, 1))"),
    *("conv(im, tf.ones((2, 2, 4, 3)))", "conv(im, tf.ones((2, 2, 2, 4)), 2, 'same')"),
    *("conv(s, tf.ones((3, 4, 2)), padding='same', dilation_rate=2)",),
    *("conv(im, tf.ones((9, 9, 4, 3)))", "conv(im, tf.ones((2, 2, 3, 3)))"),
    *("depthwise_conv(im, tf.ones((2, 2, 4, 2)))", "depthwise_conv(s, tf.ones((3, 4, 1)), 2)"),
    *("depthwise_conv(im, tf.ones((2, 2, 4, 1)), 2, 'same', None, 2)",),
    *("depthwise_conv(im, tf.ones((2, 2, 3, 1)))",),
    *("separable_conv(im, tf.ones((2, 2, 4, 1)), tf.ones((1, 1, 4, 3)), padding='same')",),
    *("separable_conv(s, tf.ones((2, 4, 2)), tf.ones((1, 8, 3)))",),
    *("conv_transpose(im, tf.ones((3, 3, 2, 4)), 2, 'same')",),
    *("conv_transpose(s, tf.ones((3, 2, 4)), 2, output_padding=1)",),
    *("one_hot([[1, -1], [0, 2]], 3)", "one_hot([1, 0], 3, axis=0, dtype='int32')"),
    *("one_hot([1, 0], 3, dtype='bool')", "multi_hot(tf.constant([[1, 2], [0, 0]]), 4)"),
    *("tf.sparse.to_dense(o.one_hot([[1, -1], [0, 2]], 3, sparse=True))",),
    *("multi_hot(tf.constant([[1, 2], [0, 0]]), 4, dtype='bool')", "multi_hot([1, 2])"),
    *("binary_crossentropy(p / 2, p / 3)", "binary_crossentropy(p / 2, a, True)"),
    *("categorical_crossentropy(tf.one_hot([1, 0], 3), p)", "binary_crossentropy(p[0], p)"),
    *("categorical_crossentropy(tf.one_hot([1, 0], 3), a, True)",),
    *("categorical_crossentropy(tf.one_hot([1, 0], 3), o.softmax(a))",),
    *("sparse_categorical_crossentropy([1, 0], p)", "sparse_categorical_crossentropy([[1]], p)"),
    *("sparse_categorical_crossentropy([[1], [0]], a, from_logits=True)",),
    *("moments(im, [0, 2])", "moments(half, -1, keepdims=True)", "normalize(a)", "normalize(a, 0)"),
    *("normalize(a, order=3)", "normalize(a, order=0)", "batch_normalization(a, p[0], p[1], -1)"),
    *("batch_normalization(im, tf.ones(5), tf.ones(5) * 2, 1, tf.ones(5), tf.ones(5) / 3)",),
    *("layer_normalization(a, p[0], p[1])", "layer_normalization(half)"),
    *("layer_normalization(im, tf.ones((5, 6)), axis=(1, 2))", "rms_normalization(a, p[0])"),
    *("rms_normalization(s, axis=(1, 2))", "psnr(a, a + 0.1, 2.0)", "view_as_real(o.polar(p, a))"),
    *("dot_product_attention(w, w, w)", "dot_product_attention(w, w, w, is_causal=True)"),
    *("dot_product_attention(w, w, w, bias=tf.ones((1, 1, 3, 3)), scale=0.5)",),
    *("dot_product_attention(w, w, w, mask=tf.constant([[[[True, False, True]]]]))",),
    *("dot_product_attention(a, a, a)", "unfold(im, 2)", "unfold(im, (2, 3), 2, 1, 2)"),
    *("fold(o.unfold(im, 2), (6, 4), 2)", "fold(o.unfold(im, 3, 1, 1, 2), (6, 4), 3, 1, 1, 2)"),
    *("depth_to_space(im, 2)", "space_to_depth(im[:, :4], 2)"),
    *("depth_to_space(im[:, :4], 2, 'channels_first')", "depth_to_space(im, 0)"),
    *("ctc_loss([[1, 2], [1, 0]], s, [2, 1], [6, 4])", "ctc_decode(s, [6, 4])"),
    *("ctc_decode(s, [6, 4], 'beam_search', 10, 2)", "ctc_decode(s, [6, 4], mask_index=3)"),
    *("ctc_decode(s, [6, 4], 'x')", "segment_sum(s[0], tf.constant([0, 0, 2, 1, 1, 2]))"),
    *(
        "segment_max(s[0], tf.constant([0, 0, 1, 1, 1, 2]), sorted=True)",
        "segment_min(a[0], tf.constant([1, 0, 1]), 3)",
    ),
    *(
        "segment_prod(a[0], tf.constant([1, 0, 1]))",
        "segment_sum(a, tf.constant([0, 1, 2]))",
        "top_k(a, 2)",
    ),
    *("segment_sum(a, tf.constant([0, 1]), 2, True)", "in_top_k([1, 2], a, 2)", "logsumexp(a, 1)"),
    *("logsumexp(s, (0, 2), True)", "cdist(a, p)", "cdist(s, s[:1])", "cdist(a, s)"),
    *("rsqrt(p)", "erf(a)", "erfc(a)", "erfinv(p / 2)", "erfinv(half / 8)", "logdet(spd)"),
    *("view_as_real(tf.complex(a, p))", "view_as_complex(s[..., :2])", "view_as_complex(a)"),
    *("extract_sequences(s, 2, 1)", "fft((a, p))", "fft2((s, s))", "ifft2((s, s))", "rfft(s)"),
    *("rfft(s, 6)", "irfft((a, p))", "irfft((a, p), 5)", "fft(a)", "fft((a, s))"),
    *("stft(s[..., 0], 4, 2, 4)", "stft(s[..., 0], 3, 1, 4, 'hamming', False)"),
    *("stft(s[..., 0], 4, 2, 2)", "stft(s[..., 0], 3, 1, 4, 'x')", "stft(half, 2, 1, 2)"),
    *("istft(o.stft(s[..., 0], 4, 1, 4), 4, 1, 4)", "stft(s[..., 0], 3, 0, 4)"),
    *("istft(o.stft(s[..., 0], 4, 2, 4, None), 4, 2, 4, 5, None)",),
    *("cholesky(spd)", "cholesky(spd, True)", "cholesky(-spd)", "cholesky(a)", "det(q)"),
    *("cholesky_inverse(o.cholesky(spd))", "inv(q)", "eigh(spd)[0]", "lu_factor(q)"),
    *("o.abs(o.qr(a)[1])", "qr(a, 'x')", "solve(q, a[0])", "solve(q, q)", "solve(q, a)"),
    *("solve_triangular(o.cholesky(spd), a[0], True)", "svd(a, compute_uv=False)"),
    *("svd(a, False)[1]", "lstsq(s[0], s[0, :, 0])", "lstsq(s[0], s[0, :, :2])", "matrix_rank(q)"),
    *("pinv(a)", "norm(a)", "norm(s, axis=1)", "norm(s, 1, (0, 2))", "norm(s, 'nuc', (1, 2))"),
    *("norm(a, 3, 0, True)", "norm(s, float('inf'), (0, 1), True)", "norm(a, -2)", "norm(a, 0, 1)"),
    *("norm(s, 2, (0, 1))", "norm(a, 'x')", "norm(s)", "norm(tf.constant([3, 4]))"),
    "jvp(lambda x: o.square(x), (a,), (p,))",
)
_PROGRAMS = {
    "in a model": """
x = k.Input((6, 4))
y = o.layer_normalization(o.conv(x, tf.ones((2, 4, 4)), padding="same"), tf.ones(4))
y = o.gelu(o.dot_product_attention(y[:, :, None], y[:, :, None], y[:, :, None])[:, :, 0])
m = k.Model(x, o.softmax(o.max_pool(y, 2)))
result = [m(s), [op.name for op in m.operations][1:4]]""",
    "shapes in models": """
x, t = k.Input((5, 6, 4)), k.Input((None, 3), dtype="float16")
real, imaginary = o.stft(k.Input((12,)), 4, 2, 4)
y = [o.max_pool(x, 2), o.conv_transpose(x, tf.ones((3, 3, 2, 4)), 2, "same"), o.softmax(t),
     o.one_hot(k.Input((2,), dtype="int32"), 3), o.average_pool(x, 2), real, o.rsqrt(t),
     o.norm(t, axis=1), o.unfold(k.Input((3, 4, 4)), 2), o.depth_to_space(x, 2), o.top_k(t, 2)[1],
     o.rms_normalization(t), o.segment_sum(t, k.Input((), dtype="int32"), 4)]
result = [[list(each.shape), each.dtype] for each in y]""",
    "gradients": """
with tf.GradientTape() as tape:
    tape.watch([a, s])
    y = tf.reduce_sum(o.softmax(s, (1, 2)) * s) + o.norm(a, 3, 1)[0] + tf.reduce_sum(o.silu(a))
result = tape.gradient(y, [a, s])""",
}

PROGRAMS = {
    **{
        call: f"{_SETUP}\nresult = {'' if call.startswith(('o.', 'tf.')) else 'o.'}{call}"
        for call in CALLS
    },
    **{name: _SETUP + code for name, code in _PROGRAMS.items()},
}
