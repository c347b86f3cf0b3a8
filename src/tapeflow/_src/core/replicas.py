"""How many replicas compute a step together: parts below `distribute` ask here."""

from __future__ import annotations

from collections.abc import Callable


class _Replicas:
    """`count` is set by `distribute`, once that is loaded."""

    def __init__(self) -> None:
        self.count: Callable[[], int] = lambda: 1


replicas = _Replicas()
