"""Compiled ops: those that are one loop are called without JAX."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.backends import jax_device
from tapeflow._src.backends.memory import ALIGNMENT, address, aligned_empty
from tapeflow._src.executors import xla_disk
from tapeflow._src.executors.xla import Executable
from tapeflow._src.executors.xla_kernels import Kernel, compiled_loop
from tapeflow._src.graph.body import Body

# Bytes of a result below which a loop takes no longer than two threads take to change places.
_BRIEF = 1 << 17


class OpExecutable(Executable):
    """An op compiled for arrays of certain shapes, by the older or the newer generator of code."""

    _kernel: Kernel | None = None

    def __init__(self, body: Body, arrays: Sequence[Any], old_emitter: bool) -> None:
        self._old_emitter = old_emitter
        super().__init__(body, arrays)

    def _compiled(self, lowered: Any, device: Any) -> Any:
        if not jax_device.on_processors():
            return xla_disk.compiled(lowered, device, self._old_emitter)
        program, self._kernel = compiled_loop(lowered, device, self._old_emitter)
        return program

    @property
    def loop(self) -> Callable[[Sequence[np.ndarray]], np.ndarray] | None:
        """The function that runs the loop on arrays, if the op is one."""
        kernel = self._kernel
        if kernel is None or not self.is_pure:
            return None
        shape, dtype = kernel.shape, kernel.dtype
        call: Callable[..., None] = kernel
        if kernel.pieces > 1:
            call = kernel.on_cores
        elif math.prod(shape) * dtype.itemsize < _BRIEF:
            call = kernel.briefly

        def run(arrays: Sequence[np.ndarray]) -> np.ndarray:
            result = aligned_empty(shape, dtype)
            operands = [array if _is_ready(array) else _ready(array) for array in arrays]
            call(*map(address, operands), address(result))
            return result

        return run


def _is_ready(array: np.ndarray) -> bool:
    """Whether compiled code can read an array where it is."""
    return address(array) % ALIGNMENT == 0 and bool(array.flags.c_contiguous)


def _ready(array: np.ndarray) -> np.ndarray:
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy
