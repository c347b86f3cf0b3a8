"""Record which names of `tf.compat.v1` are names of TensorFlow 2, as `compat/v1/aliases.txt`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_v1_aliases [target]

A line per namespace lists `name` or `name=name in TensorFlow 2`: the same object, or a function
with the same parameters. What is left out has a signature of its own.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections import defaultdict
from pathlib import Path
from typing import Any

import tensorflow as tf

from tests.parity.record_names import V1, public_names

TARGET = Path(__file__).parents[2] / "src" / "tapeflow" / "_src" / "compat" / "v1" / "aliases.txt"
# Libraries and namespaces that are not aliases by name.
_OWN = ("compat.v1.raw_ops.", "compat.v1.keras", "compat.v1.compat", "compat.v1.estimator")


def parameters(value: Any) -> list[tuple[str, Any]] | None:
    """Return names and kinds of a function's parameters, or None for anything else."""
    if not inspect.isroutine(value):
        return None
    try:
        return [(p.name, p.kind) for p in inspect.signature(value).parameters.values()]
    except ValueError:
        return None


def target_of(name: str, value: Any, names: dict[str, Any], homes: dict[int, list[str]]) -> str:
    """Return the name in TensorFlow 2, or ""."""
    own = name.removeprefix(V1)
    if isinstance(value, types.ModuleType):
        return ""
    twin = names.get(own)
    if twin is not None and (twin is value or isinstance(value, int | str | float)):
        return own
    if twin is not None and parameters(value) and parameters(value) == parameters(twin):
        return own
    if isinstance(value, type) or inspect.isroutine(value):
        return min(homes.get(id(value), [""]), key=lambda n: (n.count("."), len(n)))
    return ""


def main() -> None:
    names = public_names(tf)
    homes = defaultdict(list)
    for name, value in names.items():
        if not name.startswith(("compat.", "raw_ops.")):
            homes[id(value)].append(name)
    groups = defaultdict(list)
    for name, value in names.items():
        if name.startswith(V1) and not name.startswith(_OWN):
            target = target_of(name, value, names, homes)
            if target:
                own = name.removeprefix(V1)
                space, _, short = own.rpartition(".")
                groups[space].append(short if target == own else f"{short}={target}")
    lines = [f"{space or '.'} {' '.join(sorted(own))}" for space, own in sorted(groups.items())]
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    path.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
