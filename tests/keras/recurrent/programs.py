"""Programs on recurrent layers, whose results were recorded from Keras (`tests.keras.oracle`)."""

from __future__ import annotations

_DATA = """
k.backend.clear_session()
r = np.random.default_rng(3)
x = r.standard_normal((2, 5, 3)).astype("float32")
mask = np.array([[False, True, True, False, True], [True, True, False, False, False]])
def filled(layer, shape=(2, 5, 3), seed=5):
    if not layer.built:
        layer.build(shape)
    g = np.random.default_rng(seed)
    layer.set_weights([g.standard_normal(w.shape) * 0.5 for w in layer.get_weights()])
    return layer
def gradients(call, layer, *inputs):
    inputs = [tf.constant(i) for i in inputs]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        out = call(*inputs)
        loss = sum(tf.reduce_sum(tf.sin(o)) for o in tf.nest.flatten(out))
    wrt = inputs + [v.value if not callable(v.value) else v for v in layer.trainable_weights]
    return tape.gradient(loss, wrt)
"""


def _program(code: str) -> str:
    return _DATA + code


_LAYERS = {
    "simple": "k.layers.SimpleRNN(4, {})",
    "lstm": "k.layers.LSTM(4, {})",
    "gru": "k.layers.GRU(4, {})",
    "gru_before": "k.layers.GRU(4, reset_after=False, {})",
}
_SEQUENCES = "return_sequences=True, return_state=True"

