"""The same op calls traced into a graph, told more or less of their inputs, and interpreted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core.dtypes import FROM_NUMPY
from tapeflow._src.core.registry import Op
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.tracing import trace
from tests.ops.running import as_tensors, flat

# What tracing does not know of the inputs. Shapes and axes (kind `Static`) are constants of the
# graph, except with `values`; `first` leaves sizes out of the first input alone, so that they are
# to be inferred from the others.
BLANKS = ("nothing", "first", "sizes", "ranks", "values")


def _dims(array: Any, blank: str, place: int) -> Any:
    if blank == "ranks":
        return None
    if blank == "sizes" or (blank == "first" and place == 0):
        return (None,) * array.ndim
    return array.shape


class TracedCall:
    """`function` of the inputs of a sample as a graph, which they can be given to.

    `function` takes what the op takes and returns a list of tensors.
    """

    def __init__(
        self, op: Op, inputs: list[Any], blank: str, function: Callable[..., list[Any]]
    ) -> None:
        self._inputs = inputs
        self._free = [blank == "values" or not kind.startswith("Static") for kind in op.kinds]

        def arguments(graph: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
            def argument(array: Any, place: int) -> Any:
                return graph.argument(FROM_NUMPY[array.dtype], _dims(array, blank, place), "x")

            made: list[Any] = []
            for place, (value, free) in enumerate(zip(inputs, self._free, strict=True)):
                if not free:
                    made.append(as_tensors(value))
                elif isinstance(value, list):
                    made.append([argument(v, place) for v in value])
                else:
                    made.append(argument(value, place))
            return tuple(made), {}

        self.concrete = ConcreteFunction(*trace(function, arguments, op.name))

    def __call__(self, *tensors: Any) -> list[Any]:
        """The results for tensors given as to the op."""
        given = [t for t, free in zip(tensors, self._free, strict=True) if free]
        return list(self.concrete.call_flat(flat(given)))


@contextmanager
def told(blank: str) -> Iterator[None]:
    """Say in an error what tracing did not know."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"Traced without: {blank}.")
        raise
