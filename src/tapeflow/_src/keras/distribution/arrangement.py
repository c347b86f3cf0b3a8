"""Where variables and batches lie under the distribution that is set.

This part knows no distribution: it is told which one is in force, so that variables can use it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal import meshes


class _InForce:
    """The distribution of the program."""

    value: Any = None


def distribution_in_force() -> Any:
    """Return the distribution that is set, or None."""
    return _InForce.value


def put_in_force(distribution: Any) -> None:
    """Set the distribution of the program; None for none."""
    _InForce.value = distribution


def spans_devices(device_mesh: Any) -> bool:
    """Return whether a `DeviceMesh` has several devices."""
    return device_mesh is not None and device_mesh.devices.size > 1


def require_devices(device_mesh: Any) -> None:
    """Raise a ValueError if a `DeviceMesh` has devices that the program does not have."""
    names = [str(device).upper() for device in device_mesh.devices.ravel()]
    group = meshes.processes()
    if group is None:
        devices = tf.config.list_logical_devices()
        available = [device.name.rpartition("device:")[2] for device in devices]
    else:
        available = [f"CPU:{number}" for number in range(group.size * group.devices)]
    missing = [name for name in names if name not in available]
    if missing:
        owner = "this process does" if group is None else f"these {group.size} processes do"
        raise ValueError(
            f"The device mesh has devices that {owner} not have: {missing}. Available are "
            f"{available}; tf.config.set_logical_device_configuration makes the processor count "
            f"as several."
        )
    if group is not None:
        owners = {int(name.partition(":")[2]) // group.devices for name in names}
        if group.number not in owners:
            raise ValueError(
                f"The device mesh has no device of this process, number {group.number}: each "
                f"process of the program computes a part. Received: {names}"
            )


def on_devices(layout: Any) -> Any:
    """Return the layout of DTensor that a `TensorLayout` stands for.

    Raises:
        ValueError: A device of its mesh does not exist.
    """
    device_mesh = layout.device_mesh
    require_devices(device_mesh)
    names = tuple(str(device).upper() for device in device_mesh.devices.ravel())
    shape, axis_names = device_mesh.devices.shape, tuple(device_mesh.axis_names)
    return _layout(names, shape, axis_names, layout.axes, meshes.processes())


@lru_cache(maxsize=1024)
def _layout(
    names: tuple[str, ...],
    shape: tuple[int, ...],
    axis_names: tuple[str, ...],
    axes: tuple[str | None, ...],
    group: meshes.Processes | None,
) -> Any:
    dtensor = tf.experimental.dtensor
    numbers = np.arange(len(names)).reshape(shape)
    own, everywhere = numbers.ravel().tolist(), None
    if group is not None:
        indices = [int(name.partition(":")[2]) for name in names]
        everywhere = [group.device(index) for index in indices]
        own = [i for i, index in enumerate(indices) if index // group.devices == group.number]
        names = tuple(everywhere[i] for i in own)
    mesh = dtensor.Mesh(list(axis_names), numbers, own, names, meshes.MESH_NAME, everywhere)
    return dtensor.Layout([axis or dtensor.UNSHARDED for axis in axes], mesh)


def arrange_variable(variable: Any) -> None:
    """Move a new variable to where the distribution that is set has it.

    Raises:
        ValueError: The layout does not fit the shape.
    """
    distribution = _InForce.value
    if distribution is None and variable._layout is None:
        return
    if variable._layout is None:
        variable._layout = distribution.get_variable_layout(variable)
    if variable._layout is not None and spans_devices(variable._layout.device_mesh):
        layout = on_devices(variable._layout)
        try:
            layout.check_shape(variable.shape)
        except ValueError as error:
            raise ValueError(f"The variable {variable.path}: {error}") from None
        meshes.place_variable(variable, layout)


def arrange_batch(data: Any) -> Any:
    """Split the arrays of a batch as the distribution that is set has it.

    A batch that cannot be split evenly, such as the last one, is whole on every device. Of several
    processes, each passes the whole batch, or its own rows if `auto_shard_dataset` is False.
    """
    distribution = _InForce.value
    if distribution is None or not spans_devices(distribution.device_mesh):
        return data
    return tf.nest.map_structure(lambda leaf: _arranged(leaf, distribution), data)


def _arranged(leaf: Any, distribution: Any) -> Any:
    if not isinstance(leaf, (tf.Tensor, np.ndarray)) or meshes.is_on_mesh(leaf):
        return leaf
    tensor = tf.convert_to_tensor(leaf)
    if not tensor.shape.rank or tensor.dtype == tf.string:
        return tensor
    if distribution.num_processes > 1 and not distribution.auto_shard_dataset:
        return _of_own_rows(tensor, distribution)
    layout = on_devices(distribution.get_data_layout(tuple(tensor.shape)))
    try:
        layout.check_shape(tensor.shape)
    except ValueError:
        layout = tf.experimental.dtensor.Layout.replicated(layout.mesh, tensor.shape.rank)
    return meshes.place_tensor(tensor, layout)


def _of_own_rows(tensor: Any, distribution: Any) -> Any:
    """Return the batch of which each process has some rows."""
    array = tensor.numpy()
    counts = meshes.rows_of_all(len(array))
    # Processes that share a copy of the model have the same rows.
    shares = min(distribution.num_model_replicas, distribution.num_processes)
    counts = counts[:: distribution.num_processes // shares]
    total = sum(counts)
    layout = on_devices(distribution.get_data_layout((total, *array.shape[1:])))
    try:
        layout.check_shape((total, *array.shape[1:]))
    except ValueError:
        even = False
    else:
        even = len(set(counts)) == 1
    if even:
        first = distribution.data_shard_id * len(array)
        return meshes.place_rows(array, layout, first, total)
    if shares < distribution.num_processes:
        raise ValueError(
            f"A batch of {counts} rows cannot be divided among {shares} copies of the model, which "
            f"several processes share. Pass batches of equal sizes, or set auto_shard_dataset."
        )
    whole = tf.constant(meshes.joined_rows(array, counts))
    replicated = tf.experimental.dtensor.Layout.replicated(layout.mesh, array.ndim)
    return meshes.place_tensor(whole, replicated)


def arrange_outputs(path: str, outputs: Any) -> Any:
    """Return the outputs of a layer in the layout that the distribution has for their path.

    Outputs that cannot be divided evenly stay as they are.
    """
    layout = _InForce.value.get_tensor_layout(path)
    if layout is None or not spans_devices(layout.device_mesh):
        return outputs
    target = on_devices(layout)

    def arranged(leaf: Any) -> Any:
        if not isinstance(leaf, tf.Tensor):
            return leaf
        try:
            target.check_shape(leaf.shape)
        except (TypeError, ValueError):  # a size is unknown, or cannot be divided
            return leaf
        return meshes.place_tensor(leaf, target)

    return tf.nest.map_structure(arranged, outputs)
