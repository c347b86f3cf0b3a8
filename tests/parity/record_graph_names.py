"""Record how TensorFlow names what the expressions of `tests.parity.naming` give.

Run where TensorFlow is installed, from the root of the repository, for all families or some:

    python -m tests.parity.record_graph_names [family ...]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf

from tests.parity.naming.programs import FAMILIES, expressions, names_of

GOLDEN = Path(__file__).parents[1] / "golden" / "graph_names"


def main() -> None:
    for family in sys.argv[1:] or FAMILIES:
        same, in_scope = expressions(family)
        names = {}
        for expression in [*same, *in_scope]:
            try:
                names[expression] = names_of(tf, expression)
            except Exception as error:
                raise RuntimeError(f"TensorFlow refuses {expression}") from error
        path = GOLDEN / f"{family}.json"
        path.write_text(json.dumps(names, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
