"""A broken program as a user writes it, and what its error or warning must name.

Used with Tapeflow by the tests and with TensorFlow by `score.py`; imports neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MARK = "# <--"


@dataclass(frozen=True)
class Program:
    """A program with one mistake.

    Attributes:
        topic: the mistake in a few words.
        source: the text; the line to look at ends with `# <--`.
        cause: patterns of the facts that explain the mistake, all of which must be shown.
        repair: patterns of what to write instead, one of which must be shown.
    """

    topic: str
    source: str
    cause: tuple[str, ...]
    repair: tuple[str, ...]

    @property
    def lines(self) -> list[int]:
        """The numbers of the marked lines."""
        return [n for n, line in enumerate(self.source.splitlines(), 1) if line.endswith(MARK)]


@dataclass(frozen=True)
class Score:
    """Whether a message names the line, the cause and the repair."""

    line: bool
    cause: bool
    repair: bool

    def __str__(self) -> str:
        return "/".join(str(int(part)) for part in (self.line, self.cause, self.repair))


def score(program: Program, file: str, shown: str) -> Score:
    """Return what of `program`, run as `file`, is named in the text that the user sees."""
    places = "|".join(rf'{re.escape(file)}(:|", line ){n}\b' for n in program.lines)
    said = _without_code(program, shown)
    return Score(
        line=re.search(places, shown) is not None,
        cause=all(_matches(pattern, said) for pattern in program.cause),
        repair=any(_matches(pattern, said) for pattern in program.repair),
    )


def _without_code(program: Program, shown: str) -> str:
    """Return what is shown without the lines of the program that it quotes."""
    quoted = {line.strip() for line in program.source.splitlines()} - {""}
    said = "\n".join(line for line in shown.splitlines() if line.strip() not in quoted)
    for line in sorted(quoted, key=len, reverse=True):
        if len(line) > 12:
            said = said.replace(line, "")
    return said


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.DOTALL | re.IGNORECASE) is not None
