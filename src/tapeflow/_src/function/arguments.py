"""Whether a function leaves the arguments that it is traced with as they are.

A trace stands for later calls, whose arguments nobody changes: what a function does to a list or a
dict of its caller's would happen in the first call only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Untouched:
    """The arguments of a trace as they were before it."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._before = {name: _copy(value) for name, value in values.items()}

    def check(self, function: str) -> None:
        """Refuse a function that changed one of its arguments."""
        changed = [n for n, value in self._values.items() if not _same(value, self._before[n])]
        if changed:
            raise ValueError(
                f"{function}({', '.join(self._values)}) must not modify its Python arguments: it "
                f"would happen while tracing only. Modify a copy. Modified: {', '.join(changed)}"
            )


def _copy(value: Any) -> Any:
    """The containers of a value, copied; what they hold is not."""
    if isinstance(value, (list, tuple)):
        return [_copy(item) for item in value]
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return value


def _same(value: Any, copy: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) == len(copy) and all(map(_same, value, copy))
    if isinstance(value, dict):
        return value.keys() == copy.keys() and all(_same(v, copy[k]) for k, v in value.items())
    return value is copy
