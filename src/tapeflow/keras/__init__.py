"""The public namespace `tf.keras`: the Keras 3 API, written with the public names of `tf`.

All of it is loaded when it is used.
"""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later
from tapeflow._src.keras.version import __version__ as __version__
from tapeflow._src.keras.version import version as version

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
    "dtensor",
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
    "protobuf",
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
        "DTypePolicy": "tapeflow._src.keras.dtype_policies.policy",
        "FloatDTypePolicy": "tapeflow._src.keras.dtype_policies.policy",
        "Function": "tapeflow._src.keras.function",
        "Initializer": "tapeflow.keras.initializers",
        "Input": "tapeflow._src.keras.layers.core.input_layer",
        "InputSpec": "tapeflow._src.keras.layers.input_spec",
        "KerasTensor": "tapeflow._src.keras.keras_tensor",
        "Layer": "tapeflow._src.keras.layers.layer",
        "Loss": "tapeflow.keras.losses",
        "Model": "tapeflow.keras.models",
        "Metric": "tapeflow.keras.metrics",
        "Operation": "tapeflow._src.keras.operation",
        "Optimizer": "tapeflow.keras.optimizers",
        "Quantizer": "tapeflow.keras.quantizers",
        "Regularizer": "tapeflow.keras.regularizers",
        "RematScope": "tapeflow._src.keras.rematerialization",
        "Sequential": "tapeflow.keras.models",
        "StatelessScope": "tapeflow._src.keras.stateless",
        "SymbolicScope": "tapeflow._src.keras.symbolic_scope",
        "Variable": "tapeflow._src.keras.variables",
        "device": "tapeflow._src.keras.devices",
        "name_scope": "tapeflow._src.keras.scopes",
        "remat": "tapeflow._src.keras.rematerialization",
    },
)
