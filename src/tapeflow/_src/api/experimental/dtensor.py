"""`tf.experimental.dtensor`: names that libraries look at; tensors on meshes are not available."""

from __future__ import annotations

from typing import Any, NoReturn

UNSHARDED = "unsharded"
MATCH = "match"


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.experimental.dtensor.{name} is not available: tensors are not spread over a mesh of "
        "devices; computations use all cores of one. Leave the layout out."
    )


class Mesh:
    """A mesh of devices."""

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
    """How the axes of a tensor are spread over a mesh."""

    def __init__(self, sharding_specs: Any, mesh: Any) -> None:
        _refuse("Layout")


class DTensorDataset:
    """A dataset whose elements lie on a mesh."""

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
    """A variable on a mesh."""

    def __init__(self, initial_value: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> None:
        _refuse("DVariable")


def create_mesh(
    mesh_dims: Any = None,
    mesh_name: str = "",
    devices: Any = None,
    device_type: Any = None,
    use_xla_spmd: bool = False,
) -> Any:
    """Raise NotImplementedError."""
    _refuse("create_mesh")


def create_distributed_mesh(
    mesh_dims: Any,
    mesh_name: str = "",
    local_devices: Any = None,
    device_type: Any = None,
    use_xla_spmd: bool = False,
) -> Any:
    """Raise NotImplementedError."""
    _refuse("create_distributed_mesh")


def copy_to_mesh(tensor: Any, layout: Any, source_layout: Any = None) -> Any:
    """Raise NotImplementedError."""
    _refuse("copy_to_mesh")


def run_on(device_or_mesh: Any) -> Any:
    """Raise NotImplementedError."""
    _refuse("run_on")


def is_dtensor(tensor: Any) -> bool:
    """Return False: no tensor is spread over a mesh."""
    return False
