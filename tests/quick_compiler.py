"""Compiling in tests without LLVM's optimisations: what XLA makes of a program is the same.

LLVM takes a third to half of the time less over it. `make test` does so (`--quick-compiler`), `make
test-all` does not; tests of what LLVM makes of numbers use the fixture `optimized`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import jax

from tapeflow._src.executors import xla_disk, xla_options, xla_spmd

OPTIONS = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


# The environment variable by which processes that tests start compile so, too.
FLAGS = " ".join(f"--{name}={str(value).lower()}" for name, value in OPTIONS.items())
_programs: dict[str, Any] = {}


def install() -> None:
    """Compile functions so from now on."""
    for module in (xla_disk, xla_spmd):
        vars(module)["options"] = _options


def is_installed() -> bool:
    """Whether functions are compiled so."""
    return vars(xla_disk)["options"] is _options


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `jax.jit(function)`, which compiles quickly if functions are, and no program twice."""

    def call(*arguments: Any) -> Any:
        lowered = jax.jit(function).lower(*arguments)
        text = f"{lowered.as_text()} {lowered.args_info} {lowered.out_tree}"
        if text not in _programs:
            _programs[text] = lowered.compile(OPTIONS if is_installed() else {})
        return _programs[text](*arguments)

    return call


def _options(program: str, split: bool = False, old_emitter: bool = False) -> xla_options.Options:
    return {**xla_options.options(program, split, old_emitter), **OPTIONS}


@contextmanager
def uninstalled() -> Iterator[None]:
    """Compile functions as the library does."""
    with (
        mock.patch.object(xla_disk, "options", xla_options.options),
        mock.patch.object(xla_spmd, "options", xla_options.options),
    ):
        yield
