"""Record TensorFlow's public names and parameter names, as facts for `tests/test_signatures.py`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_signatures
"""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import tensorflow as tf

from tests.signatures import describe, describe_init, methods

GOLDEN = Path(__file__).parents[1] / "golden" / "tensorflow_signatures.json"
# The modules TensorFlow generates for its public API, and Keras for its part of it.
GENERATED = ("tensorflow._api.v2.", "tensorflow.experimental", "keras._tf_keras.", "keras.")
# Parts of TensorFlow that are tools around it, or that have a life of their own.
LEFT_OUT = ("tf.keras", "tf.lite", "tf.mlir", "tf.tpu", "tf.profiler", "tf.experimental.dtensor")


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


def modules(path: str, module: ModuleType) -> Iterator[str]:
    """The public namespaces, by the path a user writes; `compat` repeats them all."""
    yield path
    for name in dir(module):
        value = getattr(module, name)
        generated = str(getattr(value, "__name__", "")).startswith(GENERATED)
        if inspect.ismodule(value) and generated and name != "compat" and not name.startswith("_"):
            yield from modules(f"{path}.{name}", value)


def main() -> None:
    namespaces = sorted(modules("tf", tf))
    signatures = {name: record(name) for name in namespaces if not name.startswith(LEFT_OUT)}
    lines = [
        f'"{namespace}": {{\n'
        + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(names.items()))
        + "\n}"
        for namespace, names in signatures.items()
    ]
    head = {"version": tf.__version__, "modules": namespaces}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()] + lines
    GOLDEN.write_text("{" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{sum(map(len, signatures.values()))} names -> {GOLDEN}")


if __name__ == "__main__":
    main()
