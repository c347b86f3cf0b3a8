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
    """Raise a ValueError if a `DeviceMesh` has devices that this process does not have."""
    names = [str(device).upper() for device in device_mesh.devices.ravel()]
    devices = tf.config.list_logical_devices()
    available = [device.name.rpartition("device:")[2] for device in devices]
    missing = [name for name in names if name not in available]
    if missing:
        raise ValueError(
            f"The device mesh has devices that this process does not have: {missing}. It has "
            f"{available}; tf.config.set_logical_device_configuration makes the processor count "
            f"as several."
        )


def on_devices(layout: Any) -> Any:
    """Return the layout of DTensor that a `TensorLayout` stands for.

    Raises:
        ValueError: A device of its mesh does not exist.
    """
    device_mesh = layout.device_mesh
    require_devices(device_mesh)
    names = tuple(str(device).upper() for device in device_mesh.devices.ravel())
    return _layout(names, device_mesh.devices.shape, tuple(device_mesh.axis_names), layout.axes)


@lru_cache(maxsize=1024)
def _layout(
    names: tuple[str, ...],
    shape: tuple[int, ...],
    axis_names: tuple[str, ...],
    axes: tuple[str | None, ...],
) -> Any:
    dtensor = tf.experimental.dtensor
    numbers = np.arange(len(names)).reshape(shape)
    flat = numbers.ravel().tolist()
    mesh = dtensor.Mesh(list(axis_names), numbers, flat, names, meshes.MESH_NAME)
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

    A batch that cannot be split evenly, such as the last one, is whole on every device.
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
    layout = on_devices(distribution.get_data_layout(tuple(tensor.shape)))
    try:
        layout.check_shape(tensor.shape)
    except ValueError:
        layout = tf.experimental.dtensor.Layout.replicated(layout.mesh, tensor.shape.rank)
    return meshes.place_tensor(tensor, layout)


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
