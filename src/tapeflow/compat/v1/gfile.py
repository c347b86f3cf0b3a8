"""`tf.compat.v1.gfile`: files and folders under the names of TensorFlow 1."""

from tapeflow._src.compat.v1.gfile import Copy as Copy
from tapeflow._src.compat.v1.gfile import DeleteRecursively as DeleteRecursively
from tapeflow._src.compat.v1.gfile import Exists as Exists
from tapeflow._src.compat.v1.gfile import FastGFile as FastGFile
from tapeflow._src.compat.v1.gfile import GFile as GFile
from tapeflow._src.compat.v1.gfile import Glob as Glob
from tapeflow._src.compat.v1.gfile import IsDirectory as IsDirectory
from tapeflow._src.compat.v1.gfile import ListDirectory as ListDirectory
from tapeflow._src.compat.v1.gfile import MakeDirs as MakeDirs
from tapeflow._src.compat.v1.gfile import MkDir as MkDir
from tapeflow._src.compat.v1.gfile import Remove as Remove
from tapeflow._src.compat.v1.gfile import Rename as Rename
from tapeflow._src.compat.v1.gfile import Stat as Stat
from tapeflow._src.compat.v1.gfile import Walk as Walk
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
