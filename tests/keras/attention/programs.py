"""Programs on attention layers, whose results were recorded from Keras (`tests.keras.oracle`)."""

from __future__ import annotations

_DATA = """
k.backend.clear_session()
r = np.random.default_rng(3)
q, v, kk = (r.standard_normal((2, n, 6)).astype("float32") for n in (3, 4, 4))
x = r.standard_normal((2, 3, 4, 6)).astype("float32")
qm = np.array([[True, True, False], [True, False, False]])
vm = np.array([[True, True, False, True], [True, True, False, False]])
am = r.uniform(size=(2, 3, 4)) > 0.3
am[:, :, 0] = True
def filled(layer, *shapes):
    if not layer.built:
        layer.build(*shapes)
    g = np.random.default_rng(5)
    layer.set_weights([g.standard_normal(w.shape) * 0.5 for w in layer.get_weights()])
    return layer
def gradients(call, layer, *inputs):
    inputs = [tf.constant(i) for i in inputs]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        out = call(*inputs)
        loss = sum(tf.reduce_sum(tf.sin(o)) for o in tf.nest.flatten(out))
    wrt = inputs + [w.value if not callable(w.value) else w for w in layer.trainable_weights]
    return tape.gradient(loss, wrt)
def about(layer):
    return [[w.path, list(w.shape)] for w in layer.weights] + [layer.get_config()]
"""


def _program(code: str) -> str:
    return _DATA + code


_PLAIN = {
    "dot": "k.layers.Attention()",
    "scaled": "k.layers.Attention(use_scale=True, dropout=0.5, seed=3)",
    "concat": "k.layers.Attention(use_scale=True, score_mode='concat')",
    "additive": "k.layers.AdditiveAttention()",
    "additive_plain": "k.layers.AdditiveAttention(use_scale=False)",
}
_HEADS = {
    "heads": "k.layers.MultiHeadAttention(2, 5)",
    "heads_sizes": "k.layers.MultiHeadAttention(2, 5, value_dim=3, output_shape=7, use_bias=False)",
    "heads_gate": "k.layers.MultiHeadAttention(2, 4, use_gate=True, sliding_window=2)",
    "heads_dropout": "k.layers.MultiHeadAttention(3, 2, dropout=0.5, seed=1)",
    "grouped": "k.layers.GroupQueryAttention(3, 4, 2)",
    "grouped_gate": "k.layers.GroupQueryAttention(2, 4, 1, use_gate=True, use_bias=False)",
}

