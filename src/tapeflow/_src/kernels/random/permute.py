"""Random permutations: shuffling with a stream, and shuffling single indices with a cipher.

Both return TensorFlow's permutations. A shuffle draws one word of the stream for each element but
the last. An index shuffle materialises no permutation: it encrypts an index with a reduced Simon
cipher until the result falls into the range.
"""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

import numpy as np

from tapeflow._src.backends import lapack_calls
from tapeflow._src.kernels.random.fill import uniform_full_int
from tapeflow._src.kernels.random.philox import Array, on_host
from tapeflow._src.kernels.random.philox_host import few_words


def shuffle_blocks(elements: int) -> int:
    """Return the number of blocks that shuffling that many elements uses."""
    return (max(elements - 1, 0) + 3) // 4


def shuffled(xp: ModuleType, stream: Array, value: Array) -> Array:
    """Return the rows of `value` in random order."""
    elements = value.shape[0]
    if 1 < elements <= _FEW_SWAPS and on_host(xp):
        return value.take(_order_of_few(stream, elements), 0)
    if elements < 2 or value.ndim > 1 or not on_host(xp) or not lapack_calls.can_swap(value.dtype):
        return value[permutation(xp, stream, elements)]
    result = value.copy()
    lapack_calls.swap(result, _swaps(stream, elements))
    return result


def permutation(xp: ModuleType, stream: Array, elements: int) -> Array:
    """Return `int32` indices in random order: swap each position with itself or a later one."""
    if 1 < elements <= _FEW_SWAPS and on_host(xp):
        return np.array(_order_of_few(stream, elements), np.int32)
    index = xp.arange(elements, dtype=xp.int32)
    if elements < 2:
        return index
    if on_host(xp) and lapack_calls.can_swap(index.dtype):
        lapack_calls.swap(index, _swaps(stream, elements))
        return index
    words = uniform_full_int(xp, stream, elements - 1, np.uint32)
    remaining = xp.arange(elements, 1, -1, dtype=xp.uint32)
    partner = index[:-1] + (words % remaining).astype(xp.int32)
    if not on_host(xp):
        return _swap_all(xp, index, partner)
    return _swap_one_by_one(partner) if elements < _MANY_SWAPS else _swap_together(index, partner)


def _swaps(stream: np.ndarray, elements: int) -> np.ndarray:
    """Return the positions, from 1 on, that each but the last is swapped with."""
    words = uniform_full_int(np, stream, elements - 1, np.uint32).astype(np.float64)
    # Vectors of processors divide floats only. Quotients of integers below 2**32 are rounded to
    # none that is not theirs, and remainders are exact.
    remaining = np.arange(elements, 1, -1, dtype=np.float64)
    quotients = words / remaining
    np.floor(quotients, quotients)
    quotients *= remaining
    words -= quotients
    remaining -= elements + 1
    words -= remaining
    return words.astype(np.int64)


# Up to this many elements, Python's numbers are faster than calls of NumPy.
_FEW_SWAPS = 200
# From this many elements on, arrays are faster than a loop over Python lists.
_MANY_SWAPS = 8192


def _order_of_few(stream: np.ndarray, elements: int) -> list[int]:
    order = list(range(elements))
    remaining = elements
    # Words are left over: the last position has nothing to be swapped with.
    for index, word in enumerate(few_words(stream, shuffle_blocks(elements), 1)[: elements - 1]):
        other = index + word % remaining
        remaining -= 1
        order[index], order[other] = order[other], order[index]
    return order


def _swap_one_by_one(partner: np.ndarray) -> np.ndarray:
    order = list(range(len(partner) + 1))
    for index, other in enumerate(partner.tolist()):
        order[index], order[other] = order[other], order[index]
    return np.array(order, np.int32)


def _swap_together(index: np.ndarray, partner: np.ndarray) -> np.ndarray:
    """Compute the same as `_swap_all`, by scattering instead of sorting.

    Of several values that are written to one position the last stays, so that one assignment finds
    the last chooser of every position. Without the last choosers, another one finds those before
    them, and so on; most positions are chosen once or twice.
    """
    partner = np.append(partner, index[-1:])
    choosers = np.flatnonzero(partner != index).astype(np.int32)
    chosen = partner[choosers]
    table = index.copy()
    table[chosen] = choosers
    held = table.copy()
    earlier = index.copy()
    while choosers.size > _FEW_SWAPS:
        is_last = table[chosen] == choosers
        last, at = choosers[is_last], chosen[is_last]
        choosers, chosen = choosers[~is_last], chosen[~is_last]
        table[chosen] = choosers
        earlier[last] = table[at]
    # Positions that were chosen often: each chooser comes after the one before it.
    latest: dict[int, int] = {}
    for chooser, position in zip(choosers.tolist(), chosen.tolist()):
        earlier[chooser] = latest.get(position, chooser)
        latest[position] = chooser
    # A position holds what its last chooser held at its own turn, and so on.
    unsettled = np.flatnonzero(held != index).astype(np.int32)
    while unsettled.size:
        holder = held[unsettled]
        first = held[holder]
        held[unsettled] = first
        unsettled = unsettled[holder != first]
    # `earlier` of those without an earlier chooser of the same partner is their own index.
    result = np.where(earlier == index, partner, held[earlier])
    own = partner == index
    result[own] = held[own]
    return result


