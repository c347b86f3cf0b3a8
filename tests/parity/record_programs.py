"""Run all programs under TensorFlow and record the outcomes.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_programs [file]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf

from tests.parity.program import digest, execute
from tests.parity.programs import programs

GOLDEN = Path(__file__).parents[1] / "golden" / "parity.json"


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDEN
    records = {
        name: {"code": digest(code), "outcome": execute(code, tf)}
        for name, code in programs().items()
    }
    lines = (f"{json.dumps(name)}: {json.dumps(record)}" for name, record in records.items())
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(records)} programs -> {target}")


if __name__ == "__main__":
    main()
