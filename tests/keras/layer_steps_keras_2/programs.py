"""Layers, metrics and constraints of Keras 2 alone: results, and of layers gradients and a step."""

from __future__ import annotations

from tests.keras.layer_steps.programs import SHARED, STEP

LAYERS = {
    "LocallyConnected1D": ("L.LocallyConnected1D(2, 2)", "n(1, 3, 2)", "inputs"),
    "LocallyConnected2D": ("L.LocallyConnected2D(1, 2)", "n(1, 3, 3, 2)", "inputs"),
    "ThresholdedReLU": ("L.ThresholdedReLU(0.3)", "n(2, 3)", "inputs"),
    "RandomHeight": ("L.RandomHeight(0.3)", "image(1, 4, 4, 1)", "inputs, training=False"),
    "RandomWidth": ("L.RandomWidth(0.3)", "image(1, 4, 4, 1)", "inputs, training=False"),
}
# Without configs, in which Keras 3 writes dtypes as policies and no shapes of batches.
STEP_2 = STEP[: STEP.index("import json")] + "result = [flat, gradients, layer.get_weights()]\n"
OTHERS = {
    "RadialConstraint": """
kernel = np.random.default_rng(1).standard_normal((3, 3, 1, 2)).astype("float32")
result = k.constraints.RadialConstraint()(tf.constant(kernel))
""",
    "MeanTensor": """
metric = k.metrics.MeanTensor()
for weight in (None, 0.5): metric.update_state([[1.0, 2.0], [3.0, 5.0]], sample_weight=weight)
metric.update_state([[0.0, 2.0], [1.0, -5.0]])
result = [metric.result(), metric.total, metric.count, metric.get_config()["name"]]
""",
    "MeanRelativeError": """
metric = k.metrics.MeanRelativeError(normalizer=[1.0, 3.0, 2.0, 0.0])
metric.update_state([1.0, 3.0, 2.0, 3.0], [2.0, 4.0, 6.0, 8.0])
first = metric.result()
metric.update_state([1.0, 3.0, 2.0, 3.0], [2.0, 4.0, 6.0, 8.0], sample_weight=[0.0, 1.0, 0.5, 0.0])
result = [first, metric.result()]
""",
}
PROGRAMS = {
    **{
        name: SHARED + STEP_2.format(make=make, inputs=inputs, call=call, without="")
        for name, (make, inputs, call) in LAYERS.items()
    },
    **OTHERS,
}
