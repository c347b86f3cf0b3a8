"""Programs on quantization and LoRA, whose results were recorded from Keras."""

from __future__ import annotations

_DATA = """
k.backend.clear_session()
r = np.random.default_rng(3)
q = k.quantizers
x = r.standard_normal((3, 7)).astype("float32")
x3 = r.standard_normal((3, 2, 7)).astype("float32")
x4 = r.standard_normal((2, 3, 4, 7)).astype("float32")
ids = np.array([[1, 2, 5], [0, 3, 3]])
def filled(layer, x):
    layer(x)
    g = np.random.default_rng(5)
    layer.set_weights([g.standard_normal(w.shape) for w in layer.get_weights()])
    return layer
def about(layer):
    facts = [[w.path, list(w.shape), k.backend.standardize_dtype(w.dtype)] for w in layer.weights]
    return [sorted(facts), layer.dtype_policy.name, layer.get_config()]
def gradients(layer, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.sin(layer(x, training=True)))
    wrt = [x] + [w.value if not callable(w.value) else w for w in layer.trainable_weights]
    return tape.gradient(loss, wrt)
"""


def _program(code: str) -> str:
    return _DATA + code


# A model to calibrate. Keras' own calibration observes `call`, which layers with a quantized
# policy do not use, so that its statistics stay empty: the oracle calls it until they are ready.
# No kernel is square: of such ones Keras adds the zero points along the wrong axis.
_CALIBRATED = """
def through_call(quantized, flag):
    def call(self, inputs, training=False):
        return quantized(self, inputs) if getattr(self, flag) else self.call(inputs)
    return call
if tf.__name__ == "tensorflow":
    for cls in (k.layers.Dense, k.layers.EinsumDense):
        for mode in ("gptq", "awq"):
            name = f"_{mode}_call"
            setattr(cls, name, through_call(getattr(cls, name), f"is_{mode}_calibrated"))
m = k.Sequential([
    k.Input((40,)), k.layers.Embedding(30, 16), k.layers.Dense(24, activation="relu"),
    k.layers.Dense(16), k.Sequential([
        k.layers.EinsumDense("abc,cde->abde", (None, 2, 12), bias_axes="de"),
        k.layers.EinsumDense("abcd,cde->abe", (None, 13))])])
tokens = r.integers(0, 30, (1, 40)).astype("int32")
m = filled(m, tokens)
# Of both signs in each group: zero points of groups without negative weights overflow in Keras.
def alternating(w):
    columns = 13 if w.shape[-1] == 13 else int(np.prod(w.shape[1:]))
    return 0.3 * np.abs(w) * (-1) ** (np.arange(w.size).reshape(w.shape) // columns)
m.set_weights([alternating(w) if w.ndim > 1 else w for w in m.get_weights()])
def about_calibrated(layer):
    facts = [[w.path, list(w.shape), k.backend.standardize_dtype(w.dtype)] for w in layer.weights]
    names = ("kernel_scale", "kernel_zero", "g_idx", "awq_scales")
    return [sorted(facts), layer.kernel, [getattr(layer, n) for n in names if hasattr(layer, n)]]
"""
_EXAMPLES = (
    "[tokens], list, num_samples=1, sequence_length=40, quantization_layer_structure="
    "{'pre_block_layers': m.layers[:1], 'sequential_blocks': m.layers[1:]}"
)

_LAYERS = {
    "dense": ("k.layers.Dense(5, activation='tanh')", "x"),
    "einsum": ("k.layers.EinsumDense('abc,cde->abde', (None, 3, 2), bias_axes='de')", "x3"),
    "einsum_two": ("k.layers.EinsumDense('abcd,cde->abe', (None, 6), bias_axes='e')", "x4"),
}
_TABLES = {
    "embedding": "k.layers.Embedding(6, 7)",
    "reversible": "k.layers.ReversibleEmbedding(6, 7)",
    "reversible_untied": "k.layers.ReversibleEmbedding(6, 7, tie_weights=False)",
}
_MODES = {
    "int8": "'int8'",
    "int4": "'int4'",
    "int4_blocks": "config=q.Int4QuantizationConfig(block_size=3)",
    "int4_plain": "config=q.Int4QuantizationConfig(block_size=None)",
    "int8_weights": "config=q.Int8QuantizationConfig(activation_quantizer=None)",
    "float8": "'float8'",
}

