"""The public namespace `tf.keras`: the Keras 3 API, written with the public names of `tf`.

All of it is loaded when it is used.
"""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

_NAMESPACES = (
    "config",
    "dtype_policies",
    "initializers",
    "mixed_precision",
    "optimizers",
    "random",
    "saving",
    "utils",
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **{name: f"tapeflow.keras.{name}" for name in _NAMESPACES},
        "DTypePolicy": "tapeflow.keras.dtype_policies.policy",
        "FloatDTypePolicy": "tapeflow.keras.dtype_policies.policy",
        "KerasTensor": "tapeflow.keras.keras_tensor",
        "Initializer": "tapeflow.keras.initializers",
        "Optimizer": "tapeflow.keras.optimizers",
        "Variable": "tapeflow.keras.variables",
        "name_scope": "tapeflow.keras.scopes",
    },
)
