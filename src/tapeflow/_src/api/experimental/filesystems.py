"""`tf.experimental.register_filesystem_plugin`: not supported, as plugins are compiled code."""

from __future__ import annotations

import os

from tapeflow._src.core.errors import UnimplementedError


def register_filesystem_plugin(plugin_location: str) -> None:
    """Raise UnimplementedError: plugins are written for TensorFlow's own runtime.

    Args:
        plugin_location: The path of the plugin.

    Returns:
        Nothing: it always raises.

    Raises:
        FileNotFoundError: If there is no such file.
        tf.errors.UnimplementedError: Otherwise.
    """
    path = os.fspath(plugin_location)
    if not os.path.exists(path):
        raise FileNotFoundError(2, "The file system plugin does not exist.", path)
    raise UnimplementedError(
        None,
        None,
        f"tf.experimental.register_filesystem_plugin: {path} is made for TensorFlow's compiled "
        f"runtime, which is not here. Mount the file system, or copy the files to a local disk.",
    )