PROGRAMS = {
    **{
        f"{name}_{case}": _program(
            f"layer = filled({layer}, [q.shape, v.shape, v.shape])\nresult = {call}"
        )
        for name, layer in _PLAIN.items()
        for case, call in (
            ("two", "layer([q, v], return_attention_scores=True)"),
            ("three", "layer([q, v, kk])"),
            ("masked", "layer([q, v, kk], mask=[qm, vm, None], return_attention_scores=True)"),
            (
                "causal",
                "[layer([q, v], use_causal_mask=True), "
                "layer([q, v], mask=[None, vm], use_causal_mask=True)]",
            ),
            ("gradients", "gradients(lambda *i: layer(list(i), mask=[qm, vm]), layer, q, v, kk)"),
            ("about", "about(layer)"),
        )
    },
    **{
        f"{name}_{case}": _program(f"layer = filled({layer}, q.shape, v.shape)\nresult = {call}")
        for name, layer in _HEADS.items()
        for case, call in (
            ("two", "layer(q, v)"),
            ("scores", "layer(q, v, return_attention_scores=True)"),
            ("masked", "layer(q, v, key=kk, value_mask=vm, key_mask=vm, attention_mask=am)"),
            (
                "causal",
                "[layer(q, v, use_causal_mask=True), "
                "layer(q, v, value_mask=vm, use_causal_mask=True)]",
            ),
            ("causal_scores", "layer(q, v, use_causal_mask=True, return_attention_scores=True)"),
            (
                "gradients",
                "gradients(lambda q, v, c: layer(q, v, c, attention_mask=am), layer, q, v, kk)",
            ),
            ("about", "about(layer)"),
            ("shape", "layer.compute_output_shape(q.shape, v.shape)"),
        )
    },
    **{
        f"axes_{name}": _program(
            f"layer = filled(k.layers.MultiHeadAttention(2, 4, attention_axes={axes}), "
            f"x.shape, x.shape)\n"
            "result = [layer(x, x), layer(x, x, return_attention_scores=True)[1], "
            "layer.get_config()['attention_axes']]"
        )
        for name, axes in (("all", None), ("both", "(1, 2)"), ("one", "1"), ("last", "(-1,)"))
    },
    "keras_masks": _program(
        "e = filled(k.layers.Embedding(5, 6, mask_zero=True), (2, 3))\n"
        "ids = np.array([[1, 2, 0], [3, 0, 0]])\n"
        "layer = filled(k.layers.MultiHeadAttention(2, 4), q.shape, q.shape)\n"
        "y = layer(e(ids), e(ids))\n"
        "result = [y, y._keras_mask, layer(q, e(ids)), layer(e(ids), v, use_causal_mask=True)]"
    ),
    "keras_masks_of_lists": _program(
        "e = filled(k.layers.Embedding(5, 6, mask_zero=True), (2, 3))\n"
        "ids = np.array([[1, 2, 0], [3, 0, 0]])\n"
        "layer = filled(k.layers.Attention(use_scale=True), [q.shape, q.shape])\n"
        "result = [layer([e(ids), e(ids)]), layer([q, e(ids)])]"
    ),
    "mask_ranks": _program(
        "layer = filled(k.layers.MultiHeadAttention(2, 4), q.shape, v.shape)\n"
        "result = [layer(q, v, attention_mask=m) for m in (am[0], am, am[:, None].repeat(2, 1))]"
    ),
    "half": _program(
        "layer = filled(k.layers.MultiHeadAttention(2, 4, dtype='mixed_float16'), "
        "q.shape, v.shape)\n"
        "result = [layer(q, v), layer(q, v, attention_mask=am, return_attention_scores=True)]"
    ),
    "model": _program(
        "a, b = k.Input((3, 6)), k.Input((None, 6))\n"
        "y, s = k.layers.MultiHeadAttention(2, 4)(a, b, return_attention_scores=True)\n"
        "y = k.layers.Attention()([y, a])\n"
        "m = filled(k.Model([a, b], [k.layers.GroupQueryAttention(2, 4, 2)(y, y), s]))\n"
        "again = k.Model.from_config(m.get_config())\n"
        "again.set_weights(m.get_weights())\n"
        "result = [m([q, v]), again([q, v])]"
    ),
    **{
        f"refused_{name}": _program(f"result = {code}")
        for name, code in (
            ("mode", "k.layers.Attention(score_mode='x')"),
            ("heads", "k.layers.MultiHeadAttention(0, 2)"),
            ("sizes", "k.layers.MultiHeadAttention(2, 2, value_dim=-1)"),
            ("axes", "k.layers.MultiHeadAttention(2, 2, attention_axes='1')"),
            ("window", "k.layers.MultiHeadAttention(2, 2, sliding_window=0)"),
            ("output", "k.layers.MultiHeadAttention(2, 2, output_shape=2.5)"),
            ("groups", "k.layers.GroupQueryAttention(2, 3, 2)"),
            ("flash", "k.layers.MultiHeadAttention(2, 2, dropout=0.1, flash_attention=True)"),
            ("flash_call", "k.layers.MultiHeadAttention(2, 2, flash_attention=True)(q, v)"),
            ("list", "k.layers.Attention()(q)"),
            ("four", "k.layers.Attention()([q, v, v, v])"),
            ("mask", "k.layers.Attention()([q, v], mask=qm)"),
            ("lengths", "k.layers.MultiHeadAttention(2, 2)(q, v, q)"),
        )
    },
}
