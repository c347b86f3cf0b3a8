"""Random pipelines, stopped and saved, go on in a new process with exactly the elements left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.pipeline_fuzzing import check


@pytest.mark.parametrize(
    ("first", "count"),
    [(0, 30), pytest.param(30, 970, marks=pytest.mark.slow)],
    ids=["sample", "thousand"],
)
def test_restored_pipelines_go_on_with_exactly_what_is_left(
    first: int, count: int, tmp_path: Path
) -> None:
    failures = check(first, count, tmp_path)
    assert not failures, "\n".join(failures)
