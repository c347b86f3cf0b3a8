"""Layouts of tensors on meshes as the shardings of JAX, and back."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_alike import shard_alike
from jax.sharding import NamedSharding, PartitionSpec

from tapeflow._src.backends import jax_device, jax_processes
from tapeflow._src.core import resource
from tapeflow._src.core.device_mesh import Mesh
from tapeflow._src.core.tensor_layout import MATCH, UNSHARDED, Layout


@lru_cache(maxsize=256)
def mesh_of(mesh: Mesh) -> Any:
    """Return JAX's mesh of the same devices."""
    names = mesh.global_devices() or mesh.local_devices()
    return jax_device.mesh(names, mesh.shape(), mesh.dim_names)


@lru_cache(maxsize=4096)
def sharding_of(layout: Layout) -> NamedSharding:
    """Return the sharding of a layout. `MATCH` leaves the choice to the partitioner."""
    axes = {UNSHARDED: None, MATCH: PartitionSpec.UNCONSTRAINED}
    spec = PartitionSpec(*[axes.get(name, name) for name in layout.sharding_specs])
    return NamedSharding(mesh_of(layout.mesh), spec)


def layout_of(array: Any, mesh: Mesh) -> Layout:
    """Return the layout that comes nearest to the sharding of an array.

    A layout shards an axis of a tensor along one axis of the mesh at most, and evenly; where the
    partitioner chose several, the first remains.
    """
    sharding = array.sharding
    if not isinstance(sharding, NamedSharding) or sharding.mesh != mesh_of(mesh):
        return Layout.replicated(mesh, array.ndim)
    axes = [axis[0] if isinstance(axis, tuple) and axis else axis for axis in sharding.spec]
    axes += [None] * (array.ndim - len(axes))
    specs = [
        axis if axis and size % mesh.dim_size(axis) == 0 else UNSHARDED
        for axis, size in zip(axes, array.shape, strict=True)
    ]
    return Layout(specs, mesh)


def put(array: Any, layout: Layout) -> Any:
    """Return an array in a layout: that of NumPy, or of JAX in any other layout.

    On a mesh of several processes, each passes the same array.
    """
    return placed(array, sharding_of(layout))


def placed(array: Any, sharding: NamedSharding, **options: Any) -> Any:
    """Return an array with a sharding.

    options: those of `jax.device_put`, on a mesh of this process.
    """
    foreign = isinstance(array, jax.Array) and not array.is_fully_addressable
    if sharding.is_fully_addressable:
        with jax.enable_x64(True):
            return jax.device_put(whole(array) if foreign else array, sharding, **options)
    if foreign and _devices(array.sharding) == _devices(sharding):
        return array if array.sharding == sharding else jax_processes.moved(array, sharding)
    return jax_processes.from_global(whole(array), sharding)


def copied(array: Any, layout: Layout) -> Any:
    """Return an array in a layout that shares no memory with `array`."""
    moved = put(array, layout)
    if moved is not array:
        return moved
    with jax.enable_x64(True):
        return _copy(moved)


_copy = jax.jit(jnp.copy)


def whole(array: Any) -> np.ndarray:
    """Return the global value of an array; if that lies in other processes, too, all must ask."""
    if isinstance(array, jax.Array) and not array.is_fully_addressable:
        if not array.is_fully_replicated:
            array = jax_processes.moved(array, NamedSharding(array.sharding.mesh, PartitionSpec()))
        return np.asarray(array.addressable_data(0))
    return np.asarray(array)


resource.read_from_mesh = whole


def _devices(sharding: Any) -> Any:
    return tuple(sharding.mesh.devices.flat) if isinstance(sharding, NamedSharding) else None


class _Traced(threading.local):
    """The values of the program that is traced whose layouts are decided, by identity."""

    def __init__(self) -> None:
        self.layouts: dict[int, tuple[Any, Layout]] | None = None


_traced = _Traced()


@contextmanager
def tracing(arguments: Iterable[tuple[Any, Layout]]) -> Iterator[None]:
    """Trace a program in the block whose arguments have these layouts."""
    outer = _traced.layouts
    # The values are held, so that their identities stay theirs.
    _traced.layouts = {id(value): (value, layout) for value, layout in arguments}
    try:
        yield
    finally:
        _traced.layouts = outer


def constrained(array: Any, layout: Layout) -> Any:
    """Let the partitioner compute a value of a program in a layout."""
    result = jax.lax.with_sharding_constraint(array, sharding_of(layout))
    if _traced.layouts is not None and MATCH not in layout.sharding_specs:
        _traced.layouts[id(result)] = result, layout
    return result


def alike(array: Any, other: Any) -> Any:
    """Let the partitioner compute a value of a program in the layout of another.

    Where that is not decided yet, the partitioner chooses one layout for both.
    """
    decided = (_traced.layouts or {}).get(id(other))
    return shard_alike(array, other)[0] if decided is None else constrained(array, decided[1])


def components(array: Any) -> list[Any]:
    """Return the arrays of the devices of this process, in the order of the mesh."""
    by_device = {shard.device: shard.data for shard in array.addressable_shards}
    return [by_device[d] for d in array.sharding.mesh.devices.flat if d in by_device]


def from_components(arrays: Any, layout: Layout, shape: tuple[int, ...]) -> Any:
    """Return the array of a layout whose components on this process are these, in order."""
    sharding = sharding_of(layout)
    own = [d for d in sharding.mesh.devices.flat if d in sharding.addressable_devices]
    with jax.enable_x64(True):
        parts = [jax.device_put(part, device) for part, device in zip(arrays, own, strict=True)]
        return jax.make_array_from_single_device_arrays(shape, sharding, parts)
