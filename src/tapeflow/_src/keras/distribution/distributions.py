"""`DataParallel` and `ModelParallel`: the layouts of all variables and data of a program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal import meshes
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.distribution.arrangement import (
    distribution_in_force,
    put_in_force,
    require_devices,
    spans_devices,
)
from tapeflow._src.keras.distribution.layouts import DeviceMesh, LayoutMap, TensorLayout
from tapeflow._src.keras.distribution.placement import list_devices

_BATCH = "batch"


def distribution() -> Any:
    """Return the distribution that is set, or None.

    Returns:
        A `DataParallel`, `ModelParallel` or None.
    """
    return distribution_in_force()


def set_distribution(value: Any) -> None:
    """Use a distribution for the models that are created from now on; None for none.

    Args:
        value: A distribution, or None.

    Returns:
        None.

    Raises:
        ValueError: Its mesh has devices that the program does not have.

    Example:
        >>> keras.distribution.set_distribution(keras.distribution.DataParallel())
        >>> keras.distribution.distribution().num_model_replicas
        1
        >>> keras.distribution.set_distribution(None)
    """
    mesh = getattr(value, "device_mesh", None)
    if spans_devices(mesh):
        require_devices(mesh)
    put_in_force(value)


class Distribution:
    """Base class of distributions: a mesh, and the layouts of variables and data on it."""

    def __init__(
        self, device_mesh: Any, batch_dim_name: str | None = None, auto_shard_dataset: bool = True
    ) -> None:
        self._device_mesh = device_mesh
        self._batch_dim_name = batch_dim_name
        self._auto_shard_dataset = auto_shard_dataset
        group = meshes.processes()
        self._num_processes = 1 if group is None else group.size
        self._process_id = 0 if group is None else group.number
        self._is_multi_process = group is not None

    @property
    def device_mesh(self) -> Any:
        """The mesh of devices."""
        return self._device_mesh

    @property
    def batch_dim_name(self) -> str | None:
        """The axis of the mesh that batches are split along."""
        return self._batch_dim_name

    @property
    def auto_shard_dataset(self) -> bool:
        """Whether a dataset has the batches of all processes; else each has its own rows."""
        return self._auto_shard_dataset

    @auto_shard_dataset.setter
    def auto_shard_dataset(self, auto_shard_dataset: bool) -> None:
        self._auto_shard_dataset = auto_shard_dataset

    @property
    def num_processes(self) -> int:
        """The number of processes."""
        return self._num_processes

    @property
    def num_model_replicas(self) -> int:
        """How many copies of the model there are."""
        raise NotImplementedError(f"{type(self).__name__} must define `num_model_replicas`.")

    @property
    def data_shard_id(self) -> int:
        """Which share of the data this process reads."""
        if self.num_model_replicas >= self.num_processes:
            return self._process_id
        return self._process_id // (self.num_processes // self.num_model_replicas)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Use the distribution in a block."""
        outer = distribution()
        set_distribution(self)
        try:
            yield
        finally:
            set_distribution(outer)

    def get_data_layout(self, data_shape: Any) -> Any:
        """Return the layout of a batch: split along its first axis.

        Args:
            data_shape: Shape of the batch.
        """
        if not isinstance(self, (DataParallel, ModelParallel)):
            raise NotImplementedError(f"{type(self).__name__} must define `get_data_layout`.")
        axes = [self.batch_dim_name, *[None] * (len(data_shape) - 1)]
        return TensorLayout(axes, self.device_mesh)

    def get_variable_layout(self, variable: Any) -> Any:
        """Return the layout of a variable: the one that it has, or not split at all.

        Args:
            variable: A variable.
        """
        layout = getattr(variable, "_layout", None)
        if layout is None:
            layout = TensorLayout([None] * len(variable.shape), self.device_mesh)
        return layout

    def get_tensor_layout(self, path: str) -> Any:
        """Return the layout of an intermediate tensor, or None.

        Args:
            path: Path of the tensor.
        """
        return None

    def distribute_dataset(self, dataset: Any) -> Any:
        """Return the share of a dataset that this process reads.

        Args:
            dataset: A `tf.data.Dataset` of batches.

        Raises:
            ValueError: Batches cannot be split evenly, or it is another kind of dataset.
        """
        if not (self._is_multi_process and self.auto_shard_dataset):
            return dataset
        if not isinstance(dataset, tf.data.Dataset):
            raise ValueError(
                f"Only a tf.data.Dataset can be split over processes. Received: "
                f"{type(dataset).__name__}; set `auto_shard_dataset` to False to split it yourself."
            )
        shards = min(self.num_model_replicas, self.num_processes)
        if self.num_model_replicas == 1:
            return dataset.prefetch(tf.data.AUTOTUNE)
        size = _batch_size(dataset)
        if size % shards != 0:
            raise ValueError(
                f"Batches cannot be split evenly into {shards} shares. Received the batch size "
                f"{size}"
            )
        own = dataset.rebatch(size // shards).shard(shards, self.data_shard_id)
        return own.prefetch(tf.data.AUTOTUNE)

    def distribute_tf_dataset(self, dataset: Any) -> Any:
        """Return the share of a `tf.data.Dataset` that this process reads."""
        return self.distribute_dataset(dataset)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} device_mesh={self.device_mesh}>"


