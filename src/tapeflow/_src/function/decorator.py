"""`tf.function`: as a decorator, with or without arguments, and as a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, overload

from tapeflow._src.function import polymorphic
from tapeflow._src.function.polymorphic import Options

# Attributes that TensorFlow stores with a function, for tools that read its graphs.
_ATTRIBUTES = frozenset(
    {
        "_OutputsOnOpDevice",
        "_disable_acd",
        "_implements",
        "_noinline",
        "_tf_data_function",
        "api_implements",
        "api_preferred_device",
        "disable_summaries_at_runtime",
        "experimental_ints_on_device",
        "function_runs_at_most_once",
        "go_backwards",
        "runtime_constant_optimization",
        "time_major",
    }
)


P = ParamSpec("P")
R = TypeVar("R")

if TYPE_CHECKING:

    class Function(polymorphic.Function, Generic[P, R]):
        """The type of a decorated function for type checkers: it keeps the original signature."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
        def __get__(self, instance: Any, owner: Any = None) -> Callable[..., R]: ...


class _Decorator(Protocol):
    """`tf.function(...)` without a function: what it decorates keeps its signature."""

    def __call__(self, inner: Callable[P, R]) -> Function[P, R]: ...


@overload
def function(func: Callable[P, R], *args: Any, **kwargs: Any) -> Function[P, R]: ...
@overload
def function(func: None = None, *args: Any, **kwargs: Any) -> _Decorator: ...
def function(
    func: Any = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: dict[str, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Make a Python function run as a graph, traced once per combination of argument types.

    Types are the dtype and shape of a tensor, and the value of anything else.

    Args:
        func: The function; None, to use it as a decorator with arguments.
        input_signature: Specs of the arguments; there is then one trace, for these.
        autograph: Whether `if`, `for` and `while` over tensors become operations of the graph.
        jit_compile: True compiles before the first call, False never, None when it is worth it.
        reduce_retracing: Whether a second shape is traced for all shapes of that rank.
        experimental_implements: Name stored with the graph, for tools that replace functions.
        experimental_autograph_options: Optional features of AutoGraph.
        experimental_attributes: Further attributes to store with the graph.
        experimental_relax_shapes: Former name of `reduce_retracing`.
        experimental_compile: Former name of `jit_compile`.
        experimental_follow_type_hints: Accepted for compatibility.

    Returns:
        A callable with the signature of `func`, or a decorator if `func` is None.

    Example:
        >>> @tf.function
        ... def relu(x):
        ...     if tf.reduce_sum(x) > 0.0:
        ...         return x
        ...     return tf.zeros_like(x)
        >>> relu(tf.constant([1.0, 2.0])).numpy()
        array([1., 2.], dtype=float32)
    """
    relaxed, compiled = experimental_relax_shapes, experimental_compile
    options = Options(
        input_signature=input_signature,
        autograph=autograph,
        jit_compile=jit_compile if compiled is None else compiled,
        reduce_retracing=reduce_retracing if relaxed is None else relaxed,
        autograph_options=experimental_autograph_options,
        attributes=_attributes(experimental_attributes, experimental_implements),
    )

    def decorate(inner: Any) -> Any:
        return polymorphic.Function(inner, options=options)

    return decorate if func is None else decorate(func)


def _attributes(attributes: dict[str, Any] | None, implements: str | None) -> dict[str, Any]:
    merged = dict(attributes or {})
    for name in merged:
        if name not in _ATTRIBUTES:
            raise ValueError(
                f"`{name}` is not an attribute that tf.function supports; supported: "
                f"{', '.join(sorted(_ATTRIBUTES))}."
            )
    if implements is not None:
        merged["_implements"] = implements
    return merged
