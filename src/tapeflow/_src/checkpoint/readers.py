"""Read a checkpoint by the names in its files, without objects."""

from __future__ import annotations

import os
from typing import Any

from tapeflow._src.checkpoint.bundle import BundleReader
from tapeflow._src.checkpoint.states import latest_checkpoint
from tapeflow._src.core import protos
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.paths import as_text, local_path


class CheckpointReader:
    """Reads single tensors of a checkpoint."""

    def __init__(self, filename: Any) -> None:
        self._bundle = BundleReader(filename)

    def has_tensor(self, tensor_str: str) -> bool:
        return tensor_str in self._bundle.entries

    def get_tensor(self, tensor_str: str) -> Any:
        """Return a tensor's value: an array, or what NumPy has for a single value."""
        return self._bundle.read(tensor_str)[()]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shapes of all tensors."""
        return {name: list(self._bundle.shape(name)) for name in self._bundle.entries}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Return the dtypes of all tensors."""
        return {name: self._bundle.dtype(name) for name in self._bundle.entries}

    def debug_string(self) -> bytes:
        """Names, dtypes and shapes, one tensor a line."""
        lines = []
        for name, entry in self._bundle.entries.items():
            shape = ",".join(map(str, self._bundle.shape(name)))
            lines.append(f"{name} ({protos.DataType.Name(entry.dtype)}) [{shape}]\n")
        return "".join(lines).encode()


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Return a reader of a checkpoint, or of the latest one in a folder.

    Args:
        ckpt_dir_or_file: The prefix of a checkpoint, or a folder.

    Returns:
        A reader with `get_tensor(name)`, `has_tensor(name)`, `get_variable_to_shape_map()` and
        `get_variable_to_dtype_map()`.

    Raises:
        ValueError: If the folder has no checkpoint.
        tf.errors.NotFoundError: If there is no checkpoint with that prefix.

    Example:
        >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write("loaded")
        >>> tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
        array([1., 2.], dtype=float32)
    """
    return CheckpointReader(checkpoint_path(ckpt_dir_or_file))


def checkpoint_path(ckpt_dir_or_file: Any) -> str:
    """Return the prefix of a checkpoint, or of the latest one in a folder."""
    path = as_text(ckpt_dir_or_file)
    if not os.path.isdir(local_path(path)):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(
            f"No checkpoint found in the directory {path}: there is no 'checkpoint' file."
        )
    return latest


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """Return the value of one tensor of a checkpoint.

    Args:
        ckpt_dir_or_file: The prefix of a checkpoint, or a folder with one.
        name: Its name, as `tf.train.list_variables` lists it.

    Returns:
        A NumPy array.

    Raises:
        tf.errors.NotFoundError: If there is no such tensor.

    Example:
        >>> path = tf.train.Checkpoint(v=tf.Variable(3)).write("one")
        >>> tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")
        np.int32(3)
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Return the names and shapes of a checkpoint's tensors, sorted by name.

    Args:
        ckpt_dir_or_file: The prefix of a checkpoint, or a folder with one.

    Returns:
        A list of pairs of a name and a shape.

    Example:
        >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write("listed")
        >>> tf.train.list_variables(path)
        [('_CHECKPOINTABLE_OBJECT_GRAPH', []), ('v/.ATTRIBUTES/VARIABLE_VALUE', [2])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def NewCheckpointReader(filepattern: Any) -> CheckpointReader:
    """Return a reader of the checkpoint whose files start with `filepattern`."""
    return CheckpointReader(as_text(filepattern))
