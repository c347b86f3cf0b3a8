"""`tensorflow.python.eager.monitoring`: counters of a program's own use, kept in the process."""

from __future__ import annotations

from typing import Any


class _Cell:
    """One value of a metric."""

    def __init__(self) -> None:
        self._value: Any = 0

    def set(self, value: Any) -> None:
        """Set the value."""
        self._value = value

    def increase_by(self, value: Any) -> None:
        """Add to the value."""
        self._value += value

    def value(self) -> Any:
        """Return the value."""
        return self._value


class Metric:
    """Values by the labels that they are kept under."""

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self._cells: dict[tuple[str, ...], _Cell] = {}

    def get_cell(self, *labels: str) -> _Cell:
        """Return the value under these labels."""
        return self._cells.setdefault(labels, _Cell())


BoolGauge = StringGauge = IntGauge = Counter = Metric
