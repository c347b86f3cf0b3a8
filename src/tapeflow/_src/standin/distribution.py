"""The metadata of the package `tensorflow`, as `importlib.metadata` reads it."""

from __future__ import annotations

import re
from importlib import metadata
from os import PathLike
from typing import Any

from tapeflow.version import VERSION

_NAMES = frozenset({"tensorflow", "tensorflow-cpu"})


def names_tensorflow(name: str | None) -> bool:
    """Whether a distribution of that name, or any distribution, is asked for."""
    return name is None or re.sub(r"[-_.]+", "-", name).lower() in _NAMES


class StandInDistribution(metadata.Distribution):
    """A package `tensorflow` of the version whose interface is served."""

    def read_text(self, filename: str) -> str | None:
        """Return the contents of a file of metadata; there is but one."""
        if filename not in ("METADATA", "PKG-INFO"):
            return None
        return (
            f"Metadata-Version: 2.1\nName: tensorflow\nVersion: {VERSION}\n"
            "Summary: the interface of TensorFlow, served by Tapeflow\n"
        )

    def locate_file(self, path: str | PathLike[str]) -> Any:
        """Not possible: the package has no files."""
        raise FileNotFoundError(f"tensorflow is served by Tapeflow and has no file {path}.")
