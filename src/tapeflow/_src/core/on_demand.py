"""Modules that run in other ways what kernels do, and are loaded when a kernel first asks for them.

Kernels are below the executors and cannot import them. The package says which module is for what;
the first call that is worth it loads the module, which registers itself with the kernel.
"""

from __future__ import annotations

from tapeflow._src.core.lazy import load_module

_modules: dict[str, str] = {}


def provide(purpose: str, module: str) -> None:
    """Name the module that `load` is to load for a purpose."""
    _modules[purpose] = module


def load(purpose: str) -> None:
    """Load the module for a purpose, if there is one that has not been loaded."""
    module = _modules.get(purpose)
    if module is not None:
        load_module(module)
        _modules.pop(purpose, None)
