"""Every layer: with the same weights and batch, outputs, gradients, a step, and its config.

`PROGRAMS` has one program for each class, by its name; `test_coverage` demands one for each.
"""

from __future__ import annotations

SHARED = """
k.backend.clear_session()
k.utils.set_random_seed(7)
L = k.layers
r = np.random.default_rng(3)
def n(*shape): return r.standard_normal(shape).round(2).astype("float32")
def image(*shape): return r.integers(0, 255, shape).astype("float32")
"""
STEP = """
layer = {make}
inputs = tf.nest.map_structure(tf.constant, {inputs})
call = lambda: layer({call})
call()
values = np.random.default_rng(5)
layer.set_weights([
    values.uniform(0.2, 1, w.shape).round(2).astype(w.dtype) if "float" in str(w.dtype) else w
    for w in layer.get_weights()
])
variables = [v if callable(v.value) else v.value for v in layer.trainable_weights]
floats = [x for x in tf.nest.flatten(inputs) if x.dtype.is_floating]
with tf.GradientTape(persistent=True) as tape:
    tape.watch(floats)
    outputs = tf.nest.flatten(call())
    flat = [o.values if isinstance(o, tf.SparseTensor) else o for o in outputs]
    loss = sum([tf.reduce_mean(tf.sin(o)) for o in flat if o.dtype.is_floating], tf.constant(0.0))
    loss += sum(tf.nest.flatten(layer.losses))
def dense(gradient): return None if gradient is None else tf.convert_to_tensor(gradient)
gradients = [[dense(tape.gradient(loss, x)) for x in xs] for xs in (floats, variables)]
if variables:
    optimizer = k.optimizers.SGD(0.1)
    optimizer.apply_gradients(zip(gradients[1], layer.trainable_weights))
config = layer.get_config()
import json
again = type(layer).from_config(dict(config))
same = json.dumps(again.get_config(), default=str) == json.dumps(config, default=str)
for unequal in ("name", {without!r}): config.pop(unequal, None)
result = [flat, gradients, layer.get_weights(), config, same,
          k.layers.serialize(layer).get("build_config")]
"""

