"""The code of every page runs and prints what the page says."""

from __future__ import annotations

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


@pytest.mark.parametrize("page", parameters())
def test_the_code_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")  # for the data that is shipped
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
