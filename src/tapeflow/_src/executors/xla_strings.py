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
from tapeflow._src.kernels.strings.words import BLOCKS, blocks_of

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
        constants = jax.ShapeDtypeStruct((6,), np.uint64)
        with jax.enable_x64(True), jax.default_device(self._device):
            for block in BLOCKS:
                row = jax.ShapeDtypeStruct((block,), np.uint64)
                lowered = jax.jit(self._compute).lower(row, row, row, constants)
                self._calls[block] = direct(xla_disk.compiled(lowered, self._device))

    def _compute(self, first: Any, second: Any, sizes: Any, constants: Any) -> Any:
        return self._function(jnp, first, second, sizes, constants)

    @exiting.enters_xla
    def load(self, rows: np.ndarray) -> list[Any]:
        """Return rows of words in blocks, as arrays of JAX that share their memory.

        JAX takes arguments of 64 bits as such only if they are its own arrays, or under a setting.
        """
        if exiting.leaving:
            exiting.park()
        rows.flags.writeable = False
        with jax.enable_x64(True):
            return [
                jax.device_put(list(rows[:, block]), self._device)
                for block in blocks_of(rows.shape[1])
            ]

    def _loaded_constants(self, constants: tuple[int, ...]) -> Any:
        if len(self._constants) >= _MOST_CONSTANTS:
            self._constants.clear()
        with jax.enable_x64(True):
            loaded = jax.device_put(np.array(constants, np.uint64), self._device)
        self._constants[constants] = loaded
        return loaded

    @exiting.enters_xla
    def __call__(self, block: Any, constants: tuple[int, ...]) -> np.ndarray:
        """Return the results for a block of strings."""
        if exiting.leaving:
            exiting.park()
        first, second, sizes = block
        loaded = self._constants.get(constants)
        if loaded is None:
            loaded = self._loaded_constants(constants)
        return np.asarray(self._calls[sizes.size](first, second, sizes, loaded))
