"""Write down what TensorFlow makes of the programs, or read what was written.

python -m tests.conformance.record        # with a python that has TensorFlow
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.conformance.harness import PROGRAMS, Outcome, run

GOLDEN = Path(__file__).with_name("golden.json")
FAMILIES = ("branches", "errors", "functions", "host", "loops", "math", "state", "users")


def load_programs() -> None:
    """Have every family register its programs."""
    for family in FAMILIES:
        importlib.import_module(f"tests.conformance.programs_{family}")


def _written(array: Any) -> Any:
    if array is None:
        return None
    if array.dtype == object:
        text = np.vectorize(lambda b: b.decode(), otypes=[object])(array)
        return {"dtype": "object", "value": text.tolist()}
    if array.dtype.kind == "c":
        return {"dtype": array.dtype.name, "value": [array.real.tolist(), array.imag.tolist()]}
    return {"dtype": array.dtype.name, "shape": array.shape, "value": array.tolist()}


def _read(record: Any) -> Any:
    if record is None:
        return None
    if record["dtype"] == "object":
        texts = np.array(record["value"], object)
        return np.vectorize(lambda text: text.encode(), otypes=[object])(texts)
    if record["dtype"].startswith("complex"):
        real, imag = record["value"]
        return (np.array(real) + 1j * np.array(imag)).astype(record["dtype"])
    return np.array(record["value"], record["dtype"]).reshape(record["shape"])


def golden() -> dict[str, list[Outcome]]:
    """What TensorFlow gave, run eagerly."""
    found = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return {
        name: [
            Outcome(o["error"], tuple(map(_read, o["values"])), tuple(map(_read, o["gradients"])))
            for o in outcomes
        ]
        for name, outcomes in found.items()
    }


def main() -> None:
    tensorflow = importlib.import_module("tensorflow")
    load_programs()
    record = {
        name: [
            {
                "error": o.error,
                "values": list(map(_written, o.values)),
                "gradients": list(map(_written, o.gradients)),
            }
            for o in run(tensorflow, chosen, lambda f: f)
        ]
        for name, chosen in sorted(PROGRAMS.items())
    }
    GOLDEN.write_text(json.dumps(record, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
