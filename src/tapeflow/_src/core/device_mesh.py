"""`Mesh`: devices arranged along named axes, as `tf.experimental.dtensor` has them.

Names, numbers and strings only: which devices of the compiler they are is known elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.devices import LOCAL, DeviceSpec

_SPMD = "use_xla_spmd"


class MeshDimension(NamedTuple):
    """The name and the size of an axis of a mesh."""

    name: str
    size: int


def full_name(device: Any) -> str:
    """Return the full name of a device: that of this process, if none is specified."""
    spec = DeviceSpec.from_string(device) if isinstance(device, str) else device
    return DeviceSpec.from_string(LOCAL).make_merged_spec(spec).to_string()


class Mesh:
    """Devices arranged as a grid with named axes.

    Args:
        dim_names: Names of the axes.
        global_device_ids: Numbers of all devices, an array with one axis per name.
        local_device_ids: Numbers of the devices of this process.
        local_devices: Devices of this process, in the order of their numbers.
        mesh_name: Name of the mesh.
        global_devices: All devices, where they are not those of this process.
        use_xla_spmd: Accepted: XLA always partitions programs here.

    Raises:
        ValueError: If names, numbers and devices do not belong together.

    Example:
        >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        >>> mesh.dim_names, mesh.size, mesh.to_string()
        (['x'], 1, '|x=1|0|0|/job:localhost/replica:0/task:0/device:CPU:0')
    """

    def __init__(
        self,
        dim_names: Sequence[str],
        global_device_ids: Any = None,
        local_device_ids: Any = None,
        local_devices: Any = None,
        mesh_name: str = "",
        global_devices: Any = None,
        use_xla_spmd: bool = False,
    ) -> None:
        if isinstance(dim_names, str) or not all(isinstance(name, str) for name in dim_names):
            raise ValueError(f"Mesh: dim_names must be a list of strings. Received: {dim_names!r}")
        ids = np.asarray(global_device_ids)
        if ids.ndim != len(dim_names):
            raise ValueError(
                f"Mesh: global_device_ids must have an axis for each of {list(dim_names)}. "
                f"Received the shape {ids.shape}."
            )
        flat = ids.ravel().tolist()
        local_ids = list(local_device_ids)
        if not set(local_ids) <= set(flat):
            raise ValueError(
                f"Mesh: local_device_ids must be among {flat}. Received: {list(local_ids)}"
            )
        if flat != list(range(flat[0], flat[0] + len(flat))):
            raise ValueError(
                f"Mesh: global_device_ids must be consecutive numbers in order. Received: {flat}"
            )
        self._devices = [full_name(device) for device in local_devices]
        if len(self._devices) != len(local_ids):
            raise ValueError(
                f"Mesh: expected a device for each of the numbers {local_ids}. Received "
                f"{len(self._devices)} devices."
            )
        if len({DeviceSpec.from_string(name).device_type for name in self._devices}) > 1:
            raise ValueError(
                f"Mesh: all devices must have the same type. Received: {self._devices}"
            )
        self._dim_names = list(dim_names)
        self._ids = ids
        self._local_ids = local_ids
        self._name = mesh_name
        self._global_devices = [full_name(device) for device in global_devices or ()]
        self._use_xla_spmd = bool(use_xla_spmd)
        self._single = ""

    # -- other ways to create one -----------------------------------------------------------------

    @classmethod
    def from_device(cls, device: str) -> Mesh:
        """Return the mesh of a single device, which has no axes.

        Args:
            device: Name of the device.
        """
        mesh = cls([], np.array(0), [0], [device])
        mesh._single = device
        return mesh

    @classmethod
    def from_string(cls, mesh_str: str) -> Mesh:
        """Return the mesh that `to_string` described.

        Args:
            mesh_str: Result of `to_string`.

        Raises:
            ValueError: If it does not describe a mesh.
        """
        parts = mesh_str.split("|")
        if len(parts) == 1 and parts[0]:
            return cls.from_device(mesh_str)
        spmd = parts[-1] == _SPMD
        parts = parts[:-1] if spmd else parts
        if len(parts) not in (5, 6):
            raise ValueError(
                "Mesh.from_string expects name|axes|numbers|local numbers|local devices. "
                f"Received: {mesh_str!r}"
            )
        try:
            dims = [(name, int(size)) for name, size in (d.split("=") for d in _items(parts[1]))]
            ids = np.array([int(i) for i in _items(parts[2])]).reshape([size for _, size in dims])
            local_ids = [int(i) for i in _items(parts[3])]
        except ValueError as error:
            raise ValueError(f"Mesh.from_string cannot read {mesh_str!r}: {error}") from None
        further = _items(parts[5]) if len(parts) == 6 else None
        names = [name for name, _ in dims]
        return cls(names, ids, local_ids, _items(parts[4]), parts[0], further, spmd)

    @classmethod
    def from_proto(cls, proto: Any) -> NoReturn:
        """Raise NotImplementedError: meshes are exchanged as strings.

        Args:
            proto: A `MeshProto`.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "Mesh.from_proto is not available: use Mesh.from_string(mesh.to_string())."
        )

    def as_proto(self) -> NoReturn:
        """Raise NotImplementedError: meshes are exchanged as strings.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("Mesh.as_proto is not available: use mesh.to_string().")

    # -- axes -------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the mesh."""
        return self._name

    @property
    def dim_names(self) -> list[str]:
        """The names of the axes."""
        return list(self._dim_names)

    @property
    def size(self) -> int:
        """The number of devices."""
        return int(self._ids.size)

    @property
    def strides(self) -> list[int]:
        """How far apart the numbers of neighbours along each axis are."""
        sizes = self.shape()
        return [prod(sizes[i + 1 :]) for i in range(len(sizes))]

    def shape(self) -> list[int]:
        """Return the sizes of the axes."""
        return list(self._ids.shape)

    def contains_dim(self, dim_name: str) -> bool:
        """Return whether there is an axis of this name."""
        return dim_name in self._dim_names

    def dim_size(self, dim_name: str) -> int:
        """Return the size of an axis.

        Args:
            dim_name: Name of the axis.

        Raises:
            ValueError: If there is no such axis.
        """
        return self[dim_name].size

    def __contains__(self, dim_name: object) -> bool:
        return dim_name in self._dim_names

    def __getitem__(self, dim_name: str) -> MeshDimension:
        if dim_name not in self._dim_names:
            raise ValueError(
                f"The mesh has no axis {dim_name!r}; its axes are {', '.join(self._dim_names)}."
            )
        return MeshDimension(dim_name, self.shape()[self._dim_names.index(dim_name)])

    # -- devices ----------------------------------------------------------------------------------

    @property
    def single_device(self) -> str:
        """The device of a mesh without axes; the empty string for other meshes."""
        return self._single

    def device_type(self) -> str:
        """Return the type of the devices, such as "CPU"."""
        return DeviceSpec.from_string(self._devices[0]).device_type or ""

    def global_device_ids(self) -> np.ndarray:
        """Return the numbers of all devices, an array with the axes of the mesh."""
        return self._ids.copy()

    def local_device_ids(self) -> list[int]:
        """Return the numbers of the devices of this process."""
        return list(self._local_ids)

    def local_devices(self) -> list[str]:
        """Return the names of the devices of this process."""
        return list(self._devices)

    def global_devices(self) -> list[str]:
        """Return the names of all devices, in the order of the mesh, if they were specified."""
        return list(self._global_devices)

    def num_local_devices(self) -> int:
        """Return the number of devices of this process."""
        return len(self._devices)

    def min_global_device_id(self) -> int:
        """Return the smallest number of a device."""
        return int(self._ids.min())

    def is_remote(self) -> bool:
        """Return whether no device belongs to this process."""
        return not self._devices

    def is_single_device(self) -> bool:
        """Return whether it was created by `from_device`."""
        return bool(self._single)

    def use_xla_spmd(self) -> bool:
        """Return the value that was passed for `use_xla_spmd`."""
        return self._use_xla_spmd

    def host_mesh(self) -> Mesh:
        """Return the mesh of the CPUs with the same numbers."""
        if self.device_type() == "CPU":
            return self
        hosts = [f"CPU:{index}" for index in range(len(self._devices))]
        return Mesh(self._dim_names, self._ids, self._local_ids, hosts, self._name)

    # -- locations --------------------------------------------------------------------------------

    def unravel_index(self) -> dict[int, dict[str, int]]:
        """Return the location of each device along the axes, by its number."""
        locations = product(*map(range, self.shape()))
        return {
            number: dict(zip(self._dim_names, location))
            for number, location in enumerate(locations)
        }

    def device_location(self, device_id: int) -> dict[str, int]:
        """Return the location of a device along the axes.

        Args:
            device_id: Number of the device.
        """
        return self.unravel_index()[device_id - self.min_global_device_id()]

    def local_device_locations(self) -> list[dict[str, int]]:
        """Return the locations of the devices of this process."""
        return [self.device_location(number) for number in self._local_ids]

    def coords(self, device_idx: int) -> Any:
        """Return the location of a device as a tensor of integers.

        Args:
            device_idx: Number of the device.
        """
        return dispatch.convert(list(self.device_location(int(device_idx)).values()), "int32")

    # -- as an object -----------------------------------------------------------------------------

    def to_string(self) -> str:
        """Return a description that `from_string` reads."""
        return self._text

    @cached_property
    def _text(self) -> str:
        if self._single:
            return self._single
        axes = ",".join(f"{n}={s}" for n, s in zip(self._dim_names, self.shape(), strict=True))
        numbers = ",".join(map(str, self._ids.ravel().tolist()))
        parts = [self._name, axes, numbers, ",".join(map(str, self._local_ids))]
        parts.append(",".join(self._devices))
        if self._global_devices:
            parts.append(",".join(self._global_devices))
        return "|".join([*parts, _SPMD] if self._use_xla_spmd else parts)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Mesh) and self._text == other._text)

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Mesh.from_string({self.to_string()})"

    def __reduce__(self) -> Any:
        return Mesh.from_string, (self.to_string(),)


def spans_processes(mesh: Mesh) -> bool:
    """Return whether a mesh has devices of other processes."""
    return mesh.num_local_devices() < mesh.size


def _items(text: str) -> list[str]:
    return text.split(",") if text else []
