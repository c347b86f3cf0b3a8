"""The state of stateful random ops: global and op seeds, and the position of each stream.

The op bodies are pure: an executor calls `next_counter` for the start of a call's numbers and
passes it to the body. As in TensorFlow, a stateful op with given seeds is a *kernel* with a stream
of its own: calling the same op with the same seeds and attributes again continues the stream, and
`set_seed` restarts every stream. This file knows no distribution and no generator algorithm beyond
the layout of a stream: two words of key, four words of counter, least significant first.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from tapeflow._src.core.lazy import LazyModule

_random = LazyModule("random")

DEFAULT_GRAPH_SEED = 87654321
"""Stands for the global seed when only the op has one."""

_MAXINT32 = 2**31 - 1
_LOW64, _LOW128 = 2**64 - 1, 2**128 - 1

Reservation = Callable[[Sequence[Any], dict[str, Any]], int]


class OpLike(Protocol):
    """The attributes of an op that are used here."""

    @property
    def name(self) -> str: ...


class DrawnSeed(int):
    """An op seed drawn by the library: its stream is used once, and has no stored position."""

    __slots__ = ()


class SeedSource(Protocol):
    """The source of seeds: the eager context below, or a graph being traced."""

    @property
    def seed(self) -> Any:
        """The global seed, or None."""

    def next_op_seed(self) -> int:
        """Return an op seed for an op that was given none."""


class EagerSeeds:
    """The global seed of eager execution and the op seeds that follow from it."""

    def __init__(self) -> None:
        self.seed: Any = None
        self._generator: Any = None

    def reset(self, seed: Any) -> None:
        """Set the global seed; the op seeds drawn after it depend on it alone."""
        plain = seed if isinstance(seed, (int, float, str, bytes, type(None))) else int(seed)
        self._generator = _random.Random(plain)
        self.seed = seed

    def forget(self) -> None:
        """Draw op seeds anew where no global seed was set."""
        self._generator = None

    def next_op_seed(self) -> int:
        if self._generator is None:
            self._generator = _random.Random(entropy(8))
        return DrawnSeed(self._generator.randint(0, _MAXINT32))


class GraphSeeds:
    """Seeds for the ops of one graph: the global seed when tracing began, and a counter."""

    def __init__(self, seed: Any) -> None:
        self.seed = seed
        self._next = 0

    def next_op_seed(self) -> int:
        number = self._next
        self._next += 1
        return number


eager_seeds = EagerSeeds()
_lock = threading.Lock()
_reservations: dict[str, Reservation] = {}
_streams: dict[Hashable, tuple[int, int]] = {}
_on_reset: list[Callable[[], None]] = []
_deterministic = False
_seed_function: Callable[[], tuple[int, int]] | None = None


@contextmanager
def choose_seeds(chooser: Callable[[], tuple[int, int]]) -> Iterator[None]:
    """Use a function to choose both seeds of every stateful random op called in the block.

    It replaces the global seed and the seeds that the ops are called with.
    """
    global _seed_function
    outer, _seed_function = _seed_function, chooser
    try:
        yield
    finally:
        _seed_function = outer


def set_seed(seed: Any) -> None:
    """Set the global seed and restart every stream."""
    with _lock:
        eager_seeds.reset(seed)
        _streams.clear()
        for forget in _on_reset:
            forget()


def on_reset(forget: Callable[[], None]) -> None:
    """Call `forget` in `set_seed`, for other state that a random op keeps between calls."""
    _on_reset.append(forget)


def global_seed() -> Any:
    """Return the global seed, or None."""
    return eager_seeds.seed


class _Shared:
    """Where numbers come from that no seed determines; None for the operating system."""

    source: Any = None


def share(seed: bytes) -> None:
    """Draw what no seed determines from this one: the same in all processes that have it."""
    with _lock:
        _Shared.source = _random.Random(seed)
        _streams.clear()
        for forget in _on_reset:
            forget()
        if eager_seeds.seed is None:
            eager_seeds.forget()


def entropy(count: int) -> bytes:
    """Return bytes that no seed determines."""
    source = _Shared.source
    return os.urandom(count) if source is None else bytes(source.randbytes(count))


def require_determinism(enabled: bool) -> None:
    """Set whether random ops without any seed are refused."""
    global _deterministic
    _deterministic = enabled


def determinism_required() -> bool:
    return _deterministic


def seed_pair(op_seed: Any, source: SeedSource | None = None) -> tuple[int, int]:
    """Return the attributes `seed` and `seed2` of an op called with `seed=op_seed`.

    Both are zero when neither the op nor the program has a seed: the stream is then random.
    """
    source = eager_seeds if source is None else source
    if _seed_function is not None:
        pair = _seed_function()
    elif source.seed is not None:
        if op_seed is None:
            with _lock:
                op_seed = source.next_op_seed()
        pair = (_truncate(source.seed), _truncate(op_seed))
    elif op_seed is not None:
        pair = (DEFAULT_GRAPH_SEED, _truncate(op_seed))
    elif _deterministic:
        raise RuntimeError(
            "Determinism is enabled (tf.config.experimental.enable_op_determinism), so random ops "
            "need a seed: call tf.random.set_seed(1) first, or pass seed=."
        )
    else:
        return (0, 0)
    # A pair of zeros means "no seed", so explicit zeros are replaced.
    return (0, _MAXINT32) if pair == (0, 0) else pair


def _truncate(seed: Any) -> int:
    if isinstance(seed, (str, bytes)):
        raise TypeError(f"A seed must be a number, got {seed!r}.")
    kind = DrawnSeed if type(seed) is DrawnSeed else int
    return kind(seed % _MAXINT32)


def reserves(op_name: str) -> Callable[[Reservation], Reservation]:
    """Declare how many blocks of its stream one call of a random op uses up."""

    def declare(rule: Reservation) -> Reservation:
        _reservations[op_name] = rule
        return rule

    return declare


def next_counter(
    op: OpLike, arrays: Sequence[Any], attrs: dict[str, Any], kernel: Hashable = None
) -> np.ndarray:
    """Return where the numbers of this call start, as a stream of six words; advance the state.

    kernel: what else distinguishes one op from another, such as the node of a graph.
    """
    blocks = _reservations[op.name](arrays, attrs)
    seed, seed2 = attrs["seed"], attrs["seed2"]
    if type(seed2) is DrawnSeed:
        return stream(seed, seed2 << 64)
    key, counter = reserve(identity(op, [a.dtype for a in arrays], attrs, kernel), attrs, blocks)
    return stream(key, counter)


def blocks_used(op: OpLike, arrays: Sequence[Any], attrs: dict[str, Any]) -> int:
    """Return how many blocks of its stream one call uses."""
    return _reservations[op.name](arrays, attrs)


def identity(
    op: OpLike, dtypes: Sequence[Any], attrs: dict[str, Any], kernel: Hashable
) -> Hashable:
    """Return the key that distinguishes the streams of ops."""
    values = tuple(attrs.values())
    if list in map(type, values):
        values = tuple([tuple(v) if isinstance(v, list) else v for v in values])
    return (op.name, kernel, values, tuple(dtypes))


State = tuple[int, int]
"""Where a stream stands: its key and its counter."""


def reserve(identity: Hashable, attrs: dict[str, Any], blocks: int) -> State:
    """Return the position of a stream and advance it by so many blocks."""
    with _lock:
        state = _streams.get(identity)
        if state is None:
            state = initial_state(attrs["seed"], attrs["seed2"])
        key, counter = state
        _streams[identity] = (key, counter + blocks)
    return state


def move(identity: Hashable, state: State) -> None:
    """Set the position of a stream."""
    with _lock:
        _streams[identity] = state


def initial_state(seed: int, seed2: int) -> State:
    """Return where the stream of an op with these seeds starts; without seeds, at random."""
    if seed or seed2:
        return seed, seed2 << 64
    return int.from_bytes(entropy(8)), int.from_bytes(entropy(8)) << 64


def stream(key: int, counter: int) -> np.ndarray:
    """Return the stream with a 64-bit key at a 128-bit counter."""
    state = key & _LOW64 | (counter & _LOW128) << 64
    # Ten times as fast as an array of six integers.
    return np.frombuffer(bytearray(state.to_bytes(24, "little")), "<u4")


def state_of(words: Sequence[int]) -> State:
    """Return the key and the counter of a stream of six words."""
    key = words[0] | words[1] << 32
    return key, sum(word << 32 * i for i, word in enumerate(words[2:]))
