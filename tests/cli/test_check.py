"""`tapeflow check` reports the names and arguments that are missing, with their lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tapeflow._src.cli.main import main

PROGRAM = """\
import tensorflow as tf
import tensorflow.compat.v1 as v1
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers as L
from tensorflow.keras.layers import Dense, Dence
from tensorflow.python.framework import ops

x = tf.constant([1.0], dtype=tf.float32)
y = tf.log(x) + tf.math.log(x)
s = tf.Session()
z = tf.reduce_mean(x, axes=0)
m = keras.Sequential([L.Dense(3), L.NoSuchLayer(2)])
n = np.log(3)
t = tf.constant([1]).numpy().anything
v1.Session().run(tf.lite.TFLiteConverter.from_keras_model(m))
"""


def check(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[int, str]]:
    code = main(["check", "--json", str(path)])
    problems = json.loads(capsys.readouterr().out)["problems"]
    return code, {each["line"]: f"{each['name']}: {each['message']}" for each in problems}


def test_reports_missing_names_and_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    code, problems = check(path, capsys)
    assert code == 1
    assert "Did you mean tf.keras.layers.Dense" in problems[6]
    assert "private" in problems[7]
    assert "tf.math.log" in problems[10]
    assert "tf.compat.v1.Session" in problems[11]
    assert "no argument 'axes'; it takes axis" in problems[12]
    assert "tf.keras.layers.NoSuchLayer" in problems[13]
    assert not {1, 2, 3, 4, 5, 9, 14, 15} & set(problems)


def test_supported_code_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "fine.py"
    path.write_text("import tensorflow as tf\nprint(tf.ones([2], dtype=tf.int32), tf.nn.relu)\n")
    assert main(["check", str(tmp_path)]) == 0
    assert "all are supported" in capsys.readouterr().out


def test_notebooks_and_files_that_are_not_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["tf.log"]},
        {"cell_type": "code", "source": ["!pip install x\n", "import tensorflow as tf\n"]},
        {"cell_type": "code", "source": "tf.log(1.0)"},
    ]
    (tmp_path / "book.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert main(["check", str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert "book.ipynb:3: tf.log" in output.out
    assert "broken.py:1: not read" in output.err


def test_every_namespace_of_the_standard_examples_is_supported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    examples = Path(__file__).parents[2] / "examples"
    assert main(["check", str(examples)]) == 0, capsys.readouterr().out


def test_cells_that_are_not_python_do_not_hide_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = [
        "import tensorflow as tf\ntf.keras.Input?",
        "%%bash\necho ${HOME} <<< x",
        "%%time\nx = tf.log(1.0)",
        "!pip install \\\n  --quiet something",
        " y = tf.Session()\n if y:\n   !ls",
        "tf.nn.relu(",
        "tf.mul(1, 2)",
    ]
    cells = [{"cell_type": "code", "source": source} for source in sources]
    (tmp_path / "book.ipynb").write_text(json.dumps({"cells": cells}))
    assert main(["check", str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert "book.ipynb:6: tf.log" in output.out and "book.ipynb:9: tf.Session" in output.out
    assert "book.ipynb:13: tf.mul" in output.out
    assert "3 of these TensorFlow 2.21 does not have either" in output.out
    assert "book.ipynb:12: not read" in output.err
