"""`tf.xla.experimental`: legacy ways to compile part of a program."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tapeflow._src.api.arrays import constant, convert_to_tensor
from tapeflow._src.api.control_flow import group
from tapeflow._src.api.scopes import executing_eagerly
from tapeflow._src.core import nest
from tapeflow._src.function.decorator import function

__all__ = ["compile", "jit_scope"]


def compile(computation: Callable[..., Any], inputs: list[Any] | None = None) -> Any:
    """Compile a computation and run it; `tf.function(jit_compile=True)` is the newer way.

    Args:
        computation: A function of tensors.
        inputs: Its arguments; none by default.

    Returns:
        What `computation` returns, as tensors: a list for one value and for a sequence of values,
        the same structure for anything nested, an operation (None in eager mode) for None.

    Raises:
        TypeError: `inputs` is not a list.

    Example:
        >>> import tapeflow as tf
        >>> [total] = tf.xla.experimental.compile(lambda a, b: a + b, [1.0, 2.0])
        >>> float(total)
        3.0
    """
    if inputs is not None and not isinstance(inputs, list):
        raise TypeError(
            f"inputs must be a list of arguments; received {type(inputs).__name__}. Write [x] for "
            "one argument x."
        )

    def traced(*arguments: Any) -> tuple[Any, Any]:
        outputs = computation(*arguments)
        return (constant(True) if outputs is None else None), outputs

    arguments = nest.map_structure(convert_to_tensor, inputs or [])
    # Callees are already converted by AutoGraph, if they are to be.
    done, outputs = function(traced, jit_compile=True, autograph=False)(*arguments)
    if outputs is None:
        return group(done)
    if not nest.is_nested(outputs):
        return [outputs]
    flat = isinstance(outputs, list | tuple) and not any(map(nest.is_nested, outputs))
    return list(outputs) if flat else outputs


@contextlib.contextmanager
def jit_scope(
    compile_ops: bool | Callable[[Any], bool] = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """Request that ops of a graph be compiled: they are in any case, as soon as it pays.

    Args:
        compile_ops: Whether to compile, or a function that says so of a NodeDef.
        separate_compiled_gradients: Whether gradients are compiled apart.

    Returns:
        A context manager.

    Raises:
        RuntimeError: In eager mode, where there is no graph to compile.
    """
    if executing_eagerly():
        raise RuntimeError(
            "jit_scope is a request for graphs, and ops run eagerly here: use it in a tf.function."
        )
    yield
