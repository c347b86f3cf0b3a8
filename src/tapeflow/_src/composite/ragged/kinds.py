"""The base class of ragged tensors, for the modules that implement them."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.composite import Composite


class Ragged(Composite):
    """The base class of `RaggedTensor`: `values` in rows, as a `RowPartition` says."""

    def _like(self, values: Any, partition: Any) -> Any:
        """Return a ragged tensor with other values and rows."""
        return type(self)(values, partition, internal=True)  # type: ignore[call-arg]


def is_ragged(value: Any) -> bool:
    return isinstance(value, Ragged)


def as_values(value: Any, dtype: Any = None, hint: Any = None) -> Any:
    """Convert `value` to a tensor; keep a ragged tensor."""
    return value if is_ragged(value) else dispatch.convert(value, dtype, hint)
