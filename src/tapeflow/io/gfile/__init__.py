"""`tf.io.gfile`: files and folders."""

from tapeflow._src.api.io.gfile.file import GFile as GFile
from tapeflow._src.api.io.gfile.folders import copy as copy
from tapeflow._src.api.io.gfile.folders import exists as exists
from tapeflow._src.api.io.gfile.folders import get_registered_schemes as get_registered_schemes
from tapeflow._src.api.io.gfile.folders import glob as glob
from tapeflow._src.api.io.gfile.folders import isdir as isdir
from tapeflow._src.api.io.gfile.folders import join as join
from tapeflow._src.api.io.gfile.folders import listdir as listdir
from tapeflow._src.api.io.gfile.folders import makedirs as makedirs
from tapeflow._src.api.io.gfile.folders import mkdir as mkdir
from tapeflow._src.api.io.gfile.folders import remove as remove
from tapeflow._src.api.io.gfile.folders import rename as rename
from tapeflow._src.api.io.gfile.folders import rmtree as rmtree
from tapeflow._src.api.io.gfile.folders import stat as stat
from tapeflow._src.api.io.gfile.folders import walk as walk
