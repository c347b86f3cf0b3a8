"""Record what TensorFlow makes of the programs on `tf.nn`, as facts for `tests/test_nn.py`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_nn [file]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

from tests.parity.nn_programs import PRELUDE, PROGRAMS
from tests.parity.program import execute

GOLDEN = Path(__file__).parents[1] / "golden" / "nn.json"


# Enough digits to tell numbers of a dtype apart, and no more.
DIGITS = {"float16": 5, "bfloat16": 4, "float32": 9}


def rounded(outcome: Any, digits: int = 17) -> Any:
    """An outcome with no more digits than its numbers have."""
    if isinstance(outcome, float):
        return float(f"{outcome:.{digits}g}")
    if isinstance(outcome, dict):
        digits = DIGITS.get(str(outcome.get("dtype")), 17)
        return {key: rounded(value, digits) for key, value in outcome.items()}
    return [rounded(value, digits) for value in outcome] if isinstance(outcome, list) else outcome


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDEN
    records = {"prelude": PRELUDE} | {
        name: [code, rounded(execute(PRELUDE + code, tf))] for name, code in PROGRAMS.items()
    }
    lines = (
        f"{json.dumps(name)}: {json.dumps(record, separators=(',', ':'))}"
        for name, record in records.items()
    )
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(PROGRAMS)} programs -> {target}")


if __name__ == "__main__":
    main()
