"""`tf.explain.function`: the traces of a function, why each exists and how it runs."""

from __future__ import annotations

from typing import Any

from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.explanation import explain_concrete, explain_function
from tapeflow._src.function.polymorphic import Function


def function(fn: Any) -> Any:
    """Explain the traces of a `tf.function` and how they run.

    For each trace: the call that caused it, which argument changed from what to what, how long
    tracing took, the tier (interpreter or XLA), measured times, executables with their memory, and
    the operations that stay on the host, with the reason and the user's line.

    Args:
        fn: What `tf.function` returned, or a concrete function of it.

    Returns:
        A `tf.explain.FunctionExplanation`, or a `tf.explain.TraceExplanation` for a concrete
        function. Both print as text.

    Raises:
        TypeError: `fn` is neither.

    Example:
        >>> @tf.function
        ... def scale(x, factor):
        ...     return x * factor
        >>> y = scale(tf.ones([2]), 2.0), scale(tf.ones([2]), 3.0)
        >>> first, second = tf.explain.function(scale).traces
        >>> second.reason
        'argument `factor`: Python value 2.0 -> 3.0; pass a tensor: tf.constant(3.0)'
    """
    if isinstance(fn, Function):
        return explain_function(fn)
    if isinstance(fn, ConcreteFunction):
        return explain_concrete(fn)
    raise TypeError(
        f"tf.explain.function expects what tf.function returns, received {type(fn).__name__}: "
        f"{fn!r}. Decorate the function with @tf.function."
    )
