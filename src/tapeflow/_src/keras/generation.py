"""Which generation of Keras a program asks for where Keras 2 and Keras 3 exclude each other.

Names and arguments of both work always. Only the few results that cannot be both, such as the
text of a `KerasTensor`, are decided here.
"""

from __future__ import annotations

import os


def is_keras_2() -> bool:
    """Whether the environment variable `TF_USE_LEGACY_KERAS` asks for Keras 2."""
    return os.environ.get("TF_USE_LEGACY_KERAS") in ("1", "true", "True")
