"""`import tapeflow` says nothing, changes nothing it need not, and loads only what it needs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_namespaces_are_loaded_when_they_are_used() -> None:
    result = run(
        "import sys, tapeflow as tf\n"
        "assert 'data' in dir(tf) and 'LinearOperator' in dir(tf.linalg)\n"
        "assert 'tapeflow.data' not in sys.modules\n"
        "assert 'tapeflow._src.api.linalg.operators.base' not in sys.modules\n"
        "assert tf.data is sys.modules['tapeflow.data'] and tf.data is tf.data\n"
        "assert tf.linalg.LinearOperator is sys.modules['tapeflow._src.api.linalg.operators.base']"
        ".LinearOperator\n"
        "from tapeflow import strings, as_string\n"
        "assert tf.strings is strings and tf.as_string is strings.as_string\n"
        "import tapeflow.image\n"
        "assert tf.image is tapeflow.image\n"
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_what_is_not_there_is_said() -> None:
    result = run(
        "import tapeflow as tf\n"
        "for module, name in ((tf, 'contrib'), (tf.linalg, 'nothing')):\n"
        "    try:\n"
        "        getattr(module, name)\n"
        "    except AttributeError as error:\n"
        "        print(error)\n"
    )
    first, second = result.stdout.splitlines()
    assert first.startswith("module 'tapeflow' has no attribute 'contrib'. tf.contrib ended")
    assert second == (
        "module 'tapeflow.linalg' has no attribute 'nothing'. TensorFlow 2.21 does not have it "
        "either."
    )


def test_an_op_is_found_by_name_before_its_namespace_is_used() -> None:
    result = run(
        "import sys, tapeflow as tf\n"
        "from tapeflow._src.core.registry import OPS\n"
        "assert 'RGBToHSV' not in OPS\n"
        "print(tf.raw_ops.RGBToHSV(images=[1.0, 0.0, 0.0]).numpy())\n"
        "assert 'RangeDataset' in dir(tf.raw_ops)\n"
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "[0. 1. 1.]\n", "")


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("tapeflow", {"data", "image", "io", "keras", "train", "function", "Tensor"}),
        ("tapeflow.keras", {"layers", "Model", "optimizers"}),
        ("tapeflow.keras.layers", {"Dense", "LSTM"}),
        ("tapeflow.keras.utils", {"to_categorical", "get_file"}),
    ],
)
def test_star_imports_bind_lazy_names(module: str, expected: set[str]) -> None:
    names: dict[str, object] = {}
    exec(f"from {module} import *", names)
    assert expected <= set(names)
