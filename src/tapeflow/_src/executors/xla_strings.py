"""Programs for functions of short strings in one loop: hashes, and what numbers they show."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.backends import jax_device
from tapeflow._src.executors import exiting, xla_disk
from tapeflow._src.executors.xla import direct
from tapeflow._src.kernels.strings.programs import SHORT_FUNCTIONS
from tapeflow._src.kernels.strings.words import BLOCKS


class StringProgram:
    """Computes a function of blocks of strings from their first two words and their sizes."""

    @exiting.compiles_by_xla
    def __init__(self, kind: str) -> None:
        self._function = SHORT_FUNCTIONS[kind]
        constants = jax.ShapeDtypeStruct((6, 2), np.uint32)
        device = jax_device.device(split=False)
        self._calls: dict[int, Any] = {}
        with jax.enable_x64(True), jax.default_device(device):
            for block in BLOCKS:
                row = jax.ShapeDtypeStruct((block, 2), np.uint32)
                lowered = jax.jit(self._on_halves).lower(row, row, row, constants)
                self._calls[block] = direct(xla_disk.compiled(lowered, device))

    def _on_halves(self, *halves: Any) -> Any:
        # Arguments of 64 bits would need a setting of JAX around every call.
        return self._function(jnp, *(lax.bitcast_convert_type(x, jnp.uint64) for x in halves))

    @exiting.enters_xla
    def __call__(self, first: Any, second: Any, sizes: Any, constants: np.ndarray) -> np.ndarray:
        """Return the results for a block of strings, all of whose words are given as halves."""
        if exiting.leaving:
            exiting.park()
        return np.asarray(self._calls[len(sizes)](first, second, sizes, constants))
