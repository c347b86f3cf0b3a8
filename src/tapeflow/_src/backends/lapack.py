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
# From this order on, two threads take less time than one, where both cores are free.
_LARGE_ORDER = 512
# From this order on, threads do not hold each other up as they wait for the GIL between calls of
# routines; for matrices of 64 two threads took twice the time of one.
LONG_ORDER = 128
# The cubes of the orders of all matrices, from which it pays to wake other threads.
_TEAM_WORK = 2_000_000


def by_matrices(compute: Callable[..., Any], least_order: int = 0) -> Callable[..., Any]:
    """Run a function of matrices in the last two axes on one BLAS thread for each.

    It takes one or more arrays and returns arrays and flags, all with the batch axes of its
    arguments; further arguments are passed on. Batches of matrices of `least_order` or more are
    divided among the cores.
    """

    @wraps(compute)
    def run(first: np.ndarray, *rest: Any) -> Any:
        order = max(first.shape[-2:])
        if order <= _SMALL_ORDER and first.size * order <= _TEAM_WORK:
            return compute(first, *rest)
        count = math.prod(first.shape[:-2])
        if count == 1 and order >= _LARGE_ORDER:
            return compute(first, *rest)
        with blas.one_thread():
            batched = [first, *(a for a in rest if isinstance(a, np.ndarray))]
            is_work = order >= least_order and count * order**3 >= _TEAM_WORK
            if count > 1 and is_work and _are_alike(batched):
                return _in_pieces(compute, batched, rest[len(batched) - 1 :])
            return compute(first, *rest)

    return run


def _are_alike(arrays: Sequence[np.ndarray]) -> bool:
    """Whether all have the same batch axes."""
    return all(array.shape[:-2] == arrays[0].shape[:-2] for array in arrays)


def _in_pieces(compute: Callable[..., Any], arrays: list[np.ndarray], rest: Any) -> Any:
    """Compute the pieces of a batch on threads, and join the results."""
    batch = arrays[0].shape[:-2]
    flat = [array.reshape(-1, *array.shape[-2:]) for array in arrays]
    count = len(flat[0])
    step = -(-count // (4 * threads.cores()))
    starts = range(0, count, step)
    results: dict[int, Any] = {}

    def work(start: int) -> None:
        # Each thread has its own handling of floating-point errors.
        with np.errstate(all="ignore"):
            results[start] = compute(*[array[start : start + step] for array in flat], *rest)

    threads.for_each(work, starts)
    pieces = [results[start] for start in starts]
    if not isinstance(pieces[0], tuple):
        return _joined(pieces, batch)
    return tuple(_joined(parts, batch) for parts in zip(*pieces))


def _joined(parts: Sequence[Any], batch: tuple[int, ...]) -> Any:
    if np.ndim(parts[0]) == 0:
        return all(parts)
    joined = np.concatenate(parts)
    return joined.reshape(*batch, *joined.shape[1:])
