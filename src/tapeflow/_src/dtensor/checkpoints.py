"""Checkpoints of tensors on meshes: in the parts that devices have, and restored on any mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow._src.checkpoint.bundle import BundleReader, by_name, write_bundle
from tapeflow._src.checkpoint.checkpoint import Checkpoint
from tapeflow._src.checkpoint.in_common import must_be_common, write_in_common
from tapeflow._src.checkpoint.slices import content_of
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.device_mesh import Mesh
from tapeflow._src.core.tensor_layout import Layout
from tapeflow._src.core.text import as_text
from tapeflow._src.dtensor.layouts import fetch_layout, is_dtensor
from tapeflow._src.dtensor.variable import DVariable
from tapeflow._src.eager.dtensor import in_layout
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.math.cast import cast


class DTensorCheckpoint(Checkpoint):
    """A `tf.train.Checkpoint` of objects with variables on a mesh.

    The files are those of `tf.train.Checkpoint`: each restores what the other has written, and
    variables on another mesh than they were saved from.

    Args:
        mesh: The mesh of the variables.
        root: The object to save.
        **kwargs: Further objects.

    Raises:
        ValueError: If `mesh` is no mesh, or an object cannot be tracked.
    """

    def __init__(self, mesh: Mesh, root: Any = None, **kwargs: Any) -> None:
        _check_mesh(mesh)
        super().__init__(root, **kwargs)
        self._cp_mesh = mesh

    def sync(self) -> None:
        """Do nothing: files are complete when they have been written."""


def _check_mesh(mesh: Any) -> None:
    if not isinstance(mesh, Mesh):
        raise ValueError(f"Expected a Mesh. Received: {mesh!r}")


def _tensor(value: Any) -> Any:
    """Return the tensor that is written of a tensor or a variable."""
    if isinstance(value, DVariable):
        (value,) = value._serialize_to_tensors().values()
    elif isinstance(value, Variable):
        value = value.value()
    return dispatch.base_mode().convert(value, None, None, None)


def sharded_save(
    mesh: Mesh,
    file_prefix: Any,
    tensor_names: Any,
    shape_and_slices: Any,
    tensors: Sequence[Any],
) -> None:
    """Write the values of tensors on a mesh to files.

    Args:
        mesh: The mesh.
        file_prefix: What the names of the files begin with.
        tensor_names: Names of the tensors.
        shape_and_slices: Empty strings: the layouts of the tensors say what their parts are.
        tensors: DTensors and variables.

    Raises:
        ValueError: If there are more or fewer names than tensors.
        NotImplementedError: If only a part of a tensor is to be written.
    """
    _check_mesh(mesh)
    names = [as_text(name) for name in _strings(tensor_names)]
    if any(_strings(shape_and_slices)):
        raise NotImplementedError(
            f"sharded_save writes whole tensors. Received shape_and_slices={shape_and_slices!r}"
        )
    if len(names) != len(tensors):
        raise ValueError(
            f"sharded_save expects a name for each tensor. Received {len(names)} names and "
            f"{len(tensors)} tensors."
        )
    written = [_tensor(tensor) for tensor in tensors]
    pairs = zip(names, map(content_of, written), strict=True)
    prefix = as_text(_strings([file_prefix])[0])
    if must_be_common(written):
        write_in_common(prefix, by_name(pairs))
    else:
        write_bundle(prefix, pairs)


def _strings(values: Any) -> list[Any]:
    """Return strings, of a list or of tensors, as they are."""
    tensor = dispatch.base_mode().convert(values, dtypes.string, None, None)
    return tensor._array.ravel().tolist()


def name_based_save(
    mesh: Mesh, checkpoint_prefix: Any, name_tensor_dict: Mapping[str, Any]
) -> None:
    """Write the values of tensors on a mesh to files, under names.

    Args:
        mesh: The mesh.
        checkpoint_prefix: What the names of the files begin with.
        name_tensor_dict: DTensors and variables, by name.

    Raises:
        ValueError: If one of them lies on no mesh.
    """
    for name, tensor in name_tensor_dict.items():
        if not is_dtensor(tensor):
            raise ValueError(f"name_based_save: {name!r} lies on no mesh. Received: {tensor!r}")
    names = list(name_tensor_dict)
    sharded_save(mesh, checkpoint_prefix, names, [""] * len(names), list(name_tensor_dict.values()))


def name_based_restore(
    mesh: Mesh, checkpoint_prefix: Any, name_tensor_dict: Mapping[str, Any]
) -> dict[str, Any]:
    """Read tensors from files that `name_based_save` wrote, on this or another mesh.

    Args:
        mesh: The mesh.
        checkpoint_prefix: What the names of the files begin with.
        name_tensor_dict: For each name, a DTensor or variable with the layout, shape and dtype of
            the result. Their values are not changed.

    Returns:
        A dictionary of DTensors, by name.

    Raises:
        ValueError: If one of them lies on no mesh, or has another shape.
    """
    _check_mesh(mesh)
    layouts: dict[str, Layout] = {}
    for name, tensor in name_tensor_dict.items():
        layout = fetch_layout(tensor) if is_dtensor(tensor) else None
        if layout is None:
            raise ValueError(f"name_based_restore: {name!r} lies on no mesh. Received: {tensor!r}")
        layouts[name] = layout
    reader = BundleReader(as_text(_strings([checkpoint_prefix])[0]))
    restored: dict[str, Any] = {}
    for name, like in name_tensor_dict.items():
        value: Any = EagerTensor(reader.read(name))
        if not like.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"name_based_restore: {name!r} has the shape {value.shape} in the checkpoint. "
                f"Expected: {like.shape}"
            )
        if value.dtype is not like.dtype:
            value = cast(value, DstT=like.dtype)
        restored[name] = in_layout(value, layouts[name])
    return restored
