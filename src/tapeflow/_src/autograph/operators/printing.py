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
    """Print; with symbolic tensors, their values, whenever the graph runs."""
    indices = [index for index, value in enumerate(values) if is_staged(value)]
    if not indices:
        builtins.print(*values, **keywords)
        return
    tensors = [dispatch.convert(values[index]) for index in indices]
    py_func(tensors, token=Token(_Print(values, indices, keywords)), Tout=[])


class _Print(HostFunction):
    """A call of `print`, with values for some of its arguments that are known later."""

    def __init__(
        self, values: Sequence[Any], indices: Sequence[int], keywords: dict[str, Any]
    ) -> None:
        self._values = list(values)
        self._tensor_indices = indices
        self._keywords = keywords
        for index in indices:
            self._values[index] = None

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        values = list(self._values)
        for index, array in zip(self._tensor_indices, arrays, strict=True):
            values[index] = array if array.ndim else array[()]
        builtins.print(*values, **self._keywords)
        return ()
