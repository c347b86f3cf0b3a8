"""`tf.__internal__`: what libraries built on `tf` need beyond its public names."""

from tapeflow.core.lazy import later as _later

__all__ = [
    "CompositeTensor",
    "EagerTensor",
    "FuncGraph",
    "autograph",
    "decorator",
    "dispatch",
    "distribute",
    "eager_context",
    "feature_column",
    "function",
    "nest",
    "ops",
    "smart_cond",
    "tracking",
    "types",
]

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "CompositeTensor": "tapeflow.__internal__.composite_tensor",
        "EagerTensor": "tapeflow.eager.tensor",
        "FuncGraph": "tapeflow.graph.graph",
        **{
            name: f"tapeflow.__internal__.{name}"
            for name in (
                *("autograph", "decorator", "dispatch", "distribute", "eager_context"),
                *("feature_column", "function", "nest", "ops", "smart_cond", "tracking", "types"),
            )
        },
    },
)