PROGRAMS = {
    **{
        f"{name}_{mode}": _program(
            f"layer = filled({layer}, {x})\n"
            f"layer.quantize({arguments})\n"
            f"facts = about(layer)\n"
            f"result = [layer({x}), facts]"
            # The gradients of float8 are new values of scales, which Keras reads in `fit` alone.
            + ("" if mode == "float8" else f" + gradients(layer, {x})")
        )
        for name, (layer, x) in _LAYERS.items()
        for mode, arguments in _MODES.items()
    },
    **{
        f"{name}_{mode}": _program(
            f"layer = filled({layer}, ids)\n"
            f"layer.quantize({arguments})\n"
            f"result = [layer(ids), about(layer)]"
            + ("\nresult.append(layer(x, reverse=True))" if "reversible" in name else "")
        )
        for name, layer in _TABLES.items()
        for mode, arguments in _MODES.items()
        if mode != "float8"
    },
    **{
        f"lora_{name}": _program(
            f"layer = filled({layer}, {x})\n"
            f"{before}\n"
            f"layer.enable_lora(2, lora_alpha=3)\n"
            f"g = np.random.default_rng(7)\n"
            f"for w in layer.trainable_weights:\n"
            f"    w.assign(g.standard_normal(w.shape))\n"
            f"result = [layer({x}), about(layer), [w.path for w in layer.trainable_weights], "
            f"layer.{weight}]"
        )
        for name, layer, x, before, weight in (
            ("dense", "k.layers.Dense(5)", "x", "pass", "kernel"),
            ("dense_int8", "k.layers.Dense(5)", "x", "layer.quantize('int8')", "kernel_scale"),
            ("dense_int4", "k.layers.Dense(5)", "x", "layer.quantize('int4')", "kernel_scale"),
            (
                "einsum",
                "k.layers.EinsumDense('abc,cde->abde', (None, 3, 2))",
                "x3",
                "pass",
                "kernel",
            ),
            ("embedding", "k.layers.Embedding(6, 7)", "ids", "pass", "embeddings"),
            ("conv", "k.layers.Conv1D(4, 2)", "x3", "pass", "kernel"),
            ("conv2d", "k.layers.Conv2D(4, 2)", "x4", "pass", "kernel"),
        )
    },
    "model": _program(
        "m = filled(k.Sequential([k.Input((7,)), k.layers.Dense(5), k.layers.ReLU(), "
        "k.layers.Dense(2)]), x)\n"
        "m.quantize('int8', filters='dense$')\n"
        "again = k.Sequential.from_config(m.get_config())\n"
        "result = [m(x), m.predict(x, verbose=0), [l.dtype_policy.name for l in m.layers], "
        "[[list(w.shape), w.path] for w in again.weights]]"
    ),
    "abs_max": _program(
        "result = [q.abs_max_quantize(x, 0), q.abs_max_quantize(x, (0, 1)), "
        "q.AbsMaxQuantizer(axis=-1, value_range=(-8, 7))(x), "
        "q.AbsMaxQuantizer(axis=0).get_config()]"
    ),
    "packing": _program(
        "a = r.integers(-8, 8, (3, 5)).astype('int8')\n"
        "result = []\n"
        "for axis in (0, 1, -1):\n"
        "    p, shape, n = q.pack_int4(a, axis=axis)\n"
        "    result.append([p, list(shape), n, q.unpack_int4(p, n, axis=axis)])"
    ),
    "grouped": _program(
        "result = [q.abs_max_quantize_grouped_with_zero_point(x.T, 3, to_numpy=True), "
        "q.abs_max_quantize_grouped_with_zero_point(x.T, 128, to_numpy=True)]"
    ),
    "float8_functions": _program(
        "h = np.array([3., 1., 2.], 'float32')\n"
        "result = [q.compute_float8_scale(np.float32(3), np.float32(2), np.float32(448)), "
        "q.compute_float8_scale(np.float32(0), np.float32(2), np.float32(448), margin=1), "
        "q.compute_float8_amax_history(x, h), "
        "q.quantize_and_dequantize(x, 0.01, 'float8_e4m3fn', 'float32')]"
    ),
    "fake": _program(
        "result = [q.fake_quant_with_min_max_vars(x, -1., 1.), "
        "q.fake_quant_with_min_max_vars(x, -1., 1., num_bits=4, narrow_range=True), "
        "q.fake_quant_with_min_max_vars(x, [-1.] * 3, [1., 2., 3.], axis=0)]"
    ),
    "configs": _program(
        "cs = [q.Int8QuantizationConfig(), q.Int4QuantizationConfig(), "
        "q.Float8QuantizationConfig(), q.AWQConfig(None, None)]\n"
        "result = [[c.mode, q.serialize(c), type(q.deserialize(q.serialize(c))).__name__] "
        "for c in cs]"
    ),
    **{
        f"calibrated_{name}": _program(
            _CALIBRATED + f"config = q.{cls}({_EXAMPLES}, {options})\n"
            f"m.quantize(config.mode, config=config)\n"
            f"result = [m(tokens), [l.dtype_policy.name for l in m.layers], "
            f"*[about_calibrated(l) for l in [*m.layers[1:3], *m.layers[3].layers]]]"
        )
        for name, cls, options in (
            ("gptq", "GPTQConfig", "group_size=-1"),
            ("gptq_groups", "GPTQConfig", "group_size=8"),
            ("gptq_symmetric", "GPTQConfig", "group_size=8, symmetric=True, weight_bits=8"),
            ("gptq_ordered", "GPTQConfig", "group_size=8, activation_order=True, weight_bits=3"),
            ("gptq_tensor", "GPTQConfig", "group_size=-1, per_channel=False, weight_bits=2"),
            ("awq", "AWQConfig", "group_size=-1"),
            ("awq_groups", "AWQConfig", "group_size=6, num_grid_points=7"),
        )
    },
    **{
        f"calibrated_missing_{name}": _program(_CALIBRATED + f"result = m.quantize({code})")
        for name, code in (
            ("structure", "'gptq', config=q.GPTQConfig(tokens, list)"),
            ("config", "'awq'"),
            ("dataset", f"'awq', config=q.AWQConfig({_EXAMPLES.replace('[tokens]', 'None')})"),
            ("other", "'awq', config=q.GPTQConfig(tokens, list)"),
        )
    },
    "policies": _program(
        "ps = [k.dtype_policies.get(n) for n in ('int8_from_float32', 'int4_from_mixed_bfloat16', "
        "'int4/32_from_float32', 'float8_from_float32', 'gptq/4/128_from_float32', "
        "'awq/4/-1_from_float32')]\n"
        "result = [[p.name, p.compute_dtype, p.variable_dtype, p.quantization_mode, "
        "k.dtype_policies.serialize(p), k.dtype_policies.deserialize("
        "k.dtype_policies.serialize(p)) == p] for p in ps]"
    ),
    "policy_map": _program(
        "d = k.dtype_policies\n"
        "m = d.DTypePolicyMap('float32')\n"
        "m['a/b'] = 'mixed_float16'\n"
        "m['c/.*'] = d.DTypePolicy('bfloat16')\n"
        "again = d.deserialize(d.serialize(m))\n"
        "result = [m['a/b'].name, m['c/d'].name, m['e'].name, len(m), list(m), m.name, "
        "again['c/x'].name, 'a/b' in m, m.compute_dtype, d.serialize(m)]"
    ),
    "policy_map_of_a_layer": _program(
        "m = k.dtype_policies.DTypePolicyMap('float32')\n"
        "m['att/query'] = 'int8_from_float32'\n"
        "m['att/key'] = 'mixed_bfloat16'\n"
        "layer = k.layers.MultiHeadAttention(2, 3, dtype=m, name='att')\n"
        "layer(x3, x3)\n"
        "result = [[w.path, k.backend.standardize_dtype(w.dtype)] for w in layer.weights] + "
        "[l.compute_dtype for l in (layer.query_dense, layer.key_dense, layer.value_dense)]"
    ),
    **{
        f"refused_{name}": _program(f"layer = k.layers.Dense(2)\nresult = {code}")
        for name, code in (
            ("unbuilt", "layer.quantize('int8')"),
            ("mode", "filled(layer, x).quantize('int3')"),
            ("twice", "[filled(layer, x).quantize('int8'), layer.quantize('int8')]"),
            ("other", "k.layers.ReLU().quantize('int8')"),
            ("lora_unbuilt", "layer.enable_lora(2)"),
            ("lora_twice", "[filled(layer, x).enable_lora(2), layer.enable_lora(2)]"),
            ("range", "q.AbsMaxQuantizer(value_range=(-200, 127))"),
            ("policy", "k.dtype_policies.get('int8_to_float32')"),
            ("blocks", "q.Int4QuantizationConfig(block_size=-3)"),
            ("pack", "q.pack_int4(x)"),
        )
    },
}
