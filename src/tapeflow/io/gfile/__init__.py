"""`tf.io.gfile`: files and folders."""

from tapeflow.io.gfile.file import GFile as GFile
from tapeflow.io.gfile.folders import copy as copy
from tapeflow.io.gfile.folders import exists as exists
from tapeflow.io.gfile.folders import get_registered_schemes as get_registered_schemes
from tapeflow.io.gfile.folders import glob as glob
from tapeflow.io.gfile.folders import isdir as isdir
from tapeflow.io.gfile.folders import join as join
from tapeflow.io.gfile.folders import listdir as listdir
from tapeflow.io.gfile.folders import makedirs as makedirs
from tapeflow.io.gfile.folders import mkdir as mkdir
from tapeflow.io.gfile.folders import remove as remove
from tapeflow.io.gfile.folders import rename as rename
from tapeflow.io.gfile.folders import rmtree as rmtree
from tapeflow.io.gfile.folders import stat as stat
from tapeflow.io.gfile.folders import walk as walk
