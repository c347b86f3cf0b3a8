"""Record the public names of TensorFlow as `src/tapeflow/_src/core/tensorflow_names.txt`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_names [target]

A line per namespace lists its names; the lines after
`moved:` say where functions of TensorFlow 1 are in TensorFlow 2.
"""

from __future__ import annotations

import sys
import types
from collections import defaultdict
from pathlib import Path
from typing import Any

import tensorflow as tf
from keras._tf_keras import keras

TARGET = Path(__file__).parents[2] / "src" / "tapeflow" / "_src" / "core" / "tensorflow_names.txt"
V1 = "compat.v1."
_PUBLIC_MODULES = ("tensorflow._api", "keras.", "tensorflow.keras")
# TensorFlow has lazy loaders under these names.
_KERAS_SPACES = ("activations", "initializers", "losses", "metrics", "optimizers")
KERAS = {"keras": keras, **{name: getattr(keras, name) for name in _KERAS_SPACES}}
_TWICE = ("compat.v1.compat", "compat.v1.keras", "compat.v2", "keras.src")


def public_names(root: Any) -> dict[str, Any]:
    """Return the objects of all public namespaces by name."""
    names: dict[str, Any] = {}

    def visit(module: Any, path: str, outer: tuple[Any, ...]) -> None:
        for name in sorted(dir(module)):
            full = f"{path}.{name}" if path else name
            if name.startswith("_") or full.startswith(_TWICE):
                continue
            value = KERAS.get(full) or getattr(module, name, None)
            if not isinstance(value, types.ModuleType):
                names[full] = value
            elif is_namespace(value):
                names[full] = value
                if value not in outer:
                    visit(value, full, (*outer, value))

    visit(root, "", (root,))
    return names


def is_namespace(module: Any) -> bool:
    """Return whether a module is one that TensorFlow documents."""
    name = str(module.__dict__.get("__name__", ""))
    return name.startswith(_PUBLIC_MODULES) and not name.startswith("keras.src")


def moved_names(names: dict[str, Any]) -> dict[str, str]:
    """Return where functions that only `compat.v1` has under a name are in TensorFlow 2."""
    homes = defaultdict(list)
    for name, value in names.items():
        if callable(value) and not name.startswith(V1):
            homes[id(value)].append(name)
    moved = {}
    for name, value in names.items():
        old = name.removeprefix(V1)
        if old != name and old not in names and homes[id(value)]:
            moved[old] = min(homes[id(value)], key=_preference)
    return moved


def _preference(name: str) -> tuple[bool, bool, int, int]:
    return name.startswith("raw_ops"), "experimental" in name, name.count("."), len(name)


def main() -> None:
    names = public_names(tf)
    groups = defaultdict(list)
    for name in names:
        namespace, _, own = name.rpartition(".")
        groups[namespace].append(own)
    lines = [f"{space or '.'} {' '.join(sorted(own))}" for space, own in sorted(groups.items())]
    lines.append("moved:")
    lines += [f"{old} {new}" for old, new in sorted(moved_names(names).items())]
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
