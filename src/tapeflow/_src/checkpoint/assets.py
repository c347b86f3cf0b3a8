"""`Asset`: a file that is part of a SavedModel."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.eager.tensor import EagerTensor


class AssetPath(EagerTensor):
    """The path of an asset: in a SavedModel it stands for wherever the copy lies."""

    __slots__ = ("asset",)

    def __init__(self, path: EagerTensor, asset: Asset) -> None:
        super().__init__(path._array)
        self.asset = asset


class Asset(Trackable):
    r"""A file, such as a vocabulary, that is copied with the model; functions use its path.

    Args:
        path: Path of the file: a string, bytes, a path object or a string tensor.

    Example:
        >>> tf.io.write_file("words.txt", "one\ntwo\n")
        >>> tf.saved_model.Asset("words.txt").asset_path.numpy()
        b'words.txt'
    """

    def __init__(self, path: Any) -> None:
        if not hasattr(path, "dtype"):
            path = path if isinstance(path, bytes) else str(path)
        with dispatch.use_mode(dispatch.base_mode()):
            self._path = AssetPath(dispatch.convert(path, dtypes.string), self)

    @property
    def asset_path(self) -> AssetPath:
        """The path of the file as a string tensor: when the model is loaded, that of the copy."""
        return self._path
