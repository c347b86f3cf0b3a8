"""Meshes of the devices of this process, and of all processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NoReturn

import numpy as np

from tapeflow._src.core.device_mesh import Mesh, full_name
from tapeflow._src.core.devices import DeviceSpec, parse, resolve
from tapeflow._src.distribute import clients
from tapeflow._src.dtensor import system


def create_mesh(
    mesh_dims: Any = None,
    mesh_name: str = "",
    devices: Sequence[Any] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """Create a mesh of devices of this process.

    Args:
        mesh_dims: Names and sizes of the axes: a dictionary, or a list of pairs. By default one
            axis "x" of all devices.
        mesh_name: Name of the mesh.
        devices: Names of the devices, in the order of the mesh; by default all of a type.
        device_type: The type of the devices; by default "TPU", "GPU" or "CPU", the first of which
            there are any.
        use_xla_spmd: Accepted: XLA always partitions programs here.

    Returns:
        A `Mesh`.

    Raises:
        ValueError: If there are too few or too many devices, or one appears twice.

    Example:
        >>> tf.experimental.dtensor.create_mesh({"x": 1, "y": 1}, devices=["CPU:0"]).shape()
        [1, 1]
    """
    names = _devices(devices, device_type)
    if len(set(names)) != len(names):
        raise ValueError(f"create_mesh: a device appears twice. Received: {names}")
    axes = _axes(mesh_dims, len(names))
    return _mesh("create_mesh", axes, names, mesh_name, use_xla_spmd)


def create_distributed_mesh(
    mesh_dims: Any,
    mesh_name: str = "",
    local_devices: Sequence[Any] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """Create a mesh of the devices of all processes, after `initialize_accelerator_system`.

    Args:
        mesh_dims: Names and sizes of the axes, over all processes: a dictionary, or a list of
            pairs.
        mesh_name: Name of the mesh.
        local_devices: Devices of this process, the same in each; by default all of a type.
        device_type: The type of the devices.
        use_xla_spmd: Accepted: XLA always partitions programs here.

    Returns:
        A `Mesh`.

    Raises:
        ValueError: If the system is not initialized, or the number of devices is not that of the
            mesh.
    """
    if not system.is_initialized():
        raise ValueError(
            "create_distributed_mesh needs tf.experimental.dtensor.initialize_accelerator_system() "
            "first."
        )
    where = "create_distributed_mesh"
    names = _devices(local_devices, device_type)
    group = clients.joined()
    if group is None:
        return _mesh(where, _axes(mesh_dims, len(names)), names, mesh_name, use_xla_spmd)
    own = [_index(name) for name in names]
    if local_devices is not None:
        _check_alike(group, own)
    host = DeviceSpec.from_string(f"/job:{group.worker.job}/replica:0")
    everywhere = [
        host.replace(task=task, device_type="CPU", device_index=index).to_string()
        for task in range(group.size)
        for index in own
    ]
    first = group.rank * len(own)
    local = range(first, first + len(own))
    axes = _axes(mesh_dims, len(everywhere))
    return _mesh(where, axes, everywhere, mesh_name, use_xla_spmd, local)


def _index(name: str) -> int:
    """Return the number of a CPU of this process."""
    spec = DeviceSpec.from_string(resolve(parse(name)))
    if spec.device_type != "CPU":
        raise ValueError(f"A mesh over several processes has CPUs. Received: {name!r}")
    return spec.device_index or 0


def _check_alike(group: Any, own: list[int]) -> None:
    """Raise unless all processes choose the same of their devices."""
    chosen = np.zeros(group.devices_per_worker, np.int32)
    chosen[: len(own)] = [index + 1 for index in own]
    (choices,) = group.all_gather([chosen])
    for worker, choice in zip(group.workers, choices, strict=True):
        if choice.tolist() != choices[0].tolist():
            raise ValueError(
                f"create_distributed_mesh: all processes must choose the same local_devices. "
                f"{group.workers[0].name} has chosen the CPUs {_numbers(choices[0])}, and "
                f"{worker.name} {_numbers(choice)}."
            )


def _numbers(choice: np.ndarray) -> list[int]:
    return [int(number) - 1 for number in choice if number]


def _axes(mesh_dims: Any, count: int) -> list[tuple[str, int]]:
    if mesh_dims is None:
        return [("x", count)]
    pairs = mesh_dims.items() if isinstance(mesh_dims, Mapping) else mesh_dims
    return [(str(name), int(size)) for name, size in pairs]


def _devices(devices: Sequence[Any] | None, device_type: str | None) -> list[str]:
    if devices is None:
        kind = device_type or system.preferred_device_type()
        devices = system.local_devices(kind)
    names = [full_name(device) for device in devices]
    if device_type is not None and not all(f":{device_type.upper()}:" in name for name in names):
        raise ValueError(f"Expected devices of type {device_type}. Received: {names}")
    return names


def _mesh(
    where: str,
    axes: list[tuple[str, int]],
    names: list[str],
    mesh_name: str,
    spmd: bool,
    local: Sequence[int] | None = None,
) -> Mesh:
    """Return a mesh of named devices.

    local: the positions of those of this process, if there are others.
    """
    sizes = [size for _, size in axes]
    if prod(sizes) != len(names):
        raise ValueError(
            f"{where}: a mesh of the shape {sizes} has {prod(sizes)} devices. Received "
            f"{len(names)} devices: {names}."
        )
    own = range(len(names)) if local is None else local
    return Mesh(
        [name for name, _ in axes],
        np.arange(len(names)).reshape(sizes),
        list(own),
        [names[position] for position in own],
        mesh_name,
        global_devices=None if local is None else names,
        use_xla_spmd=spmd,
    )


def create_tpu_mesh(
    mesh_dim_names: Sequence[str],
    mesh_shape: Sequence[int],
    mesh_name: str,
    ring_dims: int | None = None,
    ring_axes: Sequence[str] | None = None,
    ring_bounds: Sequence[int] | None = None,
    can_split_host_across_rings: bool = True,
    build_ring_across_rings: bool = False,
    rotate_ring_across_rings: bool = False,
    use_xla_spmd: bool = False,
) -> NoReturn:
    """Raise an error: meshes of TPUs are created by `create_mesh`, in the order of JAX's devices.

    Args:
        mesh_dim_names: Names of the axes.
        mesh_shape: Sizes of the axes.
        mesh_name: Name of the mesh.
        ring_dims: Accepted for compatibility.
        ring_axes: Accepted for compatibility.
        ring_bounds: Accepted for compatibility.
        can_split_host_across_rings: Accepted for compatibility.
        build_ring_across_rings: Accepted for compatibility.
        rotate_ring_across_rings: Accepted for compatibility.
        use_xla_spmd: Accepted for compatibility.

    Raises:
        ValueError: If there are no TPUs.
        NotImplementedError: If there are: rings of TPU cores are not arranged here.
    """
    if not system.local_devices("TPU"):
        raise ValueError("create_tpu_mesh needs TPUs, and this process has none.")
    raise NotImplementedError(
        "create_tpu_mesh does not arrange rings of TPU cores. Use dtensor.create_mesh with "
        "device_type='TPU'."
    )
