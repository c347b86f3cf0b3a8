"""Mutated programs and notebooks: `tapeflow check` reads them or says why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tapeflow._src.cli.main import main
from tests.fuzzing import check
from tests.fuzzing_protos import watched

PROGRAM = b"""# -*- coding: utf-8 -*-
import tensorflow as tf
from tensorflow.keras import layers as L

def f(x):
    return tf.nn.softmax(L.Dense(3, activation="relu")(x)[..., None]) if x else [tf.abs(x)]
"""
SIZES = [pytest.param(60, id="sample"), pytest.param(4000, id="large", marks=pytest.mark.slow)]


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": ["# Text"]},
        {"cell_type": "code", "source": ["!pip install x\n", "import tensorflow as tf\n"]},
        {"cell_type": "code", "source": "tf.constant(1)"},
    ]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize(("name", "sample"), [("a.py", PROGRAM), ("a.ipynb", notebook())])
def test_code(name: str, sample: bytes, count: int, tmp_path: Path) -> None:
    path = tmp_path / name

    def target(data: bytes) -> None:
        path.write_bytes(data)
        with watched(str(path)):
            main(["check", str(path)])

    check(target, [sample], count, seed=61, memory=1 << 28, seconds=20.0)


@pytest.mark.parametrize(
    "data",
    [
        b"x = '\0'",
        b"(" * 100_000,
        b"x" + b".a" * 200_000,
        b"\xff\xfe",
        b"# coding: nope\n",
        b"1\\d",
    ],
)
def test_code_that_cannot_be_read_is_skipped(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_bytes(data)
    (tmp_path / "b.py").write_bytes(PROGRAM)
    assert main(["check", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert "a.py" in printed.err and "not read" in printed.err
    assert "2 files use" in printed.out


@pytest.mark.parametrize("content", [[], 3, {"cells": 3}, {"cells": [3]}, {"cells": [{}, None]}])
def test_notebooks_that_are_none_are_skipped(
    content: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps(content))
    assert main(["check", str(tmp_path / "a.ipynb")]) == 0
    assert "not read" in capsys.readouterr().err
