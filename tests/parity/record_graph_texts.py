"""Record how TensorFlow prints the graphs of `tests.graph.plain_programs`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_graph_texts
"""

from __future__ import annotations

import json
from pathlib import Path

import tensorflow as tf

from tests.graph.plain_programs import programs, text

GOLDEN = Path(__file__).parents[1] / "golden" / "graph_texts.json"


def main() -> None:
    texts = {name: text(tf, *program) for name, program in programs(tf).items()}
    GOLDEN.write_text(json.dumps(texts, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
