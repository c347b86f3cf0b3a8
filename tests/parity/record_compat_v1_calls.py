"""Record what TensorFlow returns for `tests.compat_v1_calls`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_compat_v1_calls
"""

from __future__ import annotations

import json
from pathlib import Path

import tensorflow as tf

from tests.compat_v1_calls import CALLS, called

TARGET = Path(__file__).parents[1] / "golden" / "compat_v1_calls.json"


def main() -> None:
    results = {call: called(call, tf.compat.v1) for call in CALLS}
    TARGET.write_text(json.dumps(results, indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    main()
