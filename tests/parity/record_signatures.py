"""Record TensorFlow's public names and parameter names, as facts for `tests/test_signatures.py`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_signatures
"""

from __future__ import annotations

import inspect
import json
import operator
from pathlib import Path
from typing import Any

import tensorflow as tf

from tests.signatures import describe, describe_init, methods

GOLDEN = Path(__file__).parents[1] / "golden" / "tensorflow_signatures.json"
NAMESPACES = (
    "tf",
    "tf.autodiff",
    "tf.bitwise",
    "tf.config",
    "tf.debugging",
    "tf.dtypes",
    "tf.errors",
    "tf.linalg",
    "tf.math",
    "tf.nest",
    "tf.nn",
    "tf.random",
    "tf.raw_ops",
)


def record(namespace: str) -> dict[str, Any]:
    """Name -> signature, {method: signature} for a class, None for what has neither."""
    _, _, below = namespace.partition(".")
    module = operator.attrgetter(below)(tf) if below else tf
    found: dict[str, Any] = {}
    for name in dir(module):
        value = getattr(module, name)
        if name.startswith("_") or inspect.ismodule(value):
            continue
        if inspect.isclass(value):
            found[name] = {"__init__": describe_init(value), **methods(value)}
        else:
            found[name] = describe(value) if callable(value) else None
    return found


def main() -> None:
    signatures = {namespace: record(namespace) for namespace in NAMESPACES}
    lines = [
        f'"{namespace}": {{\n'
        + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(names.items()))
        + "\n}"
        for namespace, names in signatures.items()
    ]
    version = json.dumps(tf.__version__)
    GOLDEN.write_text(f'{{"version": {version},\n' + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{sum(map(len, signatures.values()))} names -> {GOLDEN}")


if __name__ == "__main__":
    main()
