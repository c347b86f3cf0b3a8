"""Which functions are converted: those of users, not those of libraries.

A library's functions handle tensors themselves, or do not know of tensors at all.
"""

from __future__ import annotations

import os
import sys
from typing import Any

# fmt: off
# Built-in functions and classes for which there are operators.
OVERLOADED = frozenset(
    {
        "abs", "all", "any", "bool", "enumerate", "filter", "float", "int", "len", "map", "max",
        "min", "next", "range", "sorted", "sum", "zip"
    }
)
_LIBRARIES = frozenset(
    {
        "tapeflow", "IPython", "PIL", "_pytest", "absl", "google", "h5py", "hypothesis",
        "ipykernel", "jax", "jaxlib", "keras", "matplotlib", "ml_dtypes", "mock", "numpy",
        "optree", "pandas", "pluggy", "pytest", "rich", "scipy", "sklearn", "tensorflow",
        "tensorflow_datasets", "tensorflow_probability", "tf_keras", "torch", "tqdm", "urllib3",
        "wrapt"
    }
)
# fmt: on
_STANDARD = os.path.dirname(os.path.realpath(os.__file__)) + os.sep
_decisions: dict[str, bool] = {}


def is_library(module_globals: dict[str, Any]) -> bool:
    """Whether functions with these globals are not converted."""
    name = module_globals.get("__name__", "")
    verdict = _decisions.get(name)
    if verdict is None:
        verdict = _decisions[name] = _decide(name, module_globals)
    return verdict


def _decide(name: Any, module_globals: dict[str, Any]) -> bool:
    root = str(name).partition(".")[0]
    if root in _LIBRARIES:
        return True
    if root not in sys.stdlib_module_names:
        return False
    # A module of the user's may be named like one of Python's own.
    file = module_globals.get("__file__")
    if file is None:
        return True
    path = os.path.realpath(file)
    return path.startswith(_STANDARD) and "site-packages" not in path
