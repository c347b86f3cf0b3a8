"""`tf.explain`: why something is as it is, with the user's lines and what to write instead."""

from tapeflow._src.core.lazy import later as _later

__all__ = [
    "DataExplanation",
    "FunctionExplanation",
    "GradientExplanation",
    "GraphExplanation",
    "MemoryExplanation",
    "NumericsExplanation",
    "TraceExplanation",
    "data",
    "function",
    "gradient",
    "graph",
    "history",
    "memory",
    "numerics",
    "record",
]

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "DataExplanation": "tapeflow._src.explain.data",
        "data": "tapeflow._src.explain.data",
        "FunctionExplanation": "tapeflow._src.function.explanation",
        "TraceExplanation": "tapeflow._src.function.explanation",
        "function": "tapeflow._src.explain.function",
        "GradientExplanation": "tapeflow._src.gradients.explanation",
        "GraphExplanation": "tapeflow._src.explain.graph",
        "graph": "tapeflow._src.explain.graph",
        "gradient": "tapeflow._src.explain.gradient",
        "MemoryExplanation": "tapeflow._src.explain.memory",
        "memory": "tapeflow._src.explain.memory",
        "NumericsExplanation": "tapeflow._src.explain.numerics",
        "numerics": "tapeflow._src.explain.numerics",
        "history": "tapeflow._src.keras.utils.history_explanation",
        "record": "tapeflow._src.explain.gradient",
    },
)
