"""`tf.compat.v1.gfile`: files and folders under the names of TensorFlow 1."""

from __future__ import annotations

from tapeflow._src.compat.v1.reordered import reordered as _reordered
from tapeflow.io import gfile as _gfile
from tapeflow.io.gfile import GFile as GFile
from tapeflow.io.gfile import GFile as Open  # noqa: F401


class FastGFile(GFile):
    """A file; the name is from when there was a slower way."""


_FILE, _FOLDER = {"filename": "path"}, {"dirname": "path"}
_MOVED = {"oldname": "src", "newname": "dst"}

Copy = _reordered(_gfile.copy, "oldpath newpath overwrite", {"oldpath": "src", "newpath": "dst"})
DeleteRecursively = _reordered(_gfile.rmtree, "dirname", _FOLDER)
Exists = _reordered(_gfile.exists, "filename", _FILE)
Glob = _reordered(_gfile.glob, "filename", {"filename": "pattern"})
IsDirectory = _reordered(_gfile.isdir, "dirname", _FOLDER)
ListDirectory = _reordered(_gfile.listdir, "dirname", _FOLDER)
MakeDirs = _reordered(_gfile.makedirs, "dirname", _FOLDER)
MkDir = _reordered(_gfile.mkdir, "dirname", _FOLDER)
Remove = _reordered(_gfile.remove, "filename", _FILE)
Rename = _reordered(
    _gfile.rename, "oldname newname overwrite", {"oldname": "src", "newname": "dst"}
)
Stat = _reordered(_gfile.stat, "filename", _FILE)
Walk = _reordered(_gfile.walk, "top in_order", {"in_order": "topdown"})
