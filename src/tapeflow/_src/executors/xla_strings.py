"""Programs for functions of short strings in one loop: hashes, and what numbers they show."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapeflow._src.backends import jax_device
from tapeflow._src.backends.memory import address, aligned_empty
from tapeflow._src.executors import exiting, xla_disk
from tapeflow._src.executors.xla import direct
from tapeflow._src.executors.xla_kernels import Kernel, compiled_loop
from tapeflow._src.kernels.strings.programs import SHORT_FUNCTIONS
from tapeflow._src.kernels.strings.words import BLOCKS

# Loaded constants are kept, of so many calls with different ones.
_MOST_CONSTANTS = 256


class StringProgram:
    """Computes a function of blocks of strings from their first two words and their sizes."""

    @exiting.compiles_by_xla
    def __init__(self, kind: str) -> None:
        self._function = SHORT_FUNCTIONS[kind]
        self._device = jax_device.device(split=False)
        self._constants: dict[tuple[int, ...], Any] = {}
        with jax.enable_x64(True), jax.default_device(self._device):
            kernels = {block: self._kernel(block) for block in BLOCKS}
            self._kernels = kernels if all(kernels.values()) else {}
            self._calls = {} if self._kernels else {block: self._program(block) for block in BLOCKS}

    def _kernel(self, block: int) -> Kernel | None:
        """Return the loop over a block of strings, if it can be called directly."""
        rows = jax.ShapeDtypeStruct((3, block), np.uint64)
        constants = jax.ShapeDtypeStruct((6,), np.uint64)
        return compiled_loop(jax.jit(self._compute).lower(rows, constants), self._device)[1]

    def _program(self, block: int) -> Any:
        """Return the program for a block of strings as JAX calls it: of halves of words."""
        rows = jax.ShapeDtypeStruct((3, block, 2), np.uint32)
        constants = jax.ShapeDtypeStruct((6, 2), np.uint32)
        lowered = jax.jit(self._compute_by_halves).lower(rows, constants)
        return direct(xla_disk.compiled(lowered, self._device))

    def _compute(self, rows: Any, constants: Any) -> Any:
        return self._function(jnp, *rows, constants)

    def _compute_by_halves(self, rows: Any, constants: Any) -> Any:
        words = (jax.lax.bitcast_convert_type(halves, jnp.uint64) for halves in (rows, constants))
        return self._compute(*words)

    def _loaded_constants(self, constants: tuple[int, ...]) -> Any:
        if len(self._constants) >= _MOST_CONSTANTS:
            self._constants.clear()
        words = aligned_empty((6,), np.uint64)
        words[:] = constants
        halves = words.view(np.uint32).reshape(6, 2)
        loaded = words if self._kernels else jax.device_put(halves, self._device)
        self._constants[constants] = loaded
        return loaded

    def __call__(self, block: np.ndarray, constants: tuple[int, ...], results: np.ndarray) -> None:
        """Compute the results for a block of strings (see `StringWords.blocks`), aligned."""
        loaded = self._constants.get(constants)
        if loaded is None:
            loaded = self._loaded_constants(constants)
        size = block.shape[1]
        kernel = self._kernels.get(size)
        if kernel is None:
            self._call_program(self._calls[size], block, loaded, results)
            return
        run = kernel.briefly if size == BLOCKS[0] else kernel
        run(address(block), address(loaded), address(results))

    @exiting.enters_xla
    def _call_program(self, call: Any, block: np.ndarray, loaded: Any, results: np.ndarray) -> None:
        if exiting.leaving:
            exiting.park()
        results[:] = np.asarray(call(block, loaded))