def _batch_size(dataset: Any) -> int:
    """The size of the batches of a dataset, from the first of them."""
    specs = tf.nest.flatten(dataset.element_spec)
    if not all(getattr(spec, "shape", None) is not None and spec.shape.rank for spec in specs):
        raise ValueError(
            "A dataset that is split over processes must have batches: call `dataset.batch(size)`."
        )
    return int(tf.nest.flatten(next(iter(dataset)))[0].shape[0])


class DataParallel(Distribution):
    """A copy of the model on each device; batches are split between them.

    Args:
        device_mesh: a mesh, of which the first axis splits batches.
        devices: the names of devices, instead of a mesh; by default all.
        auto_shard_dataset: whether each process passes the same data, of which it keeps its part;
            False if the data of each process is its own part of every batch.

    Example:
        >>> tf.keras.distribution.DataParallel(devices=["cpu:0"]).num_model_replicas
        1
    """

    def __init__(
        self, device_mesh: Any = None, devices: Any = None, auto_shard_dataset: bool = True
    ) -> None:
        if device_mesh:
            if not isinstance(device_mesh, DeviceMesh):
                raise ValueError(
                    f"DataParallel: expected a DeviceMesh. Received: {device_mesh!r} of type "
                    f"{type(device_mesh).__name__}"
                )
            if device_mesh.devices.ndim != 1:
                warn_user(
                    f"DataParallel splits batches along the first axis of a mesh. Received a mesh "
                    f"of {device_mesh.devices.ndim} axes: {device_mesh}"
                )
            name = device_mesh.axis_names[0]
        else:
            grid = np.array(devices or list_devices())
            device_mesh, name = DeviceMesh(grid.shape, [_BATCH], grid), _BATCH
        super().__init__(device_mesh, name, auto_shard_dataset)

    @property
    def num_model_replicas(self) -> int:
        return self.device_mesh.devices.size


class ModelParallel(Distribution):
    """Variables that are split over devices as a `LayoutMap` has it, besides the batches.

    Args:
        layout_map: the layouts of variables and tensors by path.
        batch_dim_name: the axis of the mesh that splits batches, by default the first.
        auto_shard_dataset: whether each process passes the same data, of which it keeps its part;
            False if the data of each process is its own part of every batch.
    """

    def __init__(
        self,
        *,
        layout_map: Any = None,
        batch_dim_name: str | None = None,
        auto_shard_dataset: bool = True,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("device_mesh", None)
        if kwargs:
            raise TypeError(f"ModelParallel received unexpected arguments: {sorted(kwargs)}")
        if not isinstance(layout_map, LayoutMap):
            raise ValueError(
                f"ModelParallel: `layout_map` must be a LayoutMap. Received: {layout_map!r}"
            )
        mesh = layout_map.device_mesh
        super().__init__(mesh, batch_dim_name or mesh.axis_names[0], auto_shard_dataset)
        self._layout_map = layout_map

    @property
    def num_model_replicas(self) -> int:
        return self.device_mesh.shape[list(self.device_mesh.axis_names).index(self.batch_dim_name)]

    def get_variable_layout(self, variable: Any) -> Any:
        layout = self._layout_map[variable.path]
        if layout is None or getattr(variable, "_layout", None) is not None:
            return super().get_variable_layout(variable)
        return layout

    def get_tensor_layout(self, path: str) -> Any:
        return self._layout_map[path]
