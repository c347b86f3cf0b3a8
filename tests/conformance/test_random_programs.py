"""Random programs return the same eagerly, interpreted, once they are hot, and with jit_compile.

`make test` runs a few that together contain most functions, `make test-all` 20,000; a report ends
in the shortest such program.
"""

from __future__ import annotations

import pytest

from tests.conformance.random_programs import compose, representative
from tests.conformance.random_runs import check

pytestmark = pytest.mark.usefixtures("optimized")

SAMPLE = 28
CANDIDATES = range(30_000, 30_200)
CHUNK = 100
ALL = 20_000


def test_programs_follow_from_their_seeds():
    assert [compose(seed).text for seed in range(9)] == [compose(s).text for s in range(9)]


def test_sample_covers_what_programs_do():
    programs = [compose(seed) for seed in representative(CANDIDATES, SAMPLE)]
    text = "".join(program.text for program in programs)
    for part in ("while ", "if ", "tf.cond", "GradientTape", ".assign", "tf.random.", "nan", "inf"):
        assert part in text
    assert len(frozenset().union(*(program.features for program in programs))) > 120


def test_sample():
    assert not "\n".join(check(representative(CANDIDATES, SAMPLE)))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, ALL, CHUNK))
def test_all(start):
    assert not "\n".join(check(range(start, start + CHUNK)))