# What is created, its inputs, and how it is called with them if not as `layer(inputs)`.
SAMPLES: dict[str, tuple[str, ...]] = {
    # -- core -----------------------------------------------------------------------------------
    "Dense": ("L.Dense(2, 'tanh')", "n(2, 3)"),
    "EinsumDense": ("L.EinsumDense('abc,cd->abd', (None, 2), bias_axes='d')", "n(2, 2, 3)"),
    "Embedding": ("L.Embedding(4, 2)", "np.array([[1, 3], [0, 1]])"),
    "ReversibleEmbedding": ("L.ReversibleEmbedding(4, 2)", "np.array([[1, 3], [0, 1]])"),
    "Lambda": ("L.Lambda(k.activations.gelu, arguments={'approximate': True})", "n(2, 3)"),
    "Masking": ("L.Masking(0.5)", "n(2, 2, 2)"),
    "Identity": ("L.Identity()", "n(2, 3)"),
    # -- activations ------------------------------------------------------------------------------
    "Activation": ("L.Activation('gelu')", "n(2, 3)"),
    "ReLU": ("L.ReLU(1.0, 0.1, 0.2)", "n(2, 3)"),
    "LeakyReLU": ("L.LeakyReLU(0.2)", "n(2, 3)"),
    "PReLU": ("L.PReLU()", "n(2, 3)"),
    "ELU": ("L.ELU(0.5)", "n(2, 3)"),
    "Softmax": ("L.Softmax()", "n(2, 3)"),
    # -- regularization ---------------------------------------------------------------------------
    **{
        name: (f"L.{name}(0.4, seed=3)", f"n(*{shape})", "inputs, training=True")
        for name, shape in {
            "Dropout": (2, 3),
            "AlphaDropout": (2, 3),
            "GaussianDropout": (2, 3),
            "GaussianNoise": (2, 3),
            "SpatialDropout1D": (2, 2, 3),
            "SpatialDropout2D": (2, 2, 2, 3),
            "SpatialDropout3D": (1, 2, 2, 1, 3),
        }.items()
    },
    "ActivityRegularization": ("L.ActivityRegularization(0.1, 0.2)", "n(2, 3)"),
    # -- convolutions -----------------------------------------------------------------------------
    "Conv1D": ("L.Conv1D(2, 2, 2)", "n(1, 5, 2)"),
    "Conv2D": ("L.Conv2D(2, 2, padding='same')", "n(1, 3, 3, 2)"),
    "Conv3D": ("L.Conv3D(2, 2)", "n(1, 2, 3, 3, 2)"),
    "Conv1DTranspose": ("L.Conv1DTranspose(2, 2, 2)", "n(1, 3, 2)"),
    "Conv2DTranspose": ("L.Conv2DTranspose(2, 2, 2)", "n(1, 2, 2, 2)"),
    "Conv3DTranspose": ("L.Conv3DTranspose(1, 2)", "n(1, 2, 2, 1, 2)"),
    "DepthwiseConv1D": ("L.DepthwiseConv1D(2, depth_multiplier=2)", "n(1, 4, 2)"),
    "DepthwiseConv2D": ("L.DepthwiseConv2D(2)", "n(1, 3, 3, 2)"),
    "SeparableConv1D": ("L.SeparableConv1D(2, 2)", "n(1, 4, 2)"),
    "SeparableConv2D": ("L.SeparableConv2D(2, 2)", "n(1, 3, 3, 2)"),
    # -- pooling ----------------------------------------------------------------------------------
    **{
        f"{kind}Pooling{axes}D": (f"L.{kind}Pooling{axes}D({size})", f"n(*{shape})")
        for kind, size in (("Max", 2), ("Average", 2), ("GlobalMax", ""), ("GlobalAverage", ""))
        for axes, shape in ((1, (1, 4, 2)), (2, (1, 4, 3, 2)), (3, (1, 2, 2, 3, 1)))
    },
    **{
        f"Adaptive{kind}Pooling{axes}D": (f"L.Adaptive{kind}Pooling{axes}D(2)", f"n(*{shape})")
        for kind in ("Max", "Average")
        for axes, shape in ((1, (1, 5, 2)), (2, (1, 3, 4, 2)), (3, (1, 2, 3, 3, 1)))
    },
    # -- normalization ----------------------------------------------------------------------------
    "BatchNormalization": (
        "L.BatchNormalization(momentum=0.5)",
        "n(4, 3)",
        "inputs, training=True",
    ),
    "LayerNormalization": ("L.LayerNormalization()", "n(2, 3)"),
    "RMSNormalization": ("L.RMSNormalization()", "n(2, 3)"),
    "GroupNormalization": ("L.GroupNormalization(2)", "n(2, 2, 4)"),
    "UnitNormalization": ("L.UnitNormalization()", "n(2, 3)"),
    "SpectralNormalization": (
        "L.SpectralNormalization(L.Dense(2))",
        "n(2, 3)",
        "inputs, training=True",
    ),
    # -- merging ----------------------------------------------------------------------------------
    **{
        name: (f"L.{name}()", "[n(2, 3), n(2, 3)]")
        for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate")
    },
    "Dot": ("L.Dot(1, normalize=True)", "[n(2, 3), n(2, 3)]"),
    # -- shapes -----------------------------------------------------------------------------------
    "Flatten": ("L.Flatten()", "n(2, 2, 2)"),
    "Reshape": ("L.Reshape((2, -1))", "n(2, 6)"),
    "Permute": ("L.Permute((2, 1))", "n(2, 2, 3)"),
    "RepeatVector": ("L.RepeatVector(2)", "n(2, 3)"),
    **{
        name: (f"L.{name}()", f"n(*{shape})")
        for kind in ("ZeroPadding", "UpSampling", "Cropping")
        for name, shape in (
            (f"{kind}1D", (1, 3, 2)),
            (f"{kind}2D", (1, 3, 3, 1)),
            (f"{kind}3D", (1, 3, 3, 3, 1)),
        )
    },
    # -- recurrent --------------------------------------------------------------------------------
    "SimpleRNN": ("L.SimpleRNN(2, return_sequences=True)", "n(2, 3, 2)"),
    "LSTM": ("L.LSTM(2, return_state=True)", "n(2, 3, 2)"),
    "GRU": ("L.GRU(2, return_sequences=True)", "n(2, 3, 2)"),
    "SimpleRNNCell": ("L.SimpleRNNCell(2)", "[n(2, 3), n(2, 2)]", "inputs[0], inputs[1]"),
    "LSTMCell": ("L.LSTMCell(2)", "[n(2, 3), n(2, 2), n(2, 2)]", "inputs[0], inputs[1:]"),
    "GRUCell": ("L.GRUCell(2)", "[n(2, 3), n(2, 2)]", "inputs[0], inputs[1]"),
    "StackedRNNCells": (
        "L.StackedRNNCells([L.GRUCell(2), L.SimpleRNNCell(2)])",
        "[n(2, 3), n(2, 2), n(2, 2)]",
        "inputs[0], inputs[1:]",
    ),
    "RNN": ("L.RNN(L.LSTMCell(2))", "n(2, 3, 2)"),
    "Bidirectional": ("L.Bidirectional(L.GRU(2))", "n(2, 3, 2)"),
    "TimeDistributed": ("L.TimeDistributed(L.Dense(2))", "n(2, 3, 2)"),
    "ConvLSTM1D": ("L.ConvLSTM1D(1, 2)", "n(1, 2, 3, 2)"),
    "ConvLSTM2D": ("L.ConvLSTM2D(1, 2)", "n(1, 2, 2, 3, 2)"),
    "ConvLSTM3D": ("L.ConvLSTM3D(1, 2)", "n(1, 2, 2, 2, 3, 1)"),
    # -- attention --------------------------------------------------------------------------------
    "Attention": ("L.Attention(use_scale=True)", "[n(1, 2, 3), n(1, 3, 3)]"),
    "AdditiveAttention": ("L.AdditiveAttention()", "[n(1, 2, 3), n(1, 3, 3)]"),
    "MultiHeadAttention": (
        "L.MultiHeadAttention(2, 2)",
        "[n(1, 2, 3), n(1, 3, 3)]",
        "inputs[0], inputs[1]",
    ),
    "GroupQueryAttention": (
        "L.GroupQueryAttention(2, 4, 2)",
        "[n(1, 2, 3), n(1, 3, 3)]",
        "inputs[0], inputs[1]",
    ),
    # -- numbers, categories and texts ------------------------------------------------------------
    "Normalization": ("L.Normalization(mean=[0.5, 1.0], variance=[2.0, 4.0])", "n(3, 2)"),
    "Discretization": ("L.Discretization([-0.5, 0.0, 1.0])", "n(2, 3)"),
    "CategoryEncoding": ("L.CategoryEncoding(4)", "np.array([[0, 1], [3, 3]])"),
    "Hashing": ("L.Hashing(5, salt=3)", "np.array([['a'], ['b']])"),
    "HashedCrossing": (
        "L.HashedCrossing(5)",
        "[np.array([['a'], ['b']]), np.array([[1], [2]])]",
    ),
    "StringLookup": ("L.StringLookup(vocabulary=['a', 'b'])", "np.array([['b', 'z']])"),
    "IntegerLookup": ("L.IntegerLookup(vocabulary=[4, 7])", "np.array([[7, 1, 4]])"),
    "TextVectorization": (
        "L.TextVectorization(vocabulary=['foo', 'bar'])",
        "np.array(['Foo, bar!', 'baz'])",
    ),
    # -- images and sounds ------------------------------------------------------------------------
    "Rescaling": ("L.Rescaling(0.5, -1.0)", "n(2, 3)"),
    "Resizing": ("L.Resizing(3, 2)", "image(1, 4, 4, 1)"),
    "CenterCrop": ("L.CenterCrop(2, 2)", "image(1, 4, 4, 1)"),
    "AutoContrast": ("L.AutoContrast()", "image(1, 3, 3, 3)"),
    "Equalization": ("L.Equalization()", "image(1, 3, 3, 3)"),
    "Solarization": ("L.Solarization(0.5, 0.3, seed=1)", "image(1, 3, 3, 3)"),
    "ContrastLimitedAdaptiveHistogramEqualization": (
        "L.ContrastLimitedAdaptiveHistogramEqualization((0, 255), tile_grid_size=(2, 2))",
        "image(1, 4, 4, 3)",
    ),
    "Pipeline": (
        "L.Pipeline([L.RandomFlip('horizontal', seed=3), L.Rescaling(0.5)])",
        "image(1, 3, 3, 1)",
        "inputs, training=True",
    ),
    "MaxNumBoundingBoxes": (
        "L.MaxNumBoundingBoxes(2, bounding_box_format='xyxy')",
        "{'images': image(1, 2, 2, 3), 'bounding_boxes': "
        "{'boxes': np.ones((1, 3, 4), 'float32'), 'labels': np.array([[1, 2, 0]])}}",
    ),
    "MelSpectrogram": (
        "L.MelSpectrogram(fft_length=16, num_mel_bins=2, sequence_stride=8, sampling_rate=64, "
        "min_freq=1, max_freq=30)",
        "n(1, 32)",
    ),
    "STFTSpectrogram": (
        "L.STFTSpectrogram('log', frame_length=8, frame_step=8, fft_length=8)",
        "n(1, 16, 1)",
    ),
    **{
        name: (f"L.{name}({arguments}, seed=3)", "image(2, 4, 4, 3)", "inputs, training=True")
        for name, arguments in {
            "AugMix": "(0, 255), 1, 1",
            "CutMix": "0.5",
            "MixUp": "0.4",
            "RandAugment": "(0, 255), 1, 0.3",
            "RandomBrightness": "0.3",
            "RandomColorDegeneration": "0.4",
            "RandomColorJitter": "(0, 255), 0.2, 0.3, 0.4, 0.1",
            "RandomContrast": "0.4",
            "RandomCrop": "2, 3",
            "RandomElasticTransform": "0.9, 0.7",
            "RandomErasing": "0.9",
            "RandomFlip": "'horizontal_and_vertical'",
            "RandomGaussianBlur": "0.9",
            "RandomGrayscale": "0.5",
            "RandomHue": "0.3, (0, 255)",
            "RandomInvert": "0.6, (0, 255)",
            "RandomPerspective": "0.9, 0.4",
            "RandomPosterization": "3",
            "RandomRotation": "0.2",
            "RandomSaturation": "0.4, (0, 255)",
            "RandomSharpness": "0.4, (0, 255)",
            "RandomShear": "(0.0, 0.3), (0.0, 0.2)",
            "RandomTranslation": "0.3, 0.2",
            "RandomZoom": "0.3",
        }.items()
    },
}
# What configs have here and not in Keras, or in another form.
OWN_CONFIGS = {"AlphaDropout": "noise_shape", "Lambda": "function"}
PROGRAMS = {
    name: SHARED
    + STEP.format(
        make=make,
        inputs=inputs,
        call=call[0] if call else "inputs",
        without=OWN_CONFIGS.get(name, ""),
    )
    for name, (make, inputs, *call) in SAMPLES.items()
}
