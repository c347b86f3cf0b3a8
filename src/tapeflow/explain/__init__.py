"""`tf.explain`: why something is as it is, with the user's lines and what to write instead."""

from tapeflow._src.core.lazy import later as _later

__all__ = [
    "FunctionExplanation",
    "GradientExplanation",
    "GraphExplanation",
    "NumericsExplanation",
    "TraceExplanation",
    "function",
    "gradient",
    "graph",
    "numerics",
    "record",
]

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "FunctionExplanation": "tapeflow._src.function.explanation",
        "TraceExplanation": "tapeflow._src.function.explanation",
        "function": "tapeflow._src.explain.function",
        "GradientExplanation": "tapeflow._src.gradients.explanation",
        "GraphExplanation": "tapeflow._src.explain.graph",
        "graph": "tapeflow._src.explain.graph",
        "gradient": "tapeflow._src.explain.gradient",
        "NumericsExplanation": "tapeflow._src.explain.numerics",
        "numerics": "tapeflow._src.explain.numerics",
        "record": "tapeflow._src.explain.gradient",
    },
)
