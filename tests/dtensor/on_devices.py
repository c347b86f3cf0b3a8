"""Runs code of a test in a process of its own, where the processor counts as several devices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import tapeflow
from tests import quick_compiler

SOURCE = Path(tapeflow.__file__).parent.parent

PRELUDE = """
import numpy as np
import tapeflow as tf

dtensor = tf.experimental.dtensor
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * {count})
NAMES = [f"CPU:{{i}}" for i in range({count})]


def specs(tensor):
    return dtensor.fetch_layout(tensor).sharding_specs


def whole(tensor):
    layout = dtensor.fetch_layout(tensor)
    return dtensor.relayout(tensor, dtensor.Layout.replicated(layout.mesh, layout.rank)).numpy()


def refuses(error, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except error:
        return
    raise AssertionError(f"{{call}} raised no {{error.__name__}}")
"""


def run(count: int, code: str) -> str:
    """Run code with so many devices; raise with what it printed if it fails."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    if quick_compiler.is_installed():
        environment["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {quick_compiler.FLAGS}"
    script = PRELUDE.format(count=count) + dedent(code)
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
