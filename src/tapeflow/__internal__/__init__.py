"""`tf.__internal__`: what libraries built on `tf` need beyond its public names."""

from tapeflow._src.core.lazy import later as _later

_HOOKS = (
    "execute_fn_for_device",
    "get_name_scope",
    "load_context",
    "register_call_context_function",
    "register_clear_session_function",
    "register_get_session_function",
    "register_load_model_function",
)
_MODULES = (
    "autograph",
    "decorator",
    "dispatch",
    "distribute",
    "eager_context",
    "feature_column",
    "function",
    "mixed_precision",
    "nest",
    "ops",
    "saved_model",
    "smart_cond",
    "test",
    "tf2",
    "tracking",
    "train",
    "types",
)

__all__ = ["CompositeTensor", "EagerTensor", "FuncGraph", "SymbolicTensor", *_HOOKS, *_MODULES]

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "CompositeTensor": "tapeflow._src.internal.composite_tensor",
        "EagerTensor": "tapeflow._src.eager.tensor",
        "FuncGraph": "tapeflow._src.graph.graph",
        "SymbolicTensor": "tapeflow._src.graph.tensor",
        **dict.fromkeys(_HOOKS, "tapeflow._src.internal.library_hooks"),
        **{name: f"tapeflow.__internal__.{name}" for name in _MODULES},
    },
)
