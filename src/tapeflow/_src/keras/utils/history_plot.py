"""`plot_history`: curves of what `fit` reported, as SVG without any library."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.files import replacing

pyplot = LazyModule("matplotlib.pyplot", "pictures other than SVG", install="matplotlib")
VALIDATION = "val_"
WIDTH, HEIGHT = 420, 280  # of a panel, in pixels
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 32, 40  # its margins
COLORS = ("#1f6feb", "#d9730d")  # training, validation
TICKS = 5


@dataclass(frozen=True)
class Panel:
    """One measured quantity: its curve in training, and in validation if there was any."""

    name: str
    curves: dict[str, list[float]]


@dataclass(frozen=True)
class HistoryPlot:
    """The curves of a training: shown by notebooks, written by `save`, drawn by `draw`."""

    epochs: list[int]
    panels: list[Panel]
    title: str = ""

    def to_svg(self) -> str:
        """The picture as text of an SVG file."""
        head = 28 if self.title else 0
        width, height = WIDTH * len(self.panels), HEIGHT + head
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
        ]
        if self.title:
            parts.append(_text(width / 2, 20, self.title, "middle", 'font-size="14"'))
        for at, panel in enumerate(self.panels):
            parts.append(f'<g transform="translate({at * WIDTH},{head})">')
            parts += _panel(panel, self.epochs)
            parts.append("</g>")
        return "\n".join([*parts, "</svg>\n"])

    _repr_svg_ = to_svg

    def save(self, path: Any) -> None:
        """Write the picture: `.svg` always, any other format by matplotlib."""
        path = Path(path)
        with replacing(str(path), create_folder=False) as file:
            if path.suffix.lower() == ".svg":
                file.write(self.to_svg().encode())
            else:
                self.draw().savefig(file, format=path.suffix[1:] or None)

    def draw(self, axes: Any = None) -> Any:
        """Draw with matplotlib and return the figure; `axes` has one of its axes per panel."""
        if axes is None:
            size = (WIDTH * len(self.panels) / 80, HEIGHT / 80)
            _, axes = pyplot.subplots(1, len(self.panels), figsize=size, squeeze=False)
            axes = axes[0]
        for axis, panel in zip(axes, self.panels, strict=True):
            for label, values in panel.curves.items():
                axis.plot(self.epochs[: len(values)], values, label=label)
            axis.set(title=panel.name, xlabel="epoch")
            axis.legend()
        figure = axes[0].figure
        if self.title:
            figure.suptitle(self.title)
        return figure


def plot_history(
    history: Any, to_file: Any = None, metrics: list[str] | None = None, title: str = ""
) -> HistoryPlot:
    """Draw the curves of a training: one panel each for the loss and every metric.

    Args:
        history: The result of `fit`, or a dictionary of lists such as its `history`.
        to_file: Path of a file to write the picture to; None writes none. `.svg` needs no library,
            other formats matplotlib.
        metrics: Names to draw, in this order; None for all.
        title: A line above the panels.

    Returns:
        A plot, which notebooks show, with a method `save(path)`.

    Raises:
        ValueError: There is no history, or no metric of such a name.

    Example:
        >>> plot = tf.keras.utils.plot_history(
        ...     {"loss": [0.9, 0.5], "val_loss": [1.0, 0.7]}, "training.svg"
        ... )
    """
    logs = getattr(history, "history", history)
    if not isinstance(logs, dict) or not logs:
        raise ValueError(
            "expected what `fit` returned, or a dictionary with a list of values for each name; "
            f"received {history!r}" + (" without any epoch" if logs == {} else "")
        )
    names = metrics or list(dict.fromkeys(name.removeprefix(VALIDATION) for name in logs))
    unknown = [n for n in names if n not in logs and VALIDATION + n not in logs]
    if unknown:
        raise ValueError(f"metrics: expected some of {sorted(logs)}, received {unknown}")
    panels = [
        Panel(
            name,
            {
                label: [float(value) for value in logs[key]]
                for label, key in (("training", name), ("validation", VALIDATION + name))
                if key in logs
            },
        )
        for name in names
    ]
    longest = max(len(values) for panel in panels for values in panel.curves.values())
    epochs = [epoch + 1 for epoch in getattr(history, "epoch", ())]
    plot = HistoryPlot(
        epochs if len(epochs) == longest else list(range(1, longest + 1)), panels, title
    )
    if to_file is not None:
        plot.save(to_file)
    return plot


def _panel(panel: Panel, epochs: list[int]) -> list[str]:
    values = [v for curve in panel.curves.values() for v in curve if math.isfinite(v)]
    rows = _ticks(min(values), max(values)) if values else [0.0, 1.0]
    low, high = rows[0], rows[-1]
    first, last = epochs[0], max(epochs[-1], epochs[0] + 1)
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def across(epoch: float) -> float:
        return LEFT + (epoch - first) / (last - first) * wide

    def down(value: float) -> float:
        return TOP + (high - value) / (high - low) * tall

    parts = [_text(LEFT + wide / 2, TOP - 14, panel.name, "middle", 'font-weight="bold"')]
    for row in rows:
        y = down(row)
        parts.append(f'<path d="M{LEFT},{y:.1f}h{wide}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{row:.4g}", "end"))
    for epoch in sorted({round(e) for e in _ticks(first, last) if first <= e <= last}):
        parts.append(_text(across(epoch), TOP + tall + 16, str(epoch), "middle"))
    parts.append(_text(LEFT + wide / 2, TOP + tall + 32, "epoch", "middle"))
    for at, (label, curve) in enumerate(panel.curves.items()):
        color = COLORS[0 if label == "training" else 1]
        points = [
            (across(epoch), down(value))
            for epoch, value in zip(epochs, curve, strict=False)
            if math.isfinite(value)
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{color}"/>' for x, y in points]
        anchor = LEFT + wide - 4, TOP + 12 + 14 * at
        parts.append(_text(*anchor, label, "end", f'fill="{color}"'))
    return parts


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers, evenly spaced, from below `low` to above `high`."""
    span = high - low or abs(high) or 1.0
    step = 10.0 ** math.floor(math.log10(span / TICKS))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= TICKS)
    start, end = math.floor(low / step), math.ceil(high / step)
    return [step * at for at in range(start, max(end, start + 1) + 1)]


def _text(x: float, y: float, words: str, anchor: str, extra: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{" " + extra if extra else ""}>'
        f"{escape(words)}</text>"
    )
