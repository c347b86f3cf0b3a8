"""`import tapeflow` says nothing, changes nothing it need not, and loads only what it needs."""

import json
import os
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).parents[1] / "src"
HEAVY = {"jax", "jaxlib", "h5py", "rich", "scipy", "tensorflow", "keras", "google.protobuf"}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_import_is_silent() -> None:
    result = run("import tapeflow")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_import_loads_none_of_the_heavy_modules() -> None:
    result = run("import json, sys, tapeflow; print(json.dumps(sorted(sys.modules)))")
    assert result.returncode == 0, result.stderr
    assert not HEAVY & set(json.loads(result.stdout))


def test_eager_work_and_gradients_do_not_load_jax() -> None:
    result = run(
        "import sys, tapeflow as tf\n"
        "x = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(tf.nn.softmax(x) * x)\n"
        "tape.gradient(y, x)\n"
        "sys.exit('jax' in sys.modules)"
    )
    assert result.returncode == 0, result.stderr


def test_import_leaves_numpy_and_the_environment_alone() -> None:
    result = run(
        "import os, warnings, numpy as np\n"
        "before = (np.geterr(), np.get_printoptions(), list(warnings.filters))\n"
        "import tapeflow\n"
        "after = (np.geterr(), np.get_printoptions(), list(warnings.filters))\n"
        "assert before == after, (before, after)\n"
    )
    assert result.returncode == 0, result.stderr
