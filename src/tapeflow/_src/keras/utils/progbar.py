"""`Progbar`: how far something has got, in one line."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import is_interactive_logging_enabled

_BAR = "\u2501"


class Progbar:
    """A bar with times and values, drawn over and over (`verbose=1`) or once (`verbose=2`).

    Values are averaged over steps, unless they are `stateful_metrics`.

    Args:
        target: Total number of steps; None if it is not known.
        width: Width of the bar in characters.
        verbose: 0 draws nothing, 1 the bar again and again, 2 one line at the end.
        interval: Seconds between two drawings, at least.
        stateful_metrics: Names of values that are shown as they are, instead of averaged.
        stateless_metrics: Names of values that are averaged, and all others are not; instead of
            `stateful_metrics`.
        unit_name: Name of a step in what is drawn.

    Raises:
        ValueError: Both kinds of metrics are passed.

    Example:
        >>> bar = tf.keras.utils.Progbar(10, verbose=0)
        >>> bar.update(5, [("loss", 0.5)])
        >>> bar.add(5)
    """

    def __init__(
        self,
        target: int | None,
        width: int = 20,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Sequence[str] | None = None,
        stateless_metrics: Sequence[str] | None = None,
        unit_name: str = "step",
    ) -> None:
        if stateful_metrics is not None and stateless_metrics is not None:
            raise ValueError(
                f"Progbar: pass `stateful_metrics`, whose values are shown as they are, or "
                f"`stateless_metrics`, which are averaged, but not both. Received: "
                f"{list(stateful_metrics)} and {list(stateless_metrics)}"
            )
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        # If it is not None, all other metrics are shown as they are.
        self.stateless_metrics = None if stateless_metrics is None else set(stateless_metrics)
        self._values: dict[str, Any] = {}
        self._seen_so_far = 0
        self._start = time.time()
        self._last_update = 0.0
        self._time_at_epoch_start = self._start
        self._time_after_first_step: float | None = None
        self._drawn_width = 0

    def update(
        self, current: int, values: TensorLike | None = None, finalize: bool | None = None
    ) -> None:
        """Record that `current` steps are done, and draw if it is time.

        Args:
            current: Number of steps so far.
            values: Pairs of names and values of the last steps.
            finalize: Whether it is the last update; None if `current` reaches the target.
        """
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        self._take(current, values or (), finalize)
        now = time.time()
        if current == 1:
            self._time_after_first_step = now
        self._seen_so_far = current
        if self.verbose == 1:
            if finalize or now - self._last_update >= self.interval:
                self._draw(current, now, finalize)
                self._last_update = now
        elif self.verbose == 2 and finalize and self.target is not None and current >= self.target:
            text = f"{self._count(current)} - {now - self._start:.0f}s"
            _write(f"{text} -{self._each_step(current, now)}{self._shown_values()}\n")

    def add(self, n: int, values: TensorLike | None = None) -> None:
        """Record that `n` more steps are done.

        Args:
            n: Number of steps.
            values: Pairs of names and values of these steps.
        """
        self.update(self._seen_so_far + n, values)

    # -- values --------------------------------------------------------------------------------

    def due(self) -> bool:
        """Whether an update would be drawn now, or is the first."""
        if not self._seen_so_far:
            return True
        return self.verbose == 1 and time.time() - self._last_update >= self.interval

    def _take(self, current: int, values: Any, finalize: bool) -> None:
        for name, value in values:
            if isinstance(value, (list, tuple)):
                value = np.asarray(value)
            if finalize or self._is_stateful(name):
                self._values[name] = [value, 1]
                continue
            steps = max(current - self._seen_so_far, 1)
            if name not in self._values:
                self._values[name] = [value * steps, steps]
            else:
                self._values[name][0] += value * steps
                self._values[name][1] += steps

    def _is_stateful(self, name: str) -> bool:
        """Whether the values of a metric are not averaged."""
        if self.stateless_metrics is None:
            return name in self.stateful_metrics
        return name not in self.stateless_metrics

    def _shown_values(self) -> str:
        shown = ""
        for name, (total, count) in self._values.items():
            value = total
            if not isinstance(total, str):
                value = float(_mean(total)) / max(1, count)
                value = f"{value:.4f}" if abs(value) > 1e-3 else f"{value:.4e}"
            shown += f" - {name}: {value}"
        return shown

    # -- drawing -------------------------------------------------------------------------------

    def _draw(self, current: int, now: float, finalize: bool) -> None:
        interactive = is_interactive_logging_enabled()
        text = ""
        if interactive:
            text = "\b" * self._drawn_width + "\r"
        if self.target is not None:
            bar, bar_width = self._bar(current)
        else:
            bar = f"{current:7d}/Unknown"
            bar_width = len(bar)
        clock = self._clock(current, now, finalize)
        rest = self._each_step(current, now) + self._shown_values()
        width = bar_width + 1 + len(clock) + len(rest)
        text += f"{bar} {_bold(clock)}{rest}"
        text += " " * (self._drawn_width - width)
        self._drawn_width = width
        _write(text + ("\n" if finalize else "" if interactive else "\n"))

    def _bar(self, current: int) -> tuple[str, int]:
        """The steps and the bar, and how wide they are."""
        count = self._count(current)
        full = int(self.width * min(current / self.target, 1.0)) if self.target else self.width
        done = f"\x1b[32m{_BAR * full}\x1b[0m" if full else ""
        left = f"\x1b[37m{_BAR * (self.width - full)}\x1b[0m"
        return f"{_bold(count)} {done}{left}", len(count) + 1 + self.width

    def _count(self, current: int) -> str:
        digits = int(math.log10(self.target)) + 1 if self.target else 1
        return f"{current:{digits}d}/{self.target}"

    def _clock(self, current: int, now: float, finalize: bool) -> str:
        """The time that is left, or that it took."""
        if self.target is None or finalize:
            return f"{now - self._start:.0f}s"
        left = self._step_time(current, now) * (self.target - current)
        if left > 3600:
            return f"{left // 3600:.0f}:{left % 3600 // 60:02.0f}:{left % 60:02.0f}"
        return f"{left // 60:.0f}:{left % 60:02.0f}" if left > 60 else f"{left:.0f}s"

    def _step_time(self, current: int, now: float) -> float:
        """The mean time of a step; the first, in which much is prepared, counts only alone."""
        if not current:
            return 0.0
        if self._time_after_first_step is not None and current > 1:
            return (now - self._time_after_first_step) / (current - 1)
        return (now - self._start) / current

    def _each_step(self, current: int, now: float) -> str:
        each = self._step_time(current, now)
        if each >= 1 or each == 0:
            shown = f"{each:.0f}s"
        else:
            shown = f"{each * 1e3:.0f}ms" if each >= 1e-3 else f"{each * 1e6:.0f}us"
        return f" {shown}/{self.unit_name}"


def _mean(value: Any) -> Any:
    """One number of a value that may have several."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    return value.mean() if hasattr(value, "mean") else value


def _bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m"


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        sys.stdout.write(text.encode("ascii", "replace").decode("ascii"))
    sys.stdout.flush()
