"""`GradientExplanation`: why a gradient is None, as text, as HTML and as fields."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape

from tapeflow._src.core.source import Location


@dataclass(frozen=True)
class Step:
    """An operation on a path: its op, its line if that is recorded, and whether the path ends."""

    op: str
    location: Location | None = None
    ends: bool = False

    def __str__(self) -> str:
        where = f" ({self.location.short()})" if self.location else ""
        return f"{self.op}{where}{' ✗' if self.ends else ''}"


@dataclass(frozen=True)
class GradientExplanation:
    """The reason for a gradient with respect to one source.

    Attributes:
        reason: A code: "connected", "zero", "source dtype", "target dtype", "not watched",
            "overwritten", "not trainable", "not read", "outside", "constant", "unused", "python",
            "integer", "no gradient", "stop_gradient", "assignment", "rule" or "used".
        source: How the source is called: its name in the calling line, or the variable's.
        message: The cause, a sentence without a full stop.
        repair: What to write instead; "" if there is nothing to repair.
        location: The user's line that is the cause, or None.
        op: The op where the path ends, or None.
        path: The operations from the source on, in order.
    """

    reason: str
    source: str
    message: str
    repair: str = ""
    location: Location | None = None
    op: str | None = None
    path: tuple[Step, ...] = field(default=())

    @property
    def line(self) -> str | None:
        """The line that is the cause, as "file:line"; None if it is not recorded."""
        return None if self.location is None else self.location.short()

    @property
    def is_none(self) -> bool:
        """Whether the gradient is None."""
        return self.reason not in ("connected", "zero", "used")

    def cause(self) -> str:
        """Return cause and repair as one sentence, without the name of the source."""
        return f"{self.message}. {self.repair}" if self.repair else self.message

    def of_source(self, name: str) -> GradientExplanation:
        """Return the same explanation for a source that is called differently."""
        return replace(self, source=name)

    def __str__(self) -> str:
        head = "no gradient for" if self.is_none else "the gradient with respect to"
        lines = [f"{head} {self.source}: {self.message}."]
        if self.location is not None and self.location.code():
            lines.append(f"    {self.location.short()}: {self.location.code()}")
        if self.repair:
            lines.append(f"Repair: {self.repair}.")
        if self.path:
            lines.append("Path: " + " → ".join(["source", *map(str, self.path)]))
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [("source", self.source), ("reason", self.reason), ("cause", self.message)]
        if self.location is not None:
            rows.append(("line", f"{self.location.short()}: {self.location.code()}"))
        if self.repair:
            rows.append(("repair", self.repair))
        if self.path:
            rows.append(("path", " → ".join(map(str, self.path))))
        body = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:left'>{escape(text)}</td></tr>"
            for name, text in rows
        )
        return f"<table>{body}</table>"