PROGRAMS = {
    **{
        f"{name}_{case}": _program(f"layer = filled({layer.format(arguments)})\nresult = {call}")
        for name, layer in _LAYERS.items()
        for case, arguments, call in (
            ("states", _SEQUENCES, "layer(x)"),
            ("last", "return_state=True", "layer(x)"),
            ("masked", _SEQUENCES, "layer(x, mask=mask)"),
            ("masked_last", "", "layer(x, mask=mask)"),
            ("masked_backwards", f"{_SEQUENCES}, go_backwards=True", "layer(x, mask=mask)"),
            ("masked_zeros", f"{_SEQUENCES}, zero_output_for_mask=True", "layer(x, mask=mask)"),
            ("unrolled_masked", f"{_SEQUENCES}, unroll=True", "layer(x, mask=mask)"),
            ("gradients", _SEQUENCES, "gradients(layer, layer, x)"),
            ("masked_gradients", "", "gradients(lambda x: layer(x, mask=mask), layer, x)"),
            ("output_shape", _SEQUENCES, "layer.compute_output_shape((None, None, 3))"),
            ("weights", "", "[w.name for w in layer.weights] + [w.path for w in layer.weights]"),
        )
    },
    "initial_state": _program(
        "h, c = r.standard_normal((2, 2, 4)).astype('float32')\n"
        "layer = filled(k.layers.LSTM(4, return_state=True))\n"
        "result = [layer(x, initial_state=[h, c]), gradients("
        "lambda x, h, c: layer(x, initial_state=[h, c]), layer, x, h, c)]"
    ),
    "stateful": _program(
        "layer = filled(k.layers.LSTM(4, stateful=True))\n"
        "first = [layer(x), layer(x)]\n"
        "layer.reset_state()\n"
        "result = first + [layer(x)] + [np.asarray(s) for s in layer.states]"
    ),
    "stacked": _program(
        "layer = filled(k.layers.RNN([k.layers.LSTMCell(3), k.layers.GRUCell(4)], "
        "return_sequences=True, return_state=True))\n"
        "result = [layer(x), layer(x, mask=mask), layer.compute_output_shape((2, 5, 3))]"
    ),
    "custom_cell": _program(
        "class Cell(k.layers.Layer):\n"
        "    state_size = 4\n"
        "    def build(self, shape):\n"
        "        self.w = self.add_weight(shape=(shape[-1], 4), name='w')\n"
        "    def call(self, inputs, states):\n"
        "        new = tf.tanh(tf.matmul(inputs, self.w) + states[0])\n"
        "        return new, [new]\n"
        "layer = filled(k.layers.RNN(Cell(), return_sequences=True))\n"
        "result = [layer(x), layer(x, mask=mask)]"
    ),
    **{
        f"bidirectional_{mode}": _program(
            f"layer = filled(k.layers.Bidirectional(k.layers.LSTM(3, {_SEQUENCES}), "
            f"merge_mode={mode!r}))\n"
            f"result = [layer(x), layer(x, mask=mask), layer.compute_output_shape((None, 5, 3))]"
        )
        for mode in ("concat", "sum", "ave", "mul", None)
    },
    "bidirectional_last": _program(
        "layer = filled(k.layers.Bidirectional(k.layers.GRU(3)))\n"
        "result = [layer(x), layer(x, mask=mask), [w.path for w in layer.weights]]"
    ),
    "bidirectional_initial_state": _program(
        "s = list(r.standard_normal((4, 2, 3)).astype('float32'))\n"
        "layer = filled(k.layers.Bidirectional(k.layers.LSTM(3)))\n"
        "result = layer(x, initial_state=s)"
    ),
    "embedding_masks": _program(
        "m = k.Sequential([k.layers.Embedding(7, 3, mask_zero=True), k.layers.LSTM(4)])\n"
        "ids = np.array([[1, 2, 0, 0], [3, 4, 5, 0]])\n"
        "m(ids)\n"
        "result = filled(m)(ids)"
    ),
    "seq2seq": _program(
        "a, b = k.Input((5, 3)), k.Input((None, 3))\n"
        "_, h, c = k.layers.LSTM(4, return_state=True)(a)\n"
        "y = k.layers.LSTM(4, return_sequences=True)(b, initial_state=[h, c])\n"
        "m = filled(k.Model([a, b], k.layers.Dense(2)(y)))\n"
        "again = k.Model.from_config(m.get_config())\n"
        "again.set_weights(m.get_weights())\n"
        "result = [m([x, x[:, :2]]), again([x, x[:, :2]])]"
    ),
    "conv_lstm": _program(
        "v = r.standard_normal((2, 3, 4, 4, 2)).astype('float32')\n"
        "layer = filled(k.layers.ConvLSTM2D(3, 2, return_sequences=True, return_state=True), "
        "v.shape)\n"
        "m = np.array([[True, False, True], [False, True, True]])\n"
        "result = [layer(v), layer(v, mask=m), layer.compute_output_shape((None, 3, 4, 4, 2))]"
    ),
    "time_distributed": _program(
        "layer = filled(k.layers.TimeDistributed(k.layers.Dense(2)))\n"
        "result = [layer(x), layer.compute_output_shape((None, 5, 3))]"
    ),
    "configs": _program(
        "result = [l.get_config() for l in (k.layers.LSTM(3), k.layers.GRU(3), "
        "k.layers.SimpleRNN(3), k.layers.LSTMCell(3), k.layers.Bidirectional(k.layers.GRU(2)), "
        "k.layers.RNN([k.layers.LSTMCell(2), k.layers.SimpleRNNCell(3)]))]"
    ),
    **{
        f"refused_{name}": _program(f"result = {code}")
        for name, code in (
            ("units", "k.layers.LSTM(-1)"),
            ("cell", "k.layers.RNN(k.layers.Dense(2))"),
            ("merge_mode", "k.layers.Bidirectional(k.layers.LSTM(2), merge_mode='x')"),
            ("no_layer", "k.layers.Bidirectional(2)"),
            ("rank", "k.layers.LSTM(2)(np.ones((2, 3), 'float32'))"),
            ("reset", "k.layers.LSTM(2).reset_state()"),
            (
                "direction",
                "k.layers.Bidirectional(k.layers.LSTM(2), backward_layer=k.layers.LSTM(2))",
            ),
        )
    },
}
