"""Meshes of devices, and along which of their axes tensors are split."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np

from tapeflow._src.keras.distribution.arrangement import on_devices
from tapeflow._src.keras.distribution.placement import list_devices


class DeviceMesh:
    """Devices as a grid with named axes.

    Args:
        shape: the sizes of the axes.
        axis_names: a name for each axis, such as `["batch", "model"]`.
        devices: the names of the devices; by default those of `list_devices()`.

    >>> keras.distribution.DeviceMesh((1,), ["batch"])
    <DeviceMesh shape=(1,), axis_names=['batch']>
    """

    def __init__(self, shape: Any, axis_names: Any, devices: Any = None) -> None:
        if not shape or not axis_names or len(shape) != len(axis_names):
            raise ValueError(
                f"DeviceMesh: expected a size and a name for each axis, of one axis or more. "
                f"Received: shape={shape}, axis_names={axis_names}"
            )
        grid = np.array(list_devices() if devices is None else devices)
        if math.prod(shape) != grid.size:
            raise ValueError(
                f"DeviceMesh: a mesh of shape {shape} has {math.prod(shape)} devices. Received: "
                f"{grid.size} devices"
            )
        self._shape = shape
        self._axis_names = axis_names
        self._devices = grid.reshape(shape)

    @property
    def shape(self) -> Any:
        """The sizes of the axes."""
        return self._shape

    @property
    def axis_names(self) -> Any:
        """The names of the axes."""
        return self._axis_names

    @property
    def devices(self) -> Any:
        """The names of the devices, an array of `shape`."""
        return self._devices

    @property
    def backend_mesh(self) -> Any:
        """The `tf.experimental.dtensor.Mesh` of the devices.

        Raises:
            ValueError: one of them does not exist.
        """
        return on_devices(TensorLayout((), self)).mesh

    def __repr__(self) -> str:
        return f"<{type(self).__name__} shape={self.shape}, axis_names={self.axis_names}>"


class TensorLayout:
    """Along which axis of a mesh each axis of a tensor is split; None stands for not at all.

    Args:
        axes: An axis of the mesh, or None, for each axis of the tensor.
        device_mesh: The mesh; None until it is set.

    Raises:
        ValueError: The mesh has no such axis.

    Example:
        >>> mesh = keras.distribution.DeviceMesh((1,), ["batch"])
        >>> keras.distribution.TensorLayout(["batch", None], mesh).axes
        ('batch', None)
    """

    def __init__(self, axes: Any, device_mesh: Any = None) -> None:
        self._axes = tuple(axes)
        self._device_mesh = device_mesh
        self._check()

    @property
    def axes(self) -> tuple[str | None, ...]:
        """The axes of the mesh, one for each axis of the tensor."""
        return self._axes

    @property
    def device_mesh(self) -> Any:
        """The mesh, which may be set once."""
        return self._device_mesh

    @device_mesh.setter
    def device_mesh(self, device_mesh: Any) -> None:
        if self._device_mesh is not None:
            raise ValueError(f"The layout has a device mesh already: {self._device_mesh}")
        self._device_mesh = device_mesh
        self._check()

    @property
    def backend_layout(self) -> Any:
        """The `tf.experimental.dtensor.Layout` with the same axes.

        Raises:
            ValueError: the device mesh is not set, or has devices that do not exist.
        """
        if self._device_mesh is None:
            raise ValueError(
                f"The layout has no device mesh yet: set device_mesh. Received: {self}"
            )
        return on_devices(self)

    def _check(self) -> None:
        if self._device_mesh is None:
            return
        unknown = set(self._axes) - {None, *self._device_mesh.axis_names}
        if unknown:
            raise ValueError(
                f"TensorLayout: the mesh has the axes {list(self._device_mesh.axis_names)}. "
                f"Received: {sorted(map(str, unknown))}"
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} axes={self.axes}, device_mesh={self.device_mesh}>"


class LayoutMap(MutableMapping[str, Any]):
    """Layouts by the path of a variable, or by a regular expression for whole paths.

    Args:
        device_mesh: The mesh that layouts without one receive.

    Example:
        >>> layouts = keras.distribution.LayoutMap(keras.distribution.DeviceMesh((1,), ["model"]))
        >>> layouts["dense.*kernel"] = (None, "model")
        >>> layouts["dense_1/kernel"].axes
        (None, 'model')
    """

    def __init__(self, device_mesh: Any) -> None:
        self._layouts: dict[str, TensorLayout] = {}
        self._device_mesh = device_mesh

    @property
    def device_mesh(self) -> Any:
        """The mesh that layouts without one receive."""
        return self._device_mesh

    def __getitem__(self, key: str) -> Any:
        if key in self._layouts:
            return self._layouts[key]
        matching = [pattern for pattern in self._layouts if re.fullmatch(pattern, key)]
        if len(matching) > 1:
            raise ValueError(
                f"LayoutMap: the path '{key}' matches multiple keys, {matching}. Expected one at "
                f"most: make the expressions more specific."
            )
        return self._layouts[matching[0]] if matching else None

    def __setitem__(self, key: str, layout: Any) -> None:
        if key in self._layouts:
            raise ValueError(f"LayoutMap: '{key}' has the layout {self._layouts[key]} already.")
        if isinstance(layout, tuple):
            layout = TensorLayout(layout)
        if not isinstance(layout, TensorLayout):
            raise ValueError(
                f"LayoutMap: expected a TensorLayout or a tuple of axes. Received: {layout!r} of "
                f"type {type(layout).__name__}"
            )
        if layout.device_mesh is None and self._device_mesh is not None:
            layout.device_mesh = self._device_mesh
        self._layouts[key] = layout

    def __delitem__(self, key: str) -> None:
        del self._layouts[key]

    def __len__(self) -> int:
        return len(self._layouts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._layouts)
