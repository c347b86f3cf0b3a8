"""Programs for functions of short strings in one loop: hashes, and what numbers they show."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapeflow._src.backends import jax_device
from tapeflow._src.executors import exiting, xla_disk
from tapeflow._src.executors.xla import direct
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
        self._calls: dict[int, Any] = {}
        self._constants: dict[tuple[int, ...], Any] = {}
        constants = jax.ShapeDtypeStruct((6, 2), np.uint32)
        with jax.enable_x64(True), jax.default_device(self._device):
            for block in BLOCKS:
                rows = jax.ShapeDtypeStruct((3, block, 2), np.uint32)
                lowered = jax.jit(self._compute).lower(rows, constants)
                self._calls[block] = direct(xla_disk.compiled(lowered, self._device))

    def _compute(self, rows: Any, constants: Any) -> Any:
        first, second, sizes = jax.lax.bitcast_convert_type(rows, jnp.uint64)
        words = jax.lax.bitcast_convert_type(constants, jnp.uint64)
        return self._function(jnp, first, second, sizes, words)

    def _loaded_constants(self, constants: tuple[int, ...]) -> Any:
        if len(self._constants) >= _MOST_CONSTANTS:
            self._constants.clear()
        halves = np.array(constants, np.uint64).view(np.uint32).reshape(6, 2)
        loaded = self._constants[constants] = jax.device_put(halves, self._device)
        return loaded

    @exiting.enters_xla
    def __call__(self, block: np.ndarray, constants: tuple[int, ...]) -> np.ndarray:
        """Return the results for a block of strings: see `StringWords.blocks`."""
        if exiting.leaving:
            exiting.park()
        loaded = self._constants.get(constants)
        if loaded is None:
            loaded = self._loaded_constants(constants)
        return np.asarray(self._calls[block.shape[1]](block, loaded))
