"""How factorisations and solvers use the cores: one thread a matrix, matrices on all threads.

LAPACK's threads wait for each other by spinning. With other programs on both cores, a system of 200
equations took 245 ms on two threads and 7 ms on one. Batches are divided among threads instead:
NumPy's loops over matrices release the GIL. Only a single large matrix keeps the user's setting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from tapeflow._src.backends import blas, threads

# Up to this order the libraries use one thread by themselves.
_SMALL_ORDER = 16
# Numbers of matrices that are not larger than those of this order.
_FEW = _SMALL_ORDER**2
# From this order on, two threads take less time than one, where both cores are free.
_LARGE_ORDER = 512
# Multiplications of one matrix, from which threads that call a routine for each matrix gain more
# than they lose as they wait for the GIL in between: 64 equations with 64 right-hand sides.
LONG_CALL = 262_144
# A loop of NumPy's keeps the GIL if it computes 500 numbers or fewer.
WITHOUT_GIL = 501
# The cubes of the orders of all matrices, from which it pays to wake other threads.
_TEAM_WORK = 2_000_000


def by_matrices(
    compute: Callable[..., Any], least_work: int = 0, least_count: int = 1
) -> Callable[..., Any]:
    """Run a function of matrices in the last two axes on one BLAS thread for each.

    It takes one or more arrays and returns arrays and flags, all with the batch axes of its
    arguments; further arguments are passed on. Batches are divided among the cores, into pieces of
    `least_count` matrices or more, if one matrix takes `least_work` multiplications or more.
    """

    @wraps(compute)
    def run(first: np.ndarray, *rest: Any) -> Any:
        if first.size <= _FEW:
            return compute(first, *rest)
        order = max(first.shape[-2:])
        if order <= _SMALL_ORDER and first.size * order <= _TEAM_WORK:
            return compute(first, *rest)
        count = math.prod(first.shape[:-2])
        if count == 1 and order >= _LARGE_ORDER:
            return compute(first, *rest)
        with blas.one_thread():
            batched = [first, *(a for a in rest if isinstance(a, np.ndarray))]
            is_work = count > least_count and count * order**3 >= _TEAM_WORK
            if is_work and _work(batched) >= least_work and _are_alike(batched):
                return _in_pieces(compute, batched, rest[len(batched) - 1 :], least_count)
            return compute(first, *rest)

    return run


def _work(arrays: Sequence[np.ndarray]) -> int:
    """Return about how many multiplications one matrix takes, with its right-hand sides."""
    return int(arrays[0].shape[-1] * math.prod(arrays[-1].shape[-2:]))


def _are_alike(arrays: Sequence[np.ndarray]) -> bool:
    """Whether all have the same batch axes."""
    return all(array.shape[:-2] == arrays[0].shape[:-2] for array in arrays)


def _in_pieces(
    compute: Callable[..., Any], arrays: list[np.ndarray], rest: Any, least_count: int
) -> Any:
    """Compute the pieces of a batch on threads, and join the results."""
    batch = arrays[0].shape[:-2]
    flat = [array.reshape(-1, *array.shape[-2:]) for array in arrays]
    count = len(flat[0])
    step = _step(count, least_count)
    # The last piece is as long as the others: it begins inside the one before it.
    starts = [min(start, count - step) for start in range(0, count, step)]
    results: dict[int, Any] = {}

    def work(start: int) -> None:
        # Each thread has its own handling of floating-point errors.
        with np.errstate(all="ignore"):
            results[start] = compute(*[array[start : start + step] for array in flat], *rest)

    threads.for_each(work, starts)
    pieces = [results[start] for start in starts]
    repeated = len(starts) * step - count
    if not isinstance(pieces[0], tuple):
        return _joined(pieces, batch, repeated)
    return tuple(_joined(parts, batch, repeated) for parts in zip(*pieces))


def _step(count: int, least_count: int) -> int:
    """Return the length of pieces, at most four for each core, at least one where possible."""
    cores = threads.cores()
    pieces = min(4 * cores, max(cores, count // (least_count * cores) * cores))
    return max(-(-count // pieces), least_count)


def _joined(parts: Sequence[Any], batch: tuple[int, ...], repeated: int) -> Any:
    """Join results; the first `repeated` of the last part are those of the part before it."""
    if np.ndim(parts[0]) == 0:
        return all(parts)
    joined = np.concatenate([*parts[:-1], parts[-1][repeated:]])
    return joined.reshape(*batch, *joined.shape[1:])
