"""Record the random numbers TensorFlow draws, as facts for `tests/test_random.py`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_random
"""

from __future__ import annotations

import json
from pathlib import Path

import tensorflow as tf

from tests.parity.program import digest, execute
from tests.parity.random_programs import PROGRAMS

GOLDEN = Path(__file__).parents[1] / "golden" / "random.json"


def main() -> None:
    records = {
        name: {"code": digest(code), "outcome": execute(code, tf)}
        for name, code in PROGRAMS.items()
    }
    lines = (f"{json.dumps(name)}: {json.dumps(record)}" for name, record in records.items())
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(records)} programs -> {GOLDEN}")


if __name__ == "__main__":
    main()
