"""Tapeflow under the name `tensorflow`, for libraries and programs that import that.

`import tensorflow` and the modules below it are served by Tapeflow once `install_as_tensorflow` was
called, by `tapeflow run`, or by the pytest plugin `tapeflow.pytest_plugin`.
"""

from tapeflow._src.standin.installation import install_as_tensorflow as install_as_tensorflow
from tapeflow._src.standin.installation import remove_stand_in as remove_stand_in
