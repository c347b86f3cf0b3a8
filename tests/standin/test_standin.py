"""`import tensorflow` served by Tapeflow: public modules, private ones, messages and metadata."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.standin import remove_stand_in
from tapeflow._src.standin.private_modules import resolved
from tapeflow._src.standin.private_names import PRIVATE

CAPTURED: Any = {
    "capture_output": True,
    "text": True,
    "timeout": 120,
    "env": {**os.environ, "PYTHONPATH": str(Path(tf.__file__).parents[1])},
}


def run(tmp_path: Path, program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program with the stand-in installed, as `tapeflow run` does."""
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(program))
    command = [sys.executable, "-m", "tapeflow.run", *options, str(script), "one", "-m", "two"]
    return subprocess.run(command, **CAPTURED)


def test_public_modules_are_the_modules_of_tapeflow(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import sys
        import tensorflow as tf
        import tensorflow.compat.v2 as tf2
        import tensorflow.keras.layers as layers
        from importlib import metadata
        from tensorflow.compat import v1
        from tensorflow.compat.v2.keras import losses
        from tensorflow.keras.layers import Dense
        import tapeflow

        assert tf is tf2 is tapeflow
        assert (v1, losses, layers.Dense) == (tapeflow.compat.v1, tapeflow.keras.losses, Dense)
        assert metadata.version("tensorflow") == tf.__version__ == "2.21.0"
        assert tapeflow.__spec__.name == "tapeflow"
        import tensorflow.core.framework.graph_pb2
        from tapeflow._src import core
        assert core.__name__ == "tapeflow._src.core"
        print(sys.argv[1:], __name__)
        """,
    )
    assert (done.returncode, done.stdout) == (0, "['one', '-m', 'two'] __main__\n"), done.stderr


def test_messages_are_tapeflows(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import tensorflow as tf
        from tensorflow.core.framework import graph_pb2, types_pb2
        from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
        with tf.Graph().as_default() as graph:
            tf.constant(1.0, name="one")
        message = graph_pb2.GraphDef.FromString(graph.as_graph_def().SerializeToString())
        print(message.node[0].name, types_pb2.DT_FLOAT, SavedModel.DESCRIPTOR.full_name)
        """,
    )
    assert (done.returncode, done.stdout) == (0, "one 1 tensorflow.SavedModel\n"), done.stderr


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("from tensorflow.python.ops import math_opz", "served: tensorflow.python.ops.math_ops."),
        ("from tensorflow.python.eager.context import nothing", "cannot import name 'nothing'"),
        ("from tensorflow.python.foo.bar import reduce_sum", "tensorflow.python.foo"),
        ("from tensorflow.python.framework.ops import nothing", "ops.nothing is private to Tensor"),
        ("import tensorflow.nothing", "No module named 'tensorflow.nothing'"),
    ],
)
def test_what_is_not_served_is_refused_by_name(
    tmp_path: Path, statement: str, message: str
) -> None:
    done = run(tmp_path, statement)
    assert done.returncode == 1
    assert message in done.stderr


def test_classes_show_themselves_as_those_of_tensorflow(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import importlib, pickle, sys
        import tensorflow as tf
        ragged, sparse = tf.ragged.constant([[1], []]), tf.sparse.from_dense([0, 1])
        for value in (tf.data.Dataset.range(2), tf.constant(1), ragged, sparse):
            found = [c for c in type(value).__mro__ if "tensorflow.python." in c.__module__]
            assert getattr(importlib.import_module(found[0].__module__), found[0].__name__)
            assert pickle.loads(pickle.dumps(found[0])) is found[0]
            print(found[0].__name__)
        """,
    )
    assert done.stdout.split() == ["DatasetV2", "Tensor", "RaggedTensor", "SparseTensor"], (
        done.stderr
    )
    assert (tf.data.Dataset.__name__, tf.data.Dataset.__module__) == (
        "Dataset",
        "tapeflow._src.data.dataset",
    )


def test_errors_of_the_program_are_shown_with_their_traceback(tmp_path: Path) -> None:
    done = run(tmp_path, "def fail():\n    raise ValueError('told')\nfail()\n")
    assert done.returncode == 1
    assert 'program.py", line 2, in fail' in done.stderr
    assert done.stderr.endswith("ValueError: told\n")
    assert run(tmp_path, "import sys\nsys.exit(3)\n").returncode == 3


def test_a_module_is_run_by_name(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import sys, tensorflow\nprint(sys.argv[1:])\n")
    command = [sys.executable, "-m", "tapeflow.run", "-m", "program", "x"]
    done = subprocess.run(command, **CAPTURED, cwd=tmp_path)
    assert done.stdout == "['x']\n", done.stderr


def test_an_installed_tensorflow_is_not_hidden_unless_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tensorflow.py").write_text("installed = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(RuntimeError, match=r"TensorFlow is installed .* replace_installed=True"):
        tf.install_as_tensorflow()
    try:
        tf.install_as_tensorflow(replace_installed=True)
        tf.install_as_tensorflow()
        assert resolved("tf") is __import__("tensorflow")
    finally:
        remove_stand_in()
    assert __import__("tensorflow").installed
    with pytest.raises(RuntimeError, match="imported already"):
        tf.install_as_tensorflow(replace_installed=True)
    monkeypatch.delitem(sys.modules, "tensorflow")


def test_the_plugin_for_pytest(tmp_path: Path) -> None:
    test = tmp_path / "test_client.py"
    test.write_text(
        "import tensorflow as tf\ndef test_it():\n    assert tf.__name__ == 'tapeflow'\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tapeflow.pytest_plugin", str(test)]
    done = subprocess.run(command, **CAPTURED, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("module", sorted(PRIVATE))
def test_private_names_are_aliases_of_something_real(module: str) -> None:
    listed = PRIVATE[module]
    for target in (*listed.names.values(), *listed.spaces):
        assert resolved(target) is not None
    if listed.module is not None:
        assert resolved(f"{listed.module}:__doc__")
