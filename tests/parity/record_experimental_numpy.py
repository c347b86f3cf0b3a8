"""Records what TensorFlow gives for calls of its NumPy functions.

python -m tests.parity.record_experimental_numpy        # with a python that has TensorFlow
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

import tensorflow as tf

from tests.experimental_numpy.cases import GROUPS, names, run

TARGET = Path(__file__).parents[1] / "golden" / "experimental_numpy.json"


def main() -> None:
    logging.disable(logging.WARNING)
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    given = names(tf)
    cases = dict.fromkeys(case for group in GROUPS.values() for case in group)
    lines = [
        f"{json.dumps(case)}: {json.dumps(run(case, given), separators=(',', ':'))}"
        for case in cases
    ]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
