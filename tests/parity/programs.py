"""All programs of this folder: the `PROGRAMS` of every file named `programs_*.py`."""

from __future__ import annotations

import importlib
from pathlib import Path


def programs() -> dict[str, str]:
    """`area: name` -> code."""
    found: dict[str, str] = {}
    for file in sorted(Path(__file__).parent.glob("programs_*.py")):
        area = file.stem.removeprefix("programs_")
        for name, code in importlib.import_module(f"tests.parity.{file.stem}").PROGRAMS:
            if f"{area}: {name}" in found:
                raise ValueError(f"{file.name} has two programs named {name!r}")
            found[f"{area}: {name}"] = code
    return found
