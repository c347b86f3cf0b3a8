"""Programs that hash short strings in one loop: FarmHash's fingerprint and SipHash."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.backends import jax_device
from tapeflow._src.executors import exiting, xla_disk
from tapeflow._src.executors.xla import direct
from tapeflow._src.kernels.strings.hashing import COMPILED_BLOCKS, SHORT_HASHES


class HashProgram:
    """Hashes blocks of strings from their first two words and their sizes."""

    @exiting.compiles_by_xla
    def __init__(self, kind: str) -> None:
        self._hash = SHORT_HASHES[kind]
        keys = jax.ShapeDtypeStruct((4, 2), np.uint32)
        device = jax_device.device(split=False)
        self._calls: dict[int, Any] = {}
        with jax.enable_x64(True), jax.default_device(device):
            for block in COMPILED_BLOCKS:
                halves = jax.ShapeDtypeStruct((3, block, 2), np.uint32)
                lowered = jax.jit(self._hashes).lower(halves, keys)
                self._calls[block] = direct(xla_disk.compiled(lowered, device))

    def _hashes(self, halves: Any, keys: Any) -> Any:
        # Arguments of 64 bits would need a setting of JAX around every call.
        words, of_key = (lax.bitcast_convert_type(part, jnp.uint64) for part in (halves, keys))
        return self._hash(jnp, *words, of_key)

    @exiting.enters_xla
    def __call__(self, words: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return the hashes of strings whose first words, second words and sizes are the rows."""
        if exiting.leaving:
            exiting.park()
        block = words.shape[1]
        halves = words.view(np.uint32).reshape(3, block, 2)
        return np.asarray(self._calls[block](halves, keys.view(np.uint32).reshape(4, 2)))
