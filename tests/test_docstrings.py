"""Public docstrings: how many explain their arguments and show an example, and that these run."""

from __future__ import annotations

import doctest
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tests.docstrings import Entry, entries, shares

# What has been reached; raise these with what is added, and never lower them.
FLOORS = {"summary": 3842, "args": 3835, "returns": 3839, "example": 2860}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@cache
def documented() -> list[Entry]:
    return entries()


@cache
def by_file() -> dict[str, list[Entry]]:
    files: dict[str, list[Entry]] = defaultdict(list)
    for item in documented():
        if item.has("example"):
            files[item.file].append(item)
    return files


def failures(item: Entry) -> str:
    """Return what the examples of a docstring print otherwise than they say."""
    test = doctest.DocTestParser().get_doctest(
        item.text, {"tf": tf, "np": np, "keras": tf.keras}, item.path, item.file, item.line
    )
    report: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS, verbose=False).run(test, out=report.append)
    return "".join(report)


@pytest.mark.parametrize("part", FLOORS)
def test_share_of_documented_names_does_not_fall(part: str) -> None:
    assert getattr(shares(documented())["all"], part) >= FLOORS[part]


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(by_file()))
def test_examples_of_docstrings_run(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = []
    for number, item in enumerate(by_file()[file]):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        tf.random.set_seed(0)
        tf.keras.utils.set_random_seed(0)
        reports.append(failures(item))
    assert not any(reports), "\n".join(reports)


def test_a_wrong_example_is_noticed() -> None:
    item = Entry("tf.one", "api", "api/one.py", 1, "function", "one", ">>> 1 + 1\n3\n", ())
    assert "Expected" in failures(item)
