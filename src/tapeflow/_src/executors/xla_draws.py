"""Programs that fill large arrays with random numbers: Philox and a conversion in one loop.

A block's numbers leave the program as one complex number of 128 bits. With an array for each word
XLA would compute all ten rounds for each of them, and interleaving them would cost as much again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.backends import jax as xp
from tapeflow._src.backends import jax_device, threads
from tapeflow._src.backends.memory import ALIGNMENT, address, aligned_empty
from tapeflow._src.core import random_state
from tapeflow._src.executors import exiting, xla_disk, xla_ieee
from tapeflow._src.executors.xla import direct
from tapeflow._src.executors.xla_kernels import Kernel, compiled_loop
from tapeflow._src.kernels.random.philox import Conversion, fill_on_host
from tapeflow._src.kernels.random.philox_host import LOW32, MULTIPLIERS, ROUNDS, WEYL
from tapeflow._src.kernels.random.reject import Draw, Method, attempt

# Blocks per call: a quarter of a megabyte, which fits the cache, and less for the rest.
_PIECES = (16384, 1024, 128)
_STREAM = jax.ShapeDtypeStruct((6,), np.uint32)
_SHIFT = np.uint64(32)
# Samples by rejection per call: a fraction of a millisecond, and a state that fits the cache;
_SAMPLES = 4096
# of those that took more than a few attempts;
_LEFT = 1024
# and calls of a thread before it takes others.
_CALLS = 8


class FillProgram:
    """Fills arrays with the numbers of one conversion, of blocks that are `stride` apart."""

    @exiting.compiles_by_xla
    def __init__(self, conversion: Conversion, stride: int) -> None:
        self._conversion = conversion
        self._stride = stride
        self._programs: dict[int, tuple[Any, Kernel | None]] = {}
        device = jax_device.device(split=False)
        for blocks in _PIECES:
            with jax.enable_x64(True), jax.default_device(device):
                lowered = jax.jit(partial(self._numbers, blocks)).lower(_STREAM)
                xla_ieee.preserve(lowered.compiler_ir())
                program, kernel = compiled_loop(lowered, device)
            self._programs[blocks] = direct(program), kernel
        kernels = {blocks: kernel for blocks, (_, kernel) in self._programs.items() if kernel}
        self._kernels: dict[int, Kernel] = kernels
        self._direct = len(kernels) == len(_PIECES)

    def _numbers(self, blocks: int, stream: Any) -> Any:
        steps = jnp.arange(blocks, dtype=jnp.uint32) * np.uint32(self._stride)
        first = steps + stream[2]
        rest = (jnp.broadcast_to(stream[i], first.shape) for i in (3, 4, 5))
        if self._conversion.lanes is None:
            raise TypeError("The numbers of a block must be computed in lanes.")
        return _packed(self._conversion.lanes(xp, *_rounds(stream[0], stream[1], first, *rest)))

    def __call__(self, stream: np.ndarray, result: np.ndarray) -> None:
        """Fill `result`, of shape `[blocks, width]`, from the beginning of a stream."""
        key, counter = random_state.state_of(stream.tolist())
        large, whole = _PIECES[0], len(result) // _PIECES[0] * _PIECES[0]
        if whole > large:
            threads.for_each(
                partial(self._fill_piece, result, key, counter, large), range(0, whole, large)
            )
        elif whole:
            self._fill_piece(result, key, counter, large, 0)
        if whole < len(result):
            self._fill_rest(result[whole:], key, counter + whole * self._stride)

    def _fill_rest(self, result: np.ndarray, key: int, counter: int) -> None:
        """Fill less than a large piece by smaller ones."""
        _, middle, small = _PIECES
        blocks, low = len(result), counter & LOW32
        if not self._direct or low + (blocks + middle) * self._stride > LOW32:
            for first in range(0, blocks, middle):
                self._fill_piece(result, key, counter, middle, first)
            return
        whole = blocks // small * small
        words = aligned_empty((6,), np.uint32)
        words[:] = random_state.stream(key, counter)
        numbers = result
        if whole < blocks or address(result) % ALIGNMENT:
            numbers = aligned_empty((whole + small, *result.shape[1:]), result.dtype)
        stream, start = address(words), address(numbers)
        first = 0
        while first < blocks:
            size = middle if blocks - first >= middle else small
            words[2] = low + first * self._stride
            self._kernels[size].briefly(stream, start + 16 * first)
            first += size
        if numbers is not result:
            result[:] = numbers[:blocks]

    def _fill_piece(
        self, result: np.ndarray, key: int, counter: int, blocks: int, first: int
    ) -> None:
        rows = result[first : first + blocks]
        counter += first * self._stride
        stream = random_state.stream(key, counter)
        if (counter & LOW32) + blocks * self._stride > LOW32:
            # The program counts in the lowest word alone.
            fill_on_host(self._conversion, stream, rows, self._stride)
            return
        program, kernel = self._programs[blocks]
        if kernel is None:
            rows.view(np.complex128)[:, 0] = self._called(program, stream)[: len(rows)]
            return
        words = aligned_empty((6,), np.uint32)
        words[:] = stream
        numbers = rows
        if len(rows) < blocks or address(rows) % ALIGNMENT:
            numbers = aligned_empty((blocks, *rows.shape[1:]), rows.dtype)
        kernel(address(words), address(numbers))
        if numbers is not rows:
            rows[:] = numbers[: len(rows)]

    @exiting.enters_xla
    def _called(self, program: Any, stream: np.ndarray) -> np.ndarray:
        if exiting.leaving:
            exiting.park()
        return np.asarray(program(stream))


def _rounds(k0: Any, k1: Any, c0: Any, c1: Any, c2: Any, c3: Any) -> tuple[Any, ...]:
    """Compute the words of the blocks with a key and counters."""
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


class _Words:
    """Two words of each of many blocks: `[2, blocks]`, but never stored as one array."""

    def __init__(self, first: Any, second: Any) -> None:
        self._parts = first, second

    def __getitem__(self, key: int | slice) -> Any:
        return self._parts[key] if isinstance(key, int) else self._parts[key][0][None]

    def __and__(self, other: Any) -> _Words:
        return self._map(lambda part: part & other)

    def __mul__(self, other: Any) -> _Words:
        return self._map(lambda part: part * other)

    def __add__(self, other: _Words) -> _Words:
        return _Words(self[0] + other[0], self[1] + other[1])

    def astype(self, dtype: Any) -> _Words:
        return self._map(lambda part: part.astype(dtype))

    def _map(self, function: Callable[[Any], Any]) -> _Words:
        return _Words(*map(function, self._parts))


class _Attempts:
    """JAX's namespace for samples by rejection: the first attempts, as one loop.

    XLA runs a program of many steps partly on threads of its own, which are to be woken, and each
    step goes through memory. Samples that are left are marked in `unsettled`.
    """

    def __init__(self) -> None:
        self.unsettled: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(xp, name)

    @staticmethod
    def concatenate(words: Sequence[Any]) -> _Words:
        """Return two words of counters, `[1, blocks]` each."""
        first, second = jnp.broadcast_arrays(*words)
        return _Words(first[0], second[0])

    @staticmethod
    def encrypt_blocks(key: Any, counter: Any) -> tuple[_Words, _Words]:
        """Compute the blocks of counters, like `philox.block`."""
        (c0, c2), (c1, c3) = counter
        w0, w1, w2, w3 = _rounds(key[0], key[1], c0, c1, c2, c3)
        return _Words(w0, w2), _Words(w1, w3)

    def settle(self, method: Method, context: Any, start: Any, attempts: int) -> Any:
        """Make the first attempts, and return the results."""
        namespace: Any = self
        carry = (jnp.zeros(1, jnp.uint32), *start)
        for _ in range(attempts):
            carry = attempt(namespace, method, context, carry)
        self.unsettled.append(carry[2])
        return carry[3]


class RejectionProgram:
    """Draws samples by rejection, so many a call; `dtypes` are those of the parameters.

    If there is one method for all samples, their first attempts are one program, and all attempts
    of the few samples that are left another.
    """

    @exiting.compiles_by_xla
    def __init__(self, draw: Draw, dtypes: Sequence[Any], samples: int = _SAMPLES) -> None:
        methods = 0

        def begin(stream: Any, index: Any, *parameters: Any) -> Any:
            nonlocal methods
            namespace: Any = _Attempts()
            values = draw(namespace, stream, index, *parameters)
            methods = len(namespace.unsettled)
            # One result, so that it is one loop.
            return jnp.where(namespace.unsettled[0], jnp.nan, values)

        def finish(stream: Any, index: Any, *parameters: Any) -> Any:
            return draw(xp, stream, index, *parameters)

        device = jax_device.device(split=False)
        with jax.enable_x64(True), jax.default_device(device):
            first = _lowered(begin, samples, dtypes)
            self._begin: Any = None
            self._sizes = samples, samples
            if methods == 1:
                self._begin = direct(xla_disk.compiled(first, device))
                self._sizes = samples, min(_LEFT, samples)
            last = _lowered(finish, self._sizes[1], dtypes)
            self._finish: Any = direct(xla_disk.compiled(last, device))

    def __call__(self, stream: np.ndarray, parameters: Sequence[np.ndarray]) -> np.ndarray:
        """Return samples, one for each entry of the parameters."""
        result = np.empty(len(parameters[0]))
        operands = [np.arange(len(result), dtype=np.uint32), *parameters]
        begun, finished = self._sizes
        if self._begin is None:
            _Pieces(self._finish, finished, stream, operands).run(result)
            return result
        _Pieces(self._begin, begun, stream, operands).run(result)
        left = np.flatnonzero(np.isnan(result))
        values = np.empty(len(left))
        _Pieces(self._finish, finished, stream, [x[left] for x in operands]).run(values)
        result[left] = values
        return result


def _lowered(function: Callable[..., Any], samples: int, dtypes: Sequence[Any]) -> Any:
    """Lower a function of a stream, indices of samples and parameters of these dtypes."""
    stream = jax.ShapeDtypeStruct((6,), np.uint32)
    arrays = [jax.ShapeDtypeStruct((samples,), dtype) for dtype in (np.uint32, *dtypes)]
    lowered = jax.jit(function).lower(stream, *arrays)
    xla_ieee.preserve(lowered.compiler_ir())
    return lowered


class _Pieces:
    """Calls of a program for so many entries, on all cores."""

    def __init__(
        self, program: Any, size: int, stream: np.ndarray, operands: Sequence[np.ndarray]
    ) -> None:
        self._program, self._size = program, size
        self._stream, self._operands = stream, operands

    def run(self, result: np.ndarray) -> None:
        """Fill `result` by calls for all entries of the operands."""
        count = len(result)
        # Several calls at once: entering 64-bit mode takes as long as a short call.
        step = self._size * max(1, min(_CALLS, count // (threads.cores() * self._size)))
        threads.for_each(partial(self._fill, result, step), range(0, count, step))

    def _fill(self, result: np.ndarray, step: int, first: int) -> None:
        with jax.enable_x64(True):
            for start in range(first, min(first + step, len(result)), self._size):
                self._call(result, start)

    @exiting.enters_xla
    def _call(self, result: np.ndarray, start: int) -> None:
        if exiting.leaving:
            exiting.park()
        rows = slice(start, start + self._size)
        own = [operand[rows] for operand in self._operands]
        if len(own[0]) < self._size:
            # The last entry is repeated.
            own = [operand.take(_clipped(len(operand), self._size)) for operand in own]
        part = result[rows]
        part[:] = np.asarray(self._program(self._stream, *own))[: len(part)]


def _clipped(length: int, size: int) -> np.ndarray:
    """Return the positions of a longer array in an array of `length` entries."""
    return np.minimum(np.arange(size), length - 1)
