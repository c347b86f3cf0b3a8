"""Random programs return the same eagerly, interpreted, once they are hot, and with jit_compile.

`make test` runs a sample, `make test-all` 20,000; a report ends in the shortest such program.
"""

from __future__ import annotations

import pytest

from tests.conformance.random_programs import compose
from tests.conformance.random_runs import check

SAMPLE = 100
CHUNK = 100
ALL = 20_000


def test_programs_follow_from_their_seeds():
    assert [compose(seed).text for seed in range(20)] == [compose(s).text for s in range(20)]


def test_programs_cover_what_programs_do():
    text = "".join(compose(seed).text for seed in range(300))
    for part in ("while ", "if ", "tf.cond", "GradientTape", ".assign", "tf.random.", "nan", "inf"):
        assert part in text


@pytest.mark.parametrize("start", range(30_000, 30_000 + SAMPLE, SAMPLE // 2))
def test_sample(start):
    assert not "\n".join(check(range(start, start + SAMPLE // 2)))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, ALL, CHUNK))
def test_all(start):
    assert not "\n".join(check(range(start, start + CHUNK)))
