"""`Layout`: along which axis of a mesh each axis of a tensor is sharded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from tapeflow._src.core.device_mesh import Mesh

UNSHARDED = "unsharded"
MATCH = "match"


class LayoutType(Enum):
    """The kinds of layouts."""

    EMPTY = 0
    STATIC = 1
    SINGLE_DEVICE = 2
    PARTED = 3


_PREFIXES = {LayoutType.STATIC: "sharding_specs", LayoutType.PARTED: "parted"}
_SINGLE_DEVICE = "maximal:true"


class Layout:
    """How a tensor is divided over the devices of a mesh.

    Args:
        sharding_specs: One name per axis of the tensor: the mesh axis that it is sharded along, or
            `UNSHARDED`; for `relayout` also `MATCH`.
        mesh: The mesh.

    Raises:
        ValueError: If the mesh has no such axis, or one is used twice.

    Example:
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout(["x", dtensor.UNSHARDED], mesh)
        >>> layout.rank, layout.num_shards(0), layout.is_fully_replicated()
        (2, 1, True)
    """

    def __init__(self, sharding_specs: Sequence[str], mesh: Mesh) -> None:
        if not isinstance(mesh, Mesh):
            raise ValueError(f"Layout: mesh must be a Mesh. Received: {mesh!r}")
        if isinstance(sharding_specs, str) or not isinstance(sharding_specs, Iterable):
            raise TypeError(
                "Layout: sharding_specs must be a list with the name of an axis of the mesh, or "
                f"UNSHARDED, for each axis of the tensor. Received: {sharding_specs!r}"
            )
        specs = list(sharding_specs)
        for spec in specs:
            if spec not in (UNSHARDED, MATCH) and spec not in mesh:
                raise ValueError(
                    f"Layout: {spec!r} is neither an axis of the mesh nor UNSHARDED; the axes are "
                    f"{', '.join(mesh.dim_names)}."
                )
        used = [spec for spec in specs if spec not in (UNSHARDED, MATCH)]
        if len(used) != len(set(used)):
            raise ValueError(
                "Layout: an axis of the mesh can shard one axis of a tensor only. Received: "
                f"{specs}"
            )
        self._specs = specs
        self._mesh = mesh
        self._type = LayoutType.STATIC

    # -- other ways to create one -----------------------------------------------------------------

    @classmethod
    def replicated(cls, mesh: Mesh, rank: int) -> Layout:
        """Return the layout of a tensor that is whole on every device.

        Args:
            mesh: The mesh.
            rank: Number of axes of the tensor.
        """
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def batch_sharded(cls, mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> Layout:
        """Return the layout of a tensor that is sharded along one axis.

        Args:
            mesh: The mesh.
            batch_dim: Axis of the mesh.
            rank: Number of axes of the tensor.
            axis: The axis of the tensor, by default the first.
        """
        return cls([batch_dim if i == axis else UNSHARDED for i in range(rank)], mesh)

    @classmethod
    def inner_sharded(cls, mesh: Mesh, inner_dim: str, rank: int) -> Layout:
        """Return the layout of a tensor that is sharded along its last axis.

        Args:
            mesh: The mesh.
            inner_dim: Axis of the mesh.
            rank: Number of axes of the tensor.
        """
        return cls.batch_sharded(mesh, inner_dim, rank, axis=rank - 1)

    @classmethod
    def from_single_device_mesh(cls, mesh: Mesh) -> Layout:
        """Return the layout of a tensor on the one device of a mesh.

        Args:
            mesh: A mesh from `Mesh.from_device`.

        Raises:
            ValueError: If it is another mesh.
        """
        if not mesh.is_single_device():
            raise ValueError(
                "Layout.from_single_device_mesh expects a mesh from Mesh.from_device. Received: "
                f"{mesh!r}"
            )
        layout = cls([], mesh)
        layout._type = LayoutType.SINGLE_DEVICE
        return layout

    @classmethod
    def from_device(cls, device: str) -> Layout:
        """Return the layout of a tensor on one device.

        Args:
            device: Name of the device.
        """
        return cls.from_single_device_mesh(Mesh.from_device(device))

    @classmethod
    def from_string(cls, layout_str: str) -> Layout:
        """Return the layout that `to_string` described.

        Args:
            layout_str: Result of `to_string`.

        Raises:
            ValueError: If it does not describe a layout.
        """
        head, separator, mesh = layout_str.partition(" mesh:")
        kind, colon, specs = head.partition(":")
        if not (separator and colon):
            raise ValueError(
                "Layout.from_string expects 'sharding_specs:..., mesh:...'. Received: "
                f"{layout_str!r}"
            )
        if head.startswith(_SINGLE_DEVICE):
            return cls.from_single_device_mesh(Mesh.from_string(mesh))
        layout = cls([spec for spec in specs.split(",") if spec], Mesh.from_string(mesh))
        return layout.to_parted() if kind == _PREFIXES[LayoutType.PARTED] else layout

    @classmethod
    def from_proto(cls, layout_proto: Any) -> NoReturn:
        """Raise NotImplementedError: layouts are exchanged as strings.

        Args:
            layout_proto: A `LayoutProto`.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "Layout.from_proto is not available: use Layout.from_string(layout.to_string())."
        )

    def as_proto(self) -> NoReturn:
        """Raise NotImplementedError: layouts are exchanged as strings.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("Layout.as_proto is not available: use layout.to_string().")

    # -- properties -------------------------------------------------------------------------------

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        return self._mesh

    @property
    def sharding_specs(self) -> list[str]:
        """One name per axis of the tensor: a mesh axis or `UNSHARDED`."""
        return list(self._specs)

    @property
    def rank(self) -> int:
        """The number of axes of the tensor."""
        return len(self._specs)

    @property
    def shape(self) -> list[int]:
        """The sizes of the axes of the mesh."""
        return self._mesh.shape()

    @property
    def type(self) -> LayoutType:
        """The kind of layout."""
        return self._type

    def is_fully_replicated(self) -> bool:
        """Return whether every device has the whole tensor."""
        return all(self.num_shards(axis) == 1 for axis in range(self.rank))

    def is_batch_parallel(self) -> bool:
        """Return whether at most the first axis of the tensor is sharded."""
        return all(spec == UNSHARDED for spec in self._specs[1:])

    def is_single_device(self) -> bool:
        """Return whether the tensor lies on one device without a mesh."""
        return self._type is LayoutType.SINGLE_DEVICE

    def num_shards(self, idx: int) -> int:
        """Return into how many parts an axis of the tensor is divided.

        Args:
            idx: The axis.
        """
        spec = self._specs[idx]
        return self._mesh.dim_size(spec) if spec in self._mesh else 1

    # -- shapes -----------------------------------------------------------------------------------

    def local_shape_from_global_shape(self, global_shape: Any) -> tuple[int, ...]:
        """Return the shape of each component of a tensor.

        Args:
            global_shape: Shape of the tensor.

        Raises:
            ValueError: If an axis cannot be divided evenly, or there are too many or too few.
        """
        dims = [int(size) for size in global_shape]
        self.check_shape(dims)
        return tuple(size // self.num_shards(axis) for axis, size in enumerate(dims))

    def global_shape_from_local_shape(self, local_shape: Any) -> tuple[int, ...]:
        """Return the shape of a tensor whose components have a shape.

        Args:
            local_shape: Shape of each component.
        """
        return tuple(int(size) * self.num_shards(axis) for axis, size in enumerate(local_shape))

    def check_shape(self, dims: Sequence[int]) -> None:
        """Raise a ValueError unless tensors of this shape can have the layout."""
        if len(dims) != self.rank:
            raise ValueError(
                f"The layout is for tensors of rank {self.rank}, and the tensor has the shape "
                f"{tuple(dims)}. Layout: {self.to_string()}"
            )
        for axis, size in enumerate(dims):
            if size % self.num_shards(axis):
                raise ValueError(
                    f"Axis {axis} of size {size} is not divisible by the {self.num_shards(axis)} "
                    f"shards of the layout: {self.to_string()}"
                )

    # -- shards -----------------------------------------------------------------------------------

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """Return, for each device of the mesh, which part along each axis it has."""
        return [
            tuple(0 if spec == UNSHARDED else location[spec] for spec in self._specs)
            for location in self._mesh.unravel_index().values()
        ]

    def offset_tuple_to_global_index(self, offset_tuple: Sequence[int]) -> int:
        """Return the position of a part in the order of all parts of the tensor.

        Args:
            offset_tuple: Position of the part along each axis.
        """
        sizes = [self.num_shards(axis) for axis in range(self.rank)]
        return int(np.ravel_multi_index(tuple(offset_tuple), sizes)) if sizes else 0

    def delete(self, dims: Sequence[int]) -> Layout:
        """Return the layout without some axes of the tensor.

        Args:
            dims: The axes to leave out.
        """
        removed = {axis + self.rank if axis < 0 else axis for axis in dims}
        return Layout([s for axis, s in enumerate(self._specs) if axis not in removed], self._mesh)

    def to_parted(self) -> Layout:
        """Return the layout with the type of tensors whose components are unrelated."""
        layout = Layout(self._specs, self._mesh)
        layout._type = LayoutType.PARTED
        return layout

    # -- as an object -----------------------------------------------------------------------------

    def to_string(self) -> str:
        """Return a description that `from_string` reads."""
        return self._text

    @cached_property
    def _text(self) -> str:
        if self._type is LayoutType.SINGLE_DEVICE:
            return f"{_SINGLE_DEVICE}, mesh:{self._mesh.to_string()}"
        specs = "".join(f"{spec}," for spec in self._specs)
        return f"{_PREFIXES[self._type]}:{specs} mesh:{self._mesh.to_string()}"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Layout) and self._text == other._text)

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Layout.from_string({self.to_string()})"

    def __reduce__(self) -> Any:
        return Layout.from_string, (self.to_string(),)


def local_offsets(layout: Layout) -> list[tuple[int, ...]]:
    """Return, for each device of this process, which part along each axis it has."""
    offsets = layout.offset_to_shard()
    first = layout.mesh.min_global_device_id()
    return [offsets[number - first] for number in layout.mesh.local_device_ids()]
