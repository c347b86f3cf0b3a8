"""Values of replicas in compiled code: collectives along an axis of a mesh.

Within `along_axis` the program is one for all replicas, and each device runs it as one of them.
Outside, all replicas have the same value: see `numpy_replicas`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

AXIS = "replica"


class _Active(threading.local):
    """Whether the axis is bound in the program that this thread traces."""

    value = False


_active = _Active()


@contextmanager
def along_axis() -> Iterator[None]:
    """Trace the block as the program of each replica."""
    outer, _active.value = _active.value, True
    try:
        yield
    finally:
        _active.value = outer


def index() -> Any:
    """Return the number of the replica that runs."""
    return lax.axis_index(AXIS).astype(np.int32) if _active.value else jnp.zeros((), np.int32)


def total(array: Any, count: int) -> Any:
    """Return the sum over all replicas."""
    return lax.psum(array, AXIS) if _active.value else array * jnp.asarray(count, array.dtype)


def gathered(array: Any, count: int) -> Any:
    """Return the values of all replicas, stacked."""
    if _active.value:
        return lax.all_gather(array, AXIS)
    return jnp.repeat(jnp.asarray(array)[None], count, axis=0)


def selected(arrays: Sequence[Any]) -> Any:
    """Return the value of the replica that runs, from those of all."""
    if not _active.value:
        return arrays[0]
    return lax.dynamic_index_in_dim(jnp.stack(list(arrays)), index(), keepdims=False)
