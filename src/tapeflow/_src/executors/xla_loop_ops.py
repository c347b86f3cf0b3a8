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
from tapeflow._src.executors.xla_options import splits
from tapeflow._src.graph.body import Body

# Elements from which on a loop that is called directly is divided among threads. Where a thread
# must be woken first, half of this is slower.
_LONG_LOOP = 1 << 17
# Bytes of a result below which a loop takes no longer than two threads take to change places.
_BRIEF = 1 << 17


def op_executable(body: Body, arrays: Sequence[Any], old_emitter: bool) -> OpExecutable:
    """Compile an op for arrays of certain shapes, by the older or the newer generator of code."""
    made = OpExecutable(body, arrays, old_emitter, is_loop=True)
    if made.loop is None and made.is_divided_early:
        return OpExecutable(body, arrays, old_emitter, is_loop=False)
    return made


class OpExecutable(Executable):
    """An op compiled for arrays of certain shapes.

    is_loop: whether it is probably one loop. It is divided among threads if it is shorter, too.
    """

    _kernel: Kernel | None = None

    def __init__(self, body: Body, arrays: Sequence[Any], old_emitter: bool, is_loop: bool) -> None:
        self._old_emitter = old_emitter
        self._is_loop = is_loop
        super().__init__(body, arrays)

    def _device_for(self, program: Any) -> Any:
        is_long = splits(program.jaxpr)
        is_divided = is_long or (self._is_loop and splits(program.jaxpr, _LONG_LOOP))
        self.is_divided_early = is_divided and not is_long
        return jax_device.device(is_divided)

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
