"""Records what TensorFlow gives for calls of its NumPy functions.

python -m tests.parity.record_experimental_numpy        # with a python that has TensorFlow
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import tensorflow as tf

from tests.experimental_numpy import behavior_cases, cases, gradient_cases, weak_cases

GOLDEN = Path(__file__).parents[1] / "golden"


def write(name: str, recorded: dict[str, Any]) -> None:
    lines = [
        f"{json.dumps(case)}: {json.dumps(found, separators=(',', ':'))}"
        for case, found in recorded.items()
    ]
    (GOLDEN / name).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> None:
    logging.disable(logging.WARNING)
    enable = tf.experimental.numpy.experimental_enable_numpy_behavior
    enable()
    given = cases.names(tf)
    calls = [call for group in cases.GROUPS.values() for call in group]
    write("experimental_numpy.json", {call: cases.run(call, given) for call in calls})
    slopes = {case: gradient_cases.run(tf, case) for case in gradient_cases.CASES}
    write("experimental_numpy_gradients.json", slopes)
    given = behavior_cases.names(tf)
    calls = [call for group in behavior_cases.GROUPS.values() for call in group]
    recorded = {call: cases.run(call, given) for call in calls}
    enable(prefer_float32=True)
    for call in behavior_cases.PREFER_FLOAT32:
        recorded[f"prefer_float32: {call}"] = cases.run(call, given)
    write("experimental_numpy_behavior.json", recorded)
    recorded = {}
    for mode, calls in (("all", weak_cases.CASES), ("safe", weak_cases.SAFE)):
        enable(dtype_conversion_mode=mode)
        given = weak_cases.names(tf)
        for call in (*calls, *weak_cases.PAIRS):
            recorded[f"{mode}: {call}"] = weak_cases.run(call, given)
    write("experimental_numpy_weak.json", recorded)


if __name__ == "__main__":
    main()
