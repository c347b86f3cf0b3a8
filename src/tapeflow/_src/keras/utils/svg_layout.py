"""Draws boxes and arrows as SVG: layers of boxes by their distance from the start.

A box is below all boxes that have arrows to it. Within a layer, boxes are ordered by the middle of
those that they are connected with, which keeps most arrows from crossing.
"""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

_CHARACTER, _LINE, _PADDING, _GAP, _BETWEEN = 8.0, 30.0, 10.0, 30.0, 46.0
_SWEEPS = 4
_FRAME = 12.0
_COLORS = {"forestgreen": "#228b22", "firebrick": "#b22222"}


@dataclass
class Box:
    """A table of cells (text, colour, background) with a name, inside frames with titles."""

    name: str
    rows: list[list[tuple[str, str, str]]]
    frames: tuple[str, ...] = ()
    x: float = 0.0
    y: float = 0.0
    width: float = field(init=False)
    height: float = field(init=False)

    def __post_init__(self) -> None:
        self.width = max(sum(map(_cell_width, row)) for row in self.rows)
        self.height = _LINE * len(self.rows)

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def _cell_width(cell: tuple[str, str, str]) -> float:
    return len(cell[0]) * _CHARACTER + 2 * _PADDING


def drawn_as_svg(boxes: list[Box], arrows: Iterable[tuple[str, str]], direction: str) -> str:
    """The picture. `direction` is that of the arrows: TB, BT, LR or RL, as in Graphviz."""
    by_name = {box.name: box for box in boxes}
    pairs = [(by_name[a], by_name[b]) for a, b in arrows if a in by_name and b in by_name]
    ranks = _ranked(boxes, pairs)
    sideways = direction in ("LR", "RL")
    _place(ranks, pairs, sideways, reverse=direction in ("BT", "RL"))
    frames = _framed(boxes)
    parts = [_frame(*frame) for frame in frames]
    parts += [_arrow(a, b, sideways) for a, b in pairs]
    parts += [_table(box) for box in boxes]
    margin = 2 * _FRAME * (1 + max([0, *(len(box.frames) for box in boxes)]))
    right = max([0.0, *(box.x + box.width for box in boxes)])
    bottom = max([0.0, *(box.y + box.height for box in boxes)])
    view = f"{-margin:g} {-margin:g} {right + 2 * margin:g} {bottom + 2 * margin:g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" '
        f'width="{right + 2 * margin:g}" height="{bottom + 2 * margin:g}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="14">\n'
        f'<defs><marker id="head" markerWidth="10" markerHeight="8" refX="9" refY="4" '
        f'orient="auto"><path d="M0,0 L10,4 L0,8 z"/></marker></defs>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _ranked(boxes: list[Box], pairs: list[tuple[Box, Box]]) -> list[list[Box]]:
    """The boxes by the longest way to them; an arrow back is not followed."""
    sources = defaultdict(list)
    for a, b in pairs:
        sources[b.name].append(a)
    rank: dict[str, int] = {}
    for box in boxes:
        waiting, on_the_way = [box], {box.name}
        while waiting:
            top = waiting[-1]
            ahead = [s for s in sources[top.name] if s.name not in rank]
            ahead = [s for s in ahead if s.name not in on_the_way]
            if ahead:
                waiting.append(ahead[0])
                on_the_way.add(ahead[0].name)
                continue
            known = (rank[s.name] for s in sources[top.name] if s.name in rank)
            rank[top.name] = max(known, default=-1) + 1
            waiting.pop()
    ranks: list[list[Box]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for box in boxes:
        ranks[rank[box.name]].append(box)
    return ranks


def _place(
    ranks: list[list[Box]], pairs: list[tuple[Box, Box]], sideways: bool, reverse: bool
) -> None:
    """Set the position of each box."""
    neighbours = defaultdict(list)
    for a, b in pairs:
        neighbours[a.name].append(b)
        neighbours[b.name].append(a)
    depth = 0.0
    for boxes in reversed(ranks) if reverse else ranks:
        for box in boxes:
            box.x, box.y = (depth, box.y) if sideways else (box.x, depth)
        deepest = max((box.width if sideways else box.height) for box in boxes)
        depth += deepest + _BETWEEN
    for sweep in range(_SWEEPS):
        for boxes in ranks if sweep % 2 == 0 else reversed(ranks):
            targets = {
                box.name: _mean([_across(each, sideways) for each in neighbours[box.name]])
                for box in boxes
            }
            boxes.sort(key=lambda box: targets[box.name])
            _line_up(boxes, sideways)


def _line_up(boxes: list[Box], sideways: bool) -> None:
    """Place boxes side by side, around the middle of the picture."""
    sizes = [box.height if sideways else box.width for box in boxes]
    at = -(sum(sizes) + _GAP * (len(boxes) - 1)) / 2
    for box, size in zip(boxes, sizes):
        if sideways:
            box.y = at
        else:
            box.x = at
        at += size + _GAP


def _across(box: Box, sideways: bool) -> float:
    return box.y + box.height / 2 if sideways else box.middle


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _framed(boxes: list[Box]) -> list[tuple[str, float, float, float, float]]:
    """The frames around boxes; all is moved so that the picture starts at zero."""
    left, top = (min(map(get, boxes), default=0.0) for get in (_left, _top))
    for box in boxes:
        box.x, box.y = box.x - left, box.y - top
    inside = defaultdict(list)
    for box in boxes:
        for depth in range(1, len(box.frames) + 1):
            inside[box.frames[:depth]].append(box)
    deepest = max(map(len, inside), default=0)
    frames = []
    for path, members in inside.items():
        space = _FRAME * (deepest - len(path) + 1)
        x, y = min(map(_left, members)) - space, min(map(_top, members)) - space - _FRAME
        right = max(box.x + box.width for box in members) + space
        bottom = max(box.y + box.height for box in members) + space
        frames.append((path[-1], x, y, right - x, bottom - y))
    return frames


def _left(box: Box) -> float:
    return box.x


def _top(box: Box) -> float:
    return box.y


def _frame(title: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="none" '
        f'stroke="black" stroke-dasharray="5 4"/>'
        f'<text x="{x + 5:g}" y="{y + 14:g}">{html.escape(title)}</text>'
    )


def _arrow(a: Box, b: Box, sideways: bool) -> str:
    if sideways:
        forward = b.x >= a.x
        start = (a.x + a.width if forward else a.x, a.y + a.height / 2)
        end = (b.x if forward else b.x + b.width, b.y + b.height / 2)
    else:
        forward = b.y >= a.y
        start = (a.middle, a.y + a.height if forward else a.y)
        end = (b.middle, b.y if forward else b.y + b.height)
    line = f'x1="{start[0]:g}" y1="{start[1]:g}" x2="{end[0]:g}" y2="{end[1]:g}"'
    return f'<line {line} stroke="black" stroke-width="2" marker-end="url(#head)"/>'


def _table(box: Box) -> str:
    parts = []
    for number, row in enumerate(box.rows):
        y = box.y + number * _LINE
        widths = list(map(_cell_width, row))
        spare = (box.width - sum(widths)) / len(widths)
        x = box.x
        for (text, color, background), width in zip(row, widths):
            fill = _COLORS.get(background, background)
            parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{width + spare:g}" height="{_LINE:g}" '
                f'fill="{fill}" stroke="black"/>'
                f'<text x="{x + (width + spare) / 2:g}" y="{y + 20:g}" text-anchor="middle" '
                f'fill="{color}">{html.escape(text)}</text>'
            )
            x += width + spare
    return "".join(parts)