def _swap_all(xp: ModuleType, index: Array, partner: Array) -> Array:
    """Return the same permutation without a sequential loop.

    The final value at a position is what its partner held at its turn. A position holds itself
    until it is chosen as partner; then it holds what the chooser held at its own turn. So each
    position points to the last one that chose it, and following the pointers to their end finds its
    value; pointer doubling takes a few rounds, as chains are logarithmic.
    """
    partner = xp.concatenate([partner, index[-1:]])
    elements = partner.shape[0]
    by_partner = xp.argsort(partner, stable=True).astype(xp.int32)
    chosen = partner[by_partner]
    again = xp.concatenate([xp.zeros((1,), bool), chosen[1:] == chosen[:-1]])
    earlier = xp.where(again, xp.roll(by_partner, 1), -1)[xp.argsort(by_partner)]
    last = xp.searchsorted(chosen, index, side="right") - 1
    chooser = xp.where(chosen[last] == index, by_partner[last], -1)
    chooser = xp.where(chooser == index, earlier, chooser)
    current = xp.where(chooser < 0, index, chooser)
    for _ in range(max(elements - 1, 1).bit_length()):
        current = current[current]
    inherited = current[xp.maximum(earlier, 0)]
    return xp.where(partner == index, current, xp.where(earlier < 0, partner, inherited))


# -- index shuffle ---------------------------------------------------------------------------

_SMALLEST_BLOCK = 16
_SCHEDULE_BITS = 0x7369F885192C0EF5
_SCHEDULE_CONSTANT = 0xFFFFFFFC


def index_shuffle(xp: ModuleType, index: Array, key: Array, max_index: Array, rounds: int) -> Array:
    """Return where `key` permutes `index` to among `0 … max_index`.

    `index` and `max_index` are `uint64[n]`, `key` is `uint64[n, 3]` with 32 bits an entry; entries
    broadcast. Indices above the range are clipped to its end.
    """
    index, max_index = xp.broadcast_arrays(xp.minimum(index, max_index), max_index)
    width = _half_block(xp, max_index)
    if on_host(xp) and key.shape[0] == 1 and _is_small(max_index):
        return _small_permutation(tuple(key[0].tolist()), int(max_index[0]), rounds)[index]
    round_keys = _key_schedule(xp, key, width, rounds)
    encrypted = _encrypt(xp, index, round_keys, width)
    if on_host(xp):
        while (outside := encrypted > max_index).any():
            encrypted = xp.where(outside, _encrypt(xp, encrypted, round_keys, width), encrypted)
    else:
        encrypted = xp.lax.while_loop(
            lambda x: (x > max_index).any(),
            lambda x: xp.where(x > max_index, _encrypt(xp, x, round_keys, width), x),
            encrypted,
        )
    return xp.where(max_index == 0, xp.zeros_like(encrypted), encrypted)


def _is_small(max_index: np.ndarray) -> bool:
    return max_index.size > 0 and bool(
        (max_index == max_index[0]).all() and max_index[0] < 1 << _SMALLEST_BLOCK
    )


def _half_block(xp: ModuleType, max_index: Array) -> Array:
    """Return half the block size in bits."""
    bits = xp.ceil(xp.log2(xp.maximum(max_index, 1).astype(xp.float64))).astype(xp.uint64)
    return (xp.maximum(bits + bits % 2, _SMALLEST_BLOCK) // 2).astype(xp.uint64)


def _mask(width: Array) -> Array:
    return (np.uint64(1) << width) - np.uint64(1)


def _rotate_left(x: Array, by: int, width: Array) -> Array:
    return ((x << np.uint64(by)) | (x >> (width - np.uint64(by)))) & _mask(width)


def _rotate_right(x: Array, by: int, width: Array) -> Array:
    return ((x >> np.uint64(by)) | (x << (width - np.uint64(by)))) & _mask(width)


def _key_schedule(xp: ModuleType, key: Array, width: Array, rounds: int) -> list[Array]:
    mask = _mask(width)
    keys = [key[:, i] & mask for i in range(3)]
    for i in range(3, rounds):
        # The constant is as wide as a word, so its bits run out in narrow ciphers.
        used = xp.where(width > i - 3, np.uint64(_SCHEDULE_BITS >> (i - 3) & 1), np.uint64(0))
        mixed = _rotate_right(keys[-1], 3, width) ^ _rotate_right(keys[-1], 4, width)
        keys.append((np.uint64(_SCHEDULE_CONSTANT) & mask) ^ used ^ keys[-3] ^ mixed)
    return keys


def _encrypt(xp: ModuleType, value: Array, keys: list[Array], width: Array) -> Array:
    mask = _mask(width)
    left, right = (value >> width) & mask, value & mask
    for first, second in zip(keys[0::2], keys[1::2]):
        left = left ^ _feistel(right, width) ^ first
        right = right ^ _feistel(left, width) ^ second
    return (left << width) | right


def _feistel(x: Array, width: Array) -> Array:
    both = _rotate_left(x, 1, width) & _rotate_left(x, 8, width)
    return both ^ _rotate_left(x, 2, width)


@lru_cache(maxsize=8)
def _small_permutation(key: tuple[int, ...], max_index: int, rounds: int) -> np.ndarray:
    """Return the whole permutation, where the range is small.

    A cipher has at least 16 bits, so a short range is rarely hit: single indices would be encrypted
    up to tens of thousands of times. Pointer doubling through all values is direct.
    """
    values = np.arange(1 << _SMALLEST_BLOCK, dtype=np.uint64)
    width = np.full(1, _SMALLEST_BLOCK // 2, np.uint64)
    keys = _key_schedule(np, np.array([key], np.uint64), width, rounds)
    target = _encrypt(np, values, keys, width)
    while (target[: max_index + 1] > max_index).any():
        target = np.where(target > max_index, target[target], target)
    table = target[: max_index + 1].copy()
    table.flags.writeable = False
    return table
