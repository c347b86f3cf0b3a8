"""`tf.compat.v1.test`: test cases, and the folders that tests use."""

from __future__ import annotations

import sys as _sys
from pathlib import Path as _Path
from typing import Any
from unittest import mock as mock

from tapeflow._src.api.test.files import get_temp_dir as get_temp_dir
from tapeflow._src.compat.v1.aliases import aliases as _aliases


def test_src_dir_path(relative_path: str) -> str:
    """Return the path of a file beside the program that runs."""
    return str(_Path(_sys.argv[0]).resolve().parent / relative_path)


test_src_dir_path.__test__ = False  # type: ignore[attr-defined]


class StubOutForTesting:
    """Replaces attributes during a test, and puts the originals back after it."""

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *error: object) -> None:
        self.CleanUp()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replace an attribute until `UnsetAll`."""
        self._replaced.append((parent, child_name, getattr(parent, child_name)))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self) -> None:
        """Put all originals back."""
        while self._replaced:
            setattr(*self._replaced.pop())

    SmartUnsetAll = CleanUp = UnsetAll


__getattr__, __dir__ = _aliases(__name__, globals())
