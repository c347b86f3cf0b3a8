"""Mutated files of Keras: our exceptions, no crash, no action; more of them in `make test-all`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests import fuzzing
from tests.keras.file_safety import fuzz_targets

COUNT = int(os.environ.get("TAPEFLOW_FUZZ_COUNT", "8000"))


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> Iterator[None]:
    fuzz_targets.prepare()
    yield
    shutil.rmtree(fuzz_targets.SCRATCH)


@pytest.mark.parametrize("name", fuzz_targets.TARGETS)
def test_mutated_files_raise_our_exceptions(name: str) -> None:
    report = fuzz_targets.TARGETS[name](120)
    assert not report.findings, str(report)
    assert report.inputs == 120


@pytest.mark.slow
@pytest.mark.parametrize("name", fuzz_targets.TARGETS)
def test_many_mutated_files_raise_our_exceptions(name: str) -> None:
    report = fuzz_targets.TARGETS[name](COUNT, 11)
    assert not report.findings, str(report)


@pytest.mark.parametrize(
    "code",
    ["os.system('true')", "open('x', 'w')", "__import__('antigravity')", "eval('1')"],
)
def test_forbidden_actions_are_noticed(code: str) -> None:
    """The fuzzer sees what it is there to see."""

    def target(data: bytes) -> Any:
        return fuzz_targets._quietly(lambda: eval(compile(code, "<a file>", "eval"), {"os": os}))

    report = fuzzing.run(target, [b""], shorten=False)
    assert [finding.detail for finding in report.findings] == [
        "tests.keras.file_safety.fuzz_targets.ForbiddenAction"
    ]
