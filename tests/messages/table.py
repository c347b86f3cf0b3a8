"""Write `docs/errors.md`: the scores beside TensorFlow's, with the messages of Tapeflow.

    python -m tests.messages.table

TensorFlow's scores come from `tests/golden/message_scores.json` (`record_scores.py`).
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

from tests.messages.program import Program, Score, score
from tests.messages.programs import ALL, AREAS
from tests.messages.running import file_of, shown_by

ROOT = Path(__file__).parents[2]
SCORES = ROOT / "tests" / "golden" / "message_scores.json"
TARGET = ROOT / "docs" / "errors.md"
_ERROR = re.compile(r"^[\w.]*(?:Error|Exception|Warning)\b.*", re.DOTALL | re.MULTILINE)
_LONGEST = 900

_TITLE = """\
# Errors: line, cause, repair

What the user sees when a program is wrong names three things: the line of the program, the actual
cause, and what to write instead. {count} broken programs in `tests/messages` assert it. The table
scores what Tapeflow and TensorFlow {version} say about the same programs, 1 for each of
line/cause/repair, by the same patterns; TensorFlow's messages are not repeated here. `python -m
tests.messages.table` writes this page.

| | line | cause | repair | all three |
|---|---|---|---|---|
{sums}

Errors of ops end with `At FILE:LINE: code`, also in compiled functions; `error.message` is the
text without that line. ValueError and TypeError of Keras carry the line as a note. What to write
instead is proposed in one place (`core/repairs.py`) from the op and the shapes, dtypes and
attributes of the call that failed.
"""


def message_of(program: Program, shown: str, file: str) -> str:
    """Return the message that a program ends with, without the traceback before it."""
    text = shown.split("Traceback (most recent call last):\n")[-1]
    match = _ERROR.search(text) if "Traceback" in shown else None
    text = (text if match is None else match[0]).strip().replace("tapeflow._src.core.", "tf.")
    text = text.replace(file, "program.py").replace("  # <--", "")
    text = re.sub(r"/tmp/\w+/", "", text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _sums(name: str, scores: list[str]) -> str:
    columns = zip(*(map(int, each.split("/")) for each in scores))
    cells = [*(str(sum(column)) for column in columns), str(scores.count("1/1/1"))]
    return f"| {name} | " + " | ".join(cells) + " |"


def page() -> str:
    """Return the text of the page."""
    peer: dict[str, str] = json.loads(SCORES.read_text("utf-8"))
    own: dict[str, Score] = {}
    parts: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for area, programs in AREAS.items():
            parts += [f"## {area}", "| mistake | Tapeflow | TensorFlow |\n|---|---|---|"]
            messages = []
            for program in programs:
                shown = shown_by(program, Path(folder))
                file = str(file_of(program, Path(folder)))
                own[program.topic] = score(program, file, shown)
                parts[-1] += f"\n| {program.topic} | {own[program.topic]} | {peer[program.topic]} |"
                text = message_of(program, shown, file)
                messages.append(f"**{program.topic}**\n\n```text\n{text}\n```")
            parts += messages
    sums = [
        _sums("Tapeflow", [str(own[program.topic]) for program in ALL]),
        _sums("TensorFlow", [peer[program.topic] for program in ALL]),
    ]
    title = _TITLE.format(count=len(ALL), version="2.21", sums="\n".join(sums))
    return "\n\n".join([title.rstrip(), *parts]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
