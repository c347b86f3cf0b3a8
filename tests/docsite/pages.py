"""Run the Python blocks of a page, in order, and compare what they print with what it shows.

A block of `text` directly behind a block of `python` is what that block prints; `...` stands for
anything. Blocks of `py` are not run: they need something that the page cannot bring.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```$(?:\n\n?```text\n(?P<output>.*?)^```$)?", re.S | re.M
)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """Code, the line it begins at, and what it should print, if the page shows that."""

    code: str
    line: int
    output: str | None


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for match in BLOCK.finditer(text):
        yield Block(match["code"], text.count("\n", 0, match.start("code")), match["output"])


def run(page: Path) -> list[str]:
    """Return how the output of each block differs from what the page shows."""
    names: dict[str, Any] = {"__name__": "__main__"}
    differences = []
    for block in blocks(page):
        # Lines before it keep the numbers right. As in a notebook, the source is to be found where
        # Python looks for the lines of a file: AutoGraph and tracebacks read it.
        name = f"<{page.name}, block of line {block.line}>"
        source = "\n" * block.line + block.code
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        code = compile(source, name, "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        expected = block.output
        checker = doctest.OutputChecker()
        if expected is not None and not checker.check_output(expected, printed.getvalue(), OPTIONS):
            differences.append(
                f"{page.name}:{block.line}: expected\n{expected}\nreceived\n{printed.getvalue()}"
            )
    return differences


def pages() -> list[Path]:
    """Return the pages with code that runs; the profiling page has a test of its own."""
    return [
        path
        for path in sorted(DOCS.rglob("*.md"))
        if path.name != "profiling.md" and any(blocks(path))
    ]
