"""A profile as text: where the time went."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tapeflow._src.api.profiler.recorder import Recorder, Span

_ROWS = 40
_NAMES = {
    "step": "steps",
    "user": "marked by the program",
    "function": "calls of functions, beside what they run",
    "interpreter": "interpreter, beside operations",
    "xla": "compiled by XLA",
    "trace": "tracing functions",
    "prepare": "optimising and rendering graphs",
    "compile": "compiling by XLA",
    "import": "importing modules",
    "op": "operations on NumPy",
    "data": "stages of datasets",
    "python": "Python functions",
}


@dataclass
class Total:
    """The times of all spans of one name; `own` is without spans inside them."""

    own: int = 0
    total: int = 0
    calls: int = 0

    def add(self, own: int, total: int) -> None:
        self.own += own
        self.total += total
        self.calls += 1


def own_times(spans: Sequence[Span]) -> Iterable[tuple[Span, int]]:
    """Yield each span with its time without the spans inside it; `spans` are in order."""
    open_spans: dict[int, list[list[int]]] = defaultdict(list)
    children = [0] * len(spans)
    for index, span in enumerate(spans):
        stack = open_spans[span.thread]
        while stack and stack[-1][0] <= span.start:
            stack.pop()
        if stack:
            children[stack[-1][1]] += span.end - span.start
        stack.append([span.end, index])
    for span, inside in zip(spans, children):
        yield span, max(0, span.end - span.start - inside)


def summary(recorder: Recorder) -> str:
    """Return the tables of a profile: by kind, by name, and steps."""
    spans = recorder.spans()
    kinds: dict[str, Total] = defaultdict(Total)
    names: dict[tuple[str, str], Total] = defaultdict(Total)
    steps: list[int] = []
    for span, own in own_times(spans):
        length = span.end - span.start
        kinds[span.category].add(own, length)
        names[span.category, span.name].add(own, length)
        if span.category == "step":
            steps.append(length)
    lines = [f"Recorded for {_ms(recorder.end - recorder.begin)} ms: {len(spans)} spans."]
    if recorder.dropped:
        lines.append(f"{recorder.dropped} more came after these and are not counted.")
    if steps:
        mean = sum(steps) / len(steps)
        lines.append(
            f"{len(steps)} steps: {_ms(mean)} ms on average, {_ms(min(steps))} to "
            f"{_ms(max(steps))} ms."
        )
    lines += ["", "By kind, without what happens inside:", "", "   own ms     calls  kind"]
    for kind, total in _largest(kinds):
        lines.append(f"{_ms(total.own):>9} {total.calls:>9}  {_NAMES.get(kind, kind)}")
    lines += ["", "By name:", "", "   own ms  total ms     calls   mean us  kind         name"]
    for (kind, name), total in _largest(names)[:_ROWS]:
        mean = total.total / total.calls / 1e3
        lines.append(
            f"{_ms(total.own):>9} {_ms(total.total):>9} {total.calls:>9} {mean:>9.1f}  "
            f"{kind:<12} {name}"
        )
    if len(names) > _ROWS:
        lines.append(f"and {len(names) - _ROWS} more names.")
    return "\n".join([*lines, ""])


def _largest(totals: dict[Any, Total]) -> list[tuple[Any, Total]]:
    return sorted(totals.items(), key=lambda item: -item[1].own)


def _ms(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:.3f}"
