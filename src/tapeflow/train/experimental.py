"""`tf.train.experimental`: state of Python's own in checkpoints. Loaded when it is used."""

from __future__ import annotations

from typing import Any

from tapeflow.core.lazy import LazyModule as _LazyModule

_python_state = _LazyModule("tapeflow.saving.python_state")


def __getattr__(name: str) -> Any:
    if name == "PythonState":
        return _python_state.PythonState
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return ["PythonState"]
