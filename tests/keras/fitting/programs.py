"""Small models, trained for three epochs: histories and weights depend on all parts of Keras."""

from __future__ import annotations

MODELS = {
    "dense": """
model = k.Sequential([
    k.layers.Input((4,)),
    k.layers.Dense(8, activation="relu", kernel_regularizer="l2",
                   kernel_initializer=k.initializers.GlorotUniform(seed=1)),
    k.layers.Dense(1, activation="sigmoid", kernel_constraint="max_norm",
                   kernel_initializer=k.initializers.HeNormal(seed=2)),
])
""",
    "embedding": """
x = random.randint(0, 6, (64, 5))
model = k.Sequential([
    k.layers.Input((5,), dtype="int32"),
    k.layers.Embedding(6, 3, mask_zero=True,
                       embeddings_initializer=k.initializers.RandomUniform(seed=1)),
    k.layers.GlobalAveragePooling1D(),
    k.layers.Dense(1, activation="sigmoid", kernel_initializer=k.initializers.HeNormal(seed=2)),
])
""",
}
FIT = """
random = np.random.RandomState(0)
x, weights = random.randn(64, 4).astype("float32"), random.rand(64).astype("float32")
y = random.randint(0, 2, (64, 1)).astype("float32")
{model}
o = k.optimizers
model.compile({compiled})
history = model.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0{fitted}).history
result = [{{name: np.array(values) for name, values in sorted(history.items())}},
          model.get_weights()]
"""
PLAIN = ", loss='binary_crossentropy', metrics=['accuracy', 'AUC']"
CASES = {
    "adam": ("dense", "o.Adam(0.01)" + PLAIN, ""),
    "weights of samples": (
        "dense",
        "o.SGD(0.1, momentum=0.9), loss='mse', weighted_metrics=['mae', 'accuracy']",
        ", sample_weight=weights",
    ),
    "weights of classes": (
        "dense",
        "o.RMSprop(0.01)" + PLAIN,
        ", class_weight={0: 1.0, 1: 3.0}",
    ),
    "averages": ("dense", "o.Adam(0.01, use_ema=True, ema_momentum=0.9)" + PLAIN, ""),
    "accumulation": ("dense", "o.Adam(0.01, gradient_accumulation_steps=2)" + PLAIN, ""),
    "a schedule": ("dense", "o.SGD(o.schedules.CosineDecay(0.1, 10), clipnorm=0.1)" + PLAIN, ""),
    "focal": (
        "dense",
        "o.LossScaleOptimizer(o.Adam(0.01)), loss=k.losses.BinaryFocalCrossentropy(), "
        "metrics=[k.metrics.Precision(name='p'), k.metrics.Recall(name='r'), 'mse']",
        "",
    ),
    "hinge": ("dense", "o.Adamax(0.01), loss='hinge', metrics=['hinge']", ""),
    "rows, adam": ("embedding", "o.Adam(0.1)" + PLAIN, ""),
    "rows, adagrad": ("embedding", "o.Adagrad(0.5)" + PLAIN, ""),
    "rows, sgd": ("embedding", "o.SGD(0.5)" + PLAIN, ""),
}
PROGRAMS = {
    name: FIT.format(model=MODELS[model], compiled=compiled, fitted=fitted)
    for name, (model, compiled, fitted) in CASES.items()
}
