"""Check that a function does not mutate the arguments that it is traced with.

A trace stands for later calls too: a mutation of the caller's list or dict would happen in the
first call only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ArgumentMutationCheck:
    """A snapshot of the arguments of a trace, taken before it."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._before = {name: _copy(value) for name, value in values.items()}

    def check(self, function: str) -> None:
        """Raise if the function mutated one of its arguments."""
        changed = [
            n for n, value in self._values.items() if not _equal_copies(value, self._before[n])
        ]
        if changed:
            raise ValueError(
                f"{function}({', '.join(self._values)}) must not modify its Python arguments: it "
                f"would happen while tracing only. Modify a copy. Modified: {', '.join(changed)}"
            )


def _copy(value: Any) -> Any:
    """Copy the containers of a value, but not their contents."""
    if isinstance(value, (list, tuple)):
        return [_copy(item) for item in value]
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return value


def _equal_copies(value: Any, copy: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) == len(copy) and all(map(_equal_copies, value, copy))
    if isinstance(value, dict):
        return value.keys() == copy.keys() and all(
            _equal_copies(v, copy[k]) for k, v in value.items()
        )
    return value is copy
