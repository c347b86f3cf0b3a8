"""Write files of records under TensorFlow, or read them there.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.run_records write [folder]         # the golden files, by default
    python -m tests.parity.run_records read folder result.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf

from tests.parity.records import COMPRESSIONS, parse, write

GOLDEN = Path(__file__).parents[1] / "golden" / "records"


def read(folder: Path) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for name, compression in COMPRESSIONS.items():
        file = str(folder / f"{name}.tfrecord")
        records = [r.numpy() for r in tf.data.TFRecordDataset(file, compression)]
        parsed = [parse(tf, record) for record in records[:4]]
        found[name] = [[record.decode("latin-1") for record in records], parsed]
    return found


if __name__ == "__main__":
    if sys.argv[1] == "write":
        target = Path(sys.argv[2]) if len(sys.argv) > 2 else GOLDEN
        target.mkdir(parents=True, exist_ok=True)
        write(tf, target)
    else:
        Path(sys.argv[3]).write_text(json.dumps(read(Path(sys.argv[2]))), encoding="utf-8")
