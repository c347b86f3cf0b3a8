"""Programs on features of layers, whose results were recorded from Keras (`tests.keras.oracle`)."""

from __future__ import annotations

_DATA = """
k.backend.clear_session()
r = np.random.default_rng(3)
x1, x2, x3 = (r.standard_normal((2, *s, 3)).astype("float32") for s in ((7,), (5, 7), (4, 5, 3)))
def filled(layer, *shapes):
    if not layer.built:
        layer.build(*shapes)
    g = np.random.default_rng(5)
    layer.set_weights([g.uniform(0.2, 1, w.shape) for w in layer.get_weights()])
    return layer
def gradients(call, layer, *inputs):
    inputs = [tf.constant(i) for i in inputs]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        loss = sum(tf.reduce_sum(tf.sin(o)) for o in tf.nest.flatten(call(*inputs)))
    wrt = inputs + [w.value if not callable(w.value) else w for w in layer.trainable_weights]
    return [tf.convert_to_tensor(g) for g in tape.gradient(loss, wrt)]
def about(layer):
    return [[w.path, list(w.shape)] for w in layer.weights] + [layer.get_config()]
"""


def _program(code: str) -> str:
    return _DATA + code


PROGRAMS = {
    **{
        f"adaptive_{kind.lower()}_{n}_{len(sizes)}": _program(
            f"layer = k.layers.Adaptive{kind}Pooling{n}D({size}{more})\n"
            f"x = x{n}{'' if not more else f'.swapaxes(1, {n + 1})'}\n"
            "result = [layer(x), gradients(layer, layer, x), layer.compute_output_shape(x.shape), "
            "layer.get_config()]"
        )
        for kind in ("Average", "Max")
        for n, size, more, sizes in (
            (1, 3, "", "1"),
            (1, 9, "", "12"),
            (1, "(4,)", ", 'channels_first'", "123"),
            (2, "(2, 3)", "", "1"),
            (2, 3, ", data_format='channels_first'", "12"),
            (3, "(2, 3, 2)", "", "1"),
        )
    },
    **{
        f"reversible_{name}": _program(
            f"layer = filled(k.layers.ReversibleEmbedding(5, 3{arguments}), (2, 4))\n"
            "ids = np.array([[1, 0, 2, 4], [3, 3, 0, 0]])\n"
            "e = layer(ids)\n"
            "result = [e, layer(x1, reverse=True), about(layer), "
            "gradients(lambda x: [layer(x, reverse=True), layer(ids)], layer, x1), "
            "layer.compute_output_shape((2, 4)), layer.compute_output_shape((2, 4, 3), True)]"
        )
        for name, arguments in (
            ("tied", ""),
            ("untied", ", tie_weights=False"),
            ("capped", ", logit_soft_cap=2.0, reverse_dtype='float32'"),
        )
    },
    **{
        f"spectral_{name}": _program(
            f"layer = filled(k.layers.SpectralNormalization({arguments}), {x}.shape)\n"
            f"plain = layer({x})\n"
            f"result = [plain, layer({x}, training=True), layer({x}), layer.get_weights(), "
            f"about(layer), layer.compute_output_shape({x}.shape)]"
        )
        for name, arguments, x in (
            ("dense", "k.layers.Dense(4)", "x1"),
            ("conv", "k.layers.Conv2D(2, 3), power_iterations=3", "x2"),
        )
    },
    "spectral_zero": _program(
        "layer = k.layers.SpectralNormalization(k.layers.Dense(2, kernel_initializer='zeros'))\n"
        "result = layer(x1, training=True)"
    ),
    **{
        f"refused_{name}": _program(f"result = {code}")
        for name, code in (
            ("adaptive_type", "k.layers.AdaptiveMaxPooling1D('2')"),
            ("adaptive_count", "k.layers.AdaptiveAveragePooling2D((2, 3, 4))"),
            ("spectral_iterations", "k.layers.SpectralNormalization(k.layers.Dense(2), -1)"),
            ("spectral_kernel", "k.layers.SpectralNormalization(k.layers.ReLU())(x1)"),
        )
    },
}
