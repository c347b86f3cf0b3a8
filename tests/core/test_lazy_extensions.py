"""Extension modules that are loaded without the packages around them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tapeflow._src.core.lazy import LazyExtension

_PROGRAM = """
import sys
from tapeflow._src.core.lazy import LazyExtension
paths = ("no/such", "fft/_pocketfft/pypocketfft", "fft/_duccfft/pyduccfft")
module = LazyExtension("scipy", *paths).load()
print(hasattr(module, "c2c"), "scipy" in sys.modules)
"""


def test_the_package_is_not_imported() -> None:
    pytest.importorskip("scipy")
    printed = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True
    )
    assert printed.stdout.split() == ["True", "False"]


def test_missing_packages_and_modules_are_none() -> None:
    assert LazyExtension("no_such_package", "module").load() is None
    assert LazyExtension("numpy", "no/such/module").load() is None
