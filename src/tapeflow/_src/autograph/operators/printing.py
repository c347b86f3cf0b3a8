"""`print` in functions that are converted with the feature `BUILTIN_FUNCTIONS`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from tapeflow._src.autograph.operators.staging import is_staged
from tapeflow._src.core import dispatch
from tapeflow._src.core.host_functions import HostFunction, Token
from tapeflow._src.ops.graph.python_functions import py_func


def print_(*values: Any, **keywords: Any) -> None:
    """`print(…)`; with symbolic tensors, their values, whenever the graph runs."""
    places = [place for place, value in enumerate(values) if is_staged(value)]
    if not places:
        builtins.print(*values, **keywords)
        return
    tensors = [dispatch.convert(values[place]) for place in places]
    py_func(tensors, token=Token(_Print(values, places, keywords)), Tout=[])


class _Print(HostFunction):
    """A call of `print`, with values for some of its arguments that are known later."""

    def __init__(
        self, values: Sequence[Any], places: Sequence[int], keywords: dict[str, Any]
    ) -> None:
        self._values = list(values)
        self._places = places
        self._keywords = keywords
        for place in places:
            self._values[place] = None

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        values = list(self._values)
        for place, array in zip(self._places, arrays, strict=True):
            values[place] = array if array.ndim else array[()]
        builtins.print(*values, **self._keywords)
        return ()
