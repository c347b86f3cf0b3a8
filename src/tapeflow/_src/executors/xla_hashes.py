"""A program that hashes strings of at most 16 bytes: FarmHash's fingerprint in one loop."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.backends import jax_device
from tapeflow._src.executors import exiting, xla_disk
from tapeflow._src.executors.xla import direct
from tapeflow._src.kernels.strings.hashing import COMPILED_BLOCK, short_fingerprint


class FingerprintProgram:
    """Hashes a block of strings from their first two words and their sizes."""

    @exiting.compiles_by_xla
    def __init__(self) -> None:
        halves = jax.ShapeDtypeStruct((3, COMPILED_BLOCK, 2), np.uint32)
        device = jax_device.device(split=False)
        with jax.enable_x64(True), jax.default_device(device):
            lowered = jax.jit(self._fingerprints).lower(halves)
            self._call: Any = direct(xla_disk.compiled(lowered, device))

    def _fingerprints(self, halves: Any) -> Any:
        # Arguments of 64 bits would need a setting of JAX around every call.
        return short_fingerprint(jnp, *lax.bitcast_convert_type(halves, jnp.uint64))

    @exiting.enters_xla
    def __call__(self, words: np.ndarray) -> np.ndarray:
        """Return the hashes of strings whose first words, second words and sizes are the rows."""
        if exiting.leaving:
            exiting.park()
        return np.asarray(self._call(words.view(np.uint32).reshape(3, COMPILED_BLOCK, 2)))
