"""The public namespace `tf.keras`: the Keras 3 API, written with the public names of `tf`.

All of it is loaded when it is used.
"""

from __future__ import annotations

from tapeflow.core.lazy import later as _later
from tapeflow.keras.version import __version__ as __version__
from tapeflow.keras.version import version as version

_NAMESPACES = (
    "activations",
    "applications",
    "backend",
    "callbacks",
    "config",
    "constraints",
    "datasets",
    "distillation",
    "distribution",
    "dtype_policies",
    "estimator",
    "experimental",
    "export",
    "initializers",
    "layers",
    "legacy",
    "losses",
    "metrics",
    "mixed_precision",
    "models",
    "ops",
    "optimizers",
    "preprocessing",
    "quantizers",
    "random",
    "regularizers",
    "saving",
    "tree",
    "utils",
    "visualization",
    "wrappers",
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **{name: f"tapeflow.keras.{name}" for name in _NAMESPACES},
        "DTypePolicy": "tapeflow.keras.dtype_policies.policy",
        "FloatDTypePolicy": "tapeflow.keras.dtype_policies.policy",
        "Function": "tapeflow.keras.function",
        "Initializer": "tapeflow.keras.initializers",
        "Input": "tapeflow.keras.layers.core.input_layer",
        "InputSpec": "tapeflow.keras.layers.input_spec",
        "KerasTensor": "tapeflow.keras.keras_tensor",
        "Layer": "tapeflow.keras.layers.layer",
        "Loss": "tapeflow.keras.losses",
        "Model": "tapeflow.keras.models",
        "Metric": "tapeflow.keras.metrics",
        "Operation": "tapeflow.keras.operation",
        "Optimizer": "tapeflow.keras.optimizers",
        "Quantizer": "tapeflow.keras.quantizers",
        "Regularizer": "tapeflow.keras.regularizers",
        "RematScope": "tapeflow.keras.rematerialization",
        "Sequential": "tapeflow.keras.models",
        "StatelessScope": "tapeflow.keras.stateless",
        "SymbolicScope": "tapeflow.keras.symbolic_scope",
        "Variable": "tapeflow.keras.variables",
        "device": "tapeflow.keras.devices",
        "name_scope": "tapeflow.keras.scopes",
        "remat": "tapeflow.keras.rematerialization",
    },
)
