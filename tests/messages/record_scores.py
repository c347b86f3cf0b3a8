"""Record how TensorFlow's messages score on the broken programs.

    python -m tests.messages.record_scores [topic ...]

Runs with a Python that has TensorFlow, which then answers `import tapeflow`. Only the scores are
recorded, no message.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from pathlib import Path

from tests.messages.program import score
from tests.messages.programs import ALL

TARGET = Path(__file__).parents[1] / "golden" / "message_scores.json"


def main() -> None:
    """Write the scores by topic."""
    sys.modules["tapeflow"] = importlib.import_module("tensorflow")
    running = importlib.import_module("tests.messages.running")
    topics = sys.argv[1:]
    scores = json.loads(TARGET.read_text("utf-8")) if topics else {}
    with tempfile.TemporaryDirectory() as folder:
        for program in ALL:
            if topics and program.topic not in topics:
                continue
            shown = running.shown_by(program, Path(folder))
            file = str(running.file_of(program, Path(folder)))
            scores[program.topic] = str(score(program, file, shown))
            print(scores[program.topic], program.topic, flush=True)
    scores = {program.topic: scores[program.topic] for program in ALL}
    TARGET.write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
