"""Records what TensorFlow gives for the cases: `python -m tests.parity.record_image`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tests.image.cases import CASES, DRAWN, names, outputs

TARGET = Path(__file__).parents[1] / "golden" / "image.json"


def describe(array: np.ndarray) -> dict[str, Any]:
    values = array.reshape(-1)
    if array.dtype.kind == "f":
        values = np.array([float(f"{v:.8g}") for v in values.tolist()])
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": values.tolist()}


def main() -> None:
    given = names(tf)
    recorded = {case: [describe(a) for a in outputs(eval(case, given))] for case in CASES}
    tf.random.set_seed(4)
    drawn = [[describe(a) for a in outputs(eval(case, given))] for case in DRAWN]
    lines = [f"{json.dumps(case)}: {json.dumps(found)}" for case, found in recorded.items()]
    lines.append(f'"drawn": {json.dumps(drawn)}')
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
