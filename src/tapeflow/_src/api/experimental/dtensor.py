"""`tf.experimental.dtensor`: names that libraries look at; tensors on meshes are not available."""

from __future__ import annotations

from typing import Any, NoReturn

from tapeflow._src.core.types import DTypeLike, TensorLike

UNSHARDED = "unsharded"
MATCH = "match"


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.experimental.dtensor.{name} is not available: tensors are not spread over a mesh of "
        "devices; computations use all cores of one. Leave the layout out."
    )


class Mesh:
    """A mesh of devices: not available, as tensors are not spread over devices.

    Args:
        dim_names: Names of the axes.
        global_device_ids: Numbers of all devices.
        local_device_ids: Numbers of the devices of this process.
        local_devices: Devices of this process.
        mesh_name: Name of the mesh.
        global_devices: All devices.
        use_xla_spmd: Whether XLA partitions.

    Raises:
        NotImplementedError: Always.
    """

    def __init__(
        self,
        dim_names: Any,
        global_device_ids: Any = None,
        local_device_ids: Any = None,
        local_devices: Any = None,
        mesh_name: str = "",
        global_devices: Any = None,
        use_xla_spmd: bool = False,
    ) -> None:
        _refuse("Mesh")


class Layout:
    """How the axes of a tensor are spread over a mesh: not available.

    Args:
        sharding_specs: The axis of the mesh for each axis of a tensor.
        mesh: The mesh.

    Raises:
        NotImplementedError: Always.
    """

    def __init__(self, sharding_specs: Any, mesh: Any) -> None:
        _refuse("Layout")


class DTensorDataset:
    """A dataset whose elements lie on a mesh: not available.

    Args:
        dataset: The dataset.
        mesh: The mesh.
        layouts: The layouts of the components.
        global_batch_size: The batch size.
        dataset_already_batched: Whether elements are batches.
        batch_dim: The axis of the mesh that batches are divided along.
        prefetch: How many batches are made ahead.
        tf_data_service_config: How a service produces the elements.

    Raises:
        NotImplementedError: Always.
    """

    def __init__(
        self,
        dataset: Any,
        *,
        mesh: Any,
        layouts: Any,
        global_batch_size: int,
        dataset_already_batched: bool = False,
        batch_dim: str | None = None,
        prefetch: int | None = None,
        tf_data_service_config: Any = None,
    ) -> None:
        _refuse("DTensorDataset")


class DVariable:
    """A variable on a mesh: not available.

    Args:
        initial_value: The first value.
        dtype: The dtype.

    Raises:
        NotImplementedError: Always.
    """

    def __init__(
        self, initial_value: Any, *args: Any, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        _refuse("DVariable")


def create_mesh(
    mesh_dims: Any = None,
    mesh_name: str = "",
    devices: Any = None,
    device_type: Any = None,
    use_xla_spmd: bool = False,
) -> Any:
    """Raise NotImplementedError: tensors are not spread over a mesh.

    Args:
        mesh_dims: Names and sizes of the axes.
        mesh_name: Name of the mesh.
        devices: The devices.
        device_type: The type of the devices.
        use_xla_spmd: Whether XLA partitions.

    Returns:
        Nothing: it always raises.
    """
    _refuse("create_mesh")


def create_distributed_mesh(
    mesh_dims: Any,
    mesh_name: str = "",
    local_devices: Any = None,
    device_type: Any = None,
    use_xla_spmd: bool = False,
) -> Any:
    """Raise NotImplementedError: tensors are not spread over a mesh.

    Args:
        mesh_dims: Names and sizes of the axes.
        mesh_name: Name of the mesh.
        local_devices: The devices of this process.
        device_type: The type of the devices.
        use_xla_spmd: Whether XLA partitions.

    Returns:
        Nothing: it always raises.
    """
    _refuse("create_distributed_mesh")


def copy_to_mesh(tensor: TensorLike, layout: Any, source_layout: Any = None) -> Any:
    """Raise NotImplementedError: tensors are not spread over a mesh.

    Args:
        tensor: The tensor.
        layout: The layout of the copy.
        source_layout: The layout of the tensor.

    Returns:
        Nothing: it always raises.
    """
    _refuse("copy_to_mesh")


def run_on(device_or_mesh: Any) -> Any:
    """Raise NotImplementedError: tensors are not spread over a mesh.

    Args:
        device_or_mesh: A mesh, or its name.

    Returns:
        Nothing: it always raises.
    """
    _refuse("run_on")


def is_dtensor(tensor: TensorLike) -> bool:
    """Return False: no tensor is spread over a mesh.

    Args:
        tensor: A tensor.

    Returns:
        False.

    Example:
        >>> tf.experimental.dtensor.is_dtensor(tf.constant(1))
        False
    """
    return False
