"""Programs that fill large arrays with random numbers: Philox and a conversion in one loop.

A block's numbers leave the program as one complex number of 128 bits. With an array for each word
XLA would compute all ten rounds for each of them, and interleaving them would cost as much again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.backends import jax as xp
from tapeflow._src.backends import jax_device, threads
from tapeflow._src.core import random_state
from tapeflow._src.executors import exiting, xla_disk, xla_ieee
from tapeflow._src.executors.xla import direct
from tapeflow._src.kernels.random.philox import Conversion, fill_on_host
from tapeflow._src.kernels.random.philox_host import LOW32, MULTIPLIERS, ROUNDS, WEYL
from tapeflow._src.kernels.random.reject import Draw

# Blocks per call of large draws: half a millisecond or more, and a megabyte, which fits the cache.
_BLOCKS = 65536
_SHIFT = np.uint64(32)
# Samples by rejection per call: half a millisecond or more, and a state that fits the cache.
_SAMPLES = 4096


class FillProgram:
    """Fills arrays with the numbers of one conversion, of blocks that are `stride` apart."""

    @exiting.compiles_by_xla
    def __init__(self, conversion: Conversion, stride: int, blocks: int = _BLOCKS) -> None:
        self._conversion = conversion
        self._stride = stride
        self._blocks = blocks
        stream = jax.ShapeDtypeStruct((6,), np.uint32)
        device = jax_device.device(split=False)
        with jax.enable_x64(True), jax.default_device(device):
            lowered = jax.jit(self._numbers).lower(stream)
            xla_ieee.preserve(lowered.compiler_ir())
            self._call: Any = direct(xla_disk.compiled(lowered, device))

    def _numbers(self, stream: Any) -> Any:
        packed = lax.optimization_barrier(_packed(_rounds(stream, self._stride, self._blocks)))
        words = []
        for pair in (lax.real(packed), lax.imag(packed)):
            both = lax.bitcast_convert_type(pair, jnp.uint64)
            words += [both.astype(jnp.uint32), (both >> _SHIFT).astype(jnp.uint32)]
        if self._conversion.lanes is None:
            raise TypeError("The numbers of a block must be computed in lanes.")
        return _packed(self._conversion.lanes(xp, *words))

    def __call__(self, stream: np.ndarray, result: np.ndarray) -> None:
        """Fill `result`, of shape `[blocks, width]`, from the beginning of a stream."""
        key, counter = random_state.state_of(stream.tolist())
        pieces = range(0, len(result), self._blocks)
        if self._blocks < _BLOCKS:
            # Too short for threads.
            for first in pieces:
                self._fill_piece(result, key, counter, first)
            return
        threads.for_each(partial(self._fill_piece, result, key, counter), pieces)

    @exiting.enters_xla
    def _fill_piece(self, result: np.ndarray, key: int, counter: int, first: int) -> None:
        if exiting.leaving:
            exiting.park()
        rows = result[first : first + self._blocks]
        counter += first * self._stride
        stream = random_state.stream(key, counter)
        if (counter & LOW32) + len(rows) * self._stride > LOW32:
            # The program counts in the lowest word alone.
            fill_on_host(self._conversion, stream, rows, self._stride)
            return
        numbers = np.asarray(self._call(stream))
        rows.view(np.complex128)[:, 0] = numbers[: len(rows)]


def _rounds(stream: Any, stride: int, blocks: int) -> tuple[Any, ...]:
    """Compute the words of the blocks of a stream whose counters differ in the lowest word only."""
    steps = jnp.arange(blocks, dtype=jnp.uint32) * np.uint32(stride)
    c0 = steps + stream[2]
    c1, c2, c3 = (jnp.broadcast_to(stream[i], c0.shape) for i in (3, 4, 5))
    k0, k1 = stream[0], stream[1]
    for _ in range(ROUNDS):
        first = c0.astype(jnp.uint64) * np.uint64(MULTIPLIERS[0])
        second = c2.astype(jnp.uint64) * np.uint64(MULTIPLIERS[1])
        c0, c1 = _high(second) ^ c1 ^ k0, second.astype(jnp.uint32)
        c2, c3 = _high(first) ^ c3 ^ k1, first.astype(jnp.uint32)
        k0, k1 = k0 + np.uint32(WEYL[0]), k1 + np.uint32(WEYL[1])
    return c0, c1, c2, c3


def _high(product: Any) -> Any:
    return (product >> _SHIFT).astype(jnp.uint32)


def _packed(numbers: tuple[Any, ...]) -> Any:
    """Pack four numbers of 32 bits, or two of 64, as the bits of one complex number."""
    if len(numbers) == 4:
        bits = [lax.bitcast_convert_type(n, jnp.uint32).astype(jnp.uint64) for n in numbers]
        numbers = bits[0] | bits[1] << _SHIFT, bits[2] | bits[3] << _SHIFT
    real, imaginary = (lax.bitcast_convert_type(n, jnp.float64) for n in numbers)
    return lax.complex(real, imaginary)


class RejectionProgram:
    """Draws samples by rejection, piece by piece; `dtypes` are those of the parameters."""

    @exiting.compiles_by_xla
    def __init__(self, draw: Draw, dtypes: Sequence[Any]) -> None:
        def run(stream: Any, first: Any, *parameters: Any) -> Any:
            index = first + jnp.arange(_SAMPLES, dtype=jnp.uint32)
            return draw(xp, stream, index, *parameters)

        stream = jax.ShapeDtypeStruct((6,), np.uint32)
        first = jax.ShapeDtypeStruct((), np.uint32)
        parameters = [jax.ShapeDtypeStruct((_SAMPLES,), dtype) for dtype in dtypes]
        device = jax_device.device(split=False)
        with jax.enable_x64(True), jax.default_device(device):
            lowered = jax.jit(run).lower(stream, first, *parameters)
            xla_ieee.preserve(lowered.compiler_ir())
            self._call: Any = direct(xla_disk.compiled(lowered, device))

    def __call__(self, stream: np.ndarray, parameters: Sequence[np.ndarray]) -> np.ndarray:
        """Return samples, one for each entry of the parameters."""
        result = np.empty(len(parameters[0]))
        pieces = range(0, len(result), _SAMPLES)
        threads.for_each(partial(self._draw_piece, stream, parameters, result), pieces)
        return result

    @exiting.enters_xla
    def _draw_piece(
        self, stream: np.ndarray, parameters: Sequence[np.ndarray], result: np.ndarray, first: int
    ) -> None:
        if exiting.leaving:
            exiting.park()
        rows = slice(first, first + _SAMPLES)
        missing = max(0, first + _SAMPLES - len(result))
        own = [parameter[rows] for parameter in parameters]
        if missing:
            own = [np.pad(values, (0, missing), "edge") for values in own]
        with jax.enable_x64(True):
            samples = np.asarray(self._call(stream, np.uint32(first), *own))
        result[rows] = samples[: _SAMPLES - missing]
