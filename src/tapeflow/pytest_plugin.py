"""A plugin for pytest: tests import Tapeflow as `tensorflow`.

Use it with `pytest -p tapeflow.pytest_plugin`. A TensorFlow that is installed is hidden only if the
environment variable TAPEFLOW_REPLACE_INSTALLED is set to 1.
"""

from __future__ import annotations

import os

from tapeflow._src.standin import install_as_tensorflow

# Plugins named with -p are imported before any conftest.py and any test.
install_as_tensorflow(replace_installed=os.environ.get("TAPEFLOW_REPLACE_INSTALLED") == "1")
