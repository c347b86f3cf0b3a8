"""The numbers of a release agree, and the changelog tells what changes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import tapeflow as tf
from tests.messages.programs import ALL

ROOT = Path(__file__).parents[1]


def test_the_package_has_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == tf.version.TAPEFLOW_VERSION
    assert tf.__version__ == tf.version.VERSION != tf.version.TAPEFLOW_VERSION
    assert f"## {tf.version.TAPEFLOW_VERSION}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_page_of_errors_lists_every_program() -> None:
    page = (ROOT / "docs" / "errors.md").read_text("utf-8")
    assert all(f"| {program.topic} | 1/1/1 | " in page for program in ALL)
