"""The package is loaded when it is used, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
WAYS = (
    "import tapeflow.experimental.numpy as tnp",
    "from tapeflow.experimental import numpy as tnp",
    "import tapeflow as tf; tnp = tf.experimental.numpy",
)


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("way", WAYS)
def test_each_way_finds_it(way: str) -> None:
    result = run(f"{way}\nprint(tnp.sum(tnp.arange(4)).numpy())")
    assert (result.returncode, result.stdout, result.stderr) == (0, "6\n", "")


def test_importing_the_library_does_not_load_it() -> None:
    result = run(
        "import sys, tapeflow as tf\n"
        "loaded = [m for m in sys.modules if m.startswith('tapeflow.experimental.numpy')]\n"
        "assert not loaded, loaded\n"
        "assert 'numpy' in dir(tf.experimental)\n"
        "try: tf.experimental.nothing\n"
        "except AttributeError as error: print(error)\n"
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == (
        "module 'tapeflow.experimental' has no attribute 'nothing'. TensorFlow 2.21 does not have "
        "it either.\n"
    )


def test_using_it_changes_no_tensor() -> None:
    result = run(
        "import tapeflow as tf\n"
        "tf.experimental.numpy.add(1, 2.5)\n"
        "assert not hasattr(tf.Tensor, 'reshape')\n"
        "try: tf.constant(1) + tf.constant(1.0)\n"
        "except tf.errors.InvalidArgumentError: print('refused')\n"
    )
    assert (result.returncode, result.stdout) == (0, "refused\n"), result.stderr
