"""The code of every page runs and prints what the page says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tapeflow as tf
from tests.docsite.pages import DOCS, ROOT, blocks, pages, run

QUICK = {"index.md", "ten-minutes.md"}


def parameters() -> list[object]:
    return [
        pytest.param(
            page,
            id=page.relative_to(DOCS).as_posix(),
            marks=[] if page.name in QUICK else [pytest.mark.slow],
        )
        for page in pages()
    ]


def run_alone(page: Path) -> list[str]:
    """Run a page in a process of its own, whose devices are not in use."""
    code = "import json, pathlib; from tests.docsite.pages import run; "
    code += f"print(json.dumps(run(pathlib.Path({str(page)!r}))))"
    paths = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    differences: list[str] = json.loads(done.stdout)
    return differences


@pytest.mark.parametrize("page", parameters())
def test_the_code_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")  # for the data that is shipped
    if "set_logical_device_configuration" in page.read_text("utf-8"):
        differences = run_alone(page)
    else:
        tf.keras.utils.set_random_seed(0)
        differences = run(page)
    assert not differences, "\n".join(differences)


def test_wrong_output_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "utf-8")
    (block,) = blocks(page)
    assert (block.line, block.output) == (3, "3\n")
    (difference,) = run(page)
    assert "expected\n3" in difference and "received\n2" in difference
