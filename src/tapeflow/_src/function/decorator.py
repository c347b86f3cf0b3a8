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

    input_signature: specs of the arguments; there is then one trace, for these.
    autograph: turn `if`, `for` and `while` over tensors into operations of the graph.
    jit_compile: True compiles from the first call on, False never, None when it is worth it.
    reduce_retracing: when shapes change, trace once for all shapes.
    """
    if experimental_relax_shapes is not None:
        reduce_retracing = experimental_relax_shapes
    if experimental_compile is not None:
        jit_compile = experimental_compile
    options = Options(
        input_signature=input_signature,
        autograph=autograph,
        jit_compile=jit_compile,
        reduce_retracing=reduce_retracing,
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
