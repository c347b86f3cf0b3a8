"""Memory that steps take and give back stays with the process, and no more than that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tapeflow._src.backends import heap

SOURCES = str(Path(__file__).parents[2] / "src")
needs_glibc = pytest.mark.skipif(
    "CS_GNU_LIBC_VERSION" not in getattr(os, "confstr_names", {}), reason="glibc's heap"
)
PAGE = 4096
# Takes `size` bytes for the time of a call; prints how many pages later calls had to be given.
PROGRAM = """
import resource, tapeflow as tf
x, w = tf.ones([{size} // 1024, 32]), tf.ones([32, 256])
f = tf.function(lambda x: tf.reduce_sum(tf.abs(x @ w) @ tf.transpose(w)), jit_compile=True)
for _ in range(4): f(x)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(8): f(x)
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 8)
"""
# The median for calls of ops, some of which compile.
EAGER_PROGRAM = """
import resource, statistics, tapeflow as tf
x = tf.ones([{elements}])
result = [{call} for _ in range(4)][-1]
faults = []
for _ in range(40):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    result = {call}
    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(int(statistics.median(faults)))
"""


def printed(code: str, variables: dict[str, str]) -> str:
    """What `code` prints in a process of its own."""
    ours = (*heap.VARIABLES, "GLIBC_TUNABLES")
    rest = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**rest, "PYTHONPATH": SOURCES, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout.strip()


@needs_glibc
@pytest.mark.parametrize("size", [16 << 20, 96 << 20])
def test_a_program_finds_its_memory_where_it_left_it(size: int) -> None:
    assert int(printed(PROGRAM.format(size=size), {})) < size // PAGE // 10


@needs_glibc
@pytest.mark.parametrize("call", ["x + x", "tf.ones_like(x)", "tf.zeros([{elements}, 1])"])
def test_eager_ops_find_the_memory_of_large_results_where_it_was(call: str) -> None:
    elements = 16 << 20
    code = EAGER_PROGRAM.format(elements=elements, call=call.format(elements=elements))
    assert int(printed(code, {})) < 4 * elements // PAGE // 5


@needs_glibc
@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("MALLOC_MMAP_THRESHOLD_", "1000000", False),
        ("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=1000000", False),
        ("MALLOC_ARENA_MAX", "2", True),
    ],
)
def test_the_choice_of_the_user_stands(name: str, value: str, kept: bool) -> None:
    code = "from tapeflow._src.backends import heap; print(heap.keep(64 << 20))"
    assert printed(code, {name: value}) == str(kept)


def test_too_much_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(heap, "_mallopt", lambda: lambda *option: asked.append(option))
    monkeypatch.setattr(heap, "_most_bytes", lambda: 1 << 30)
    monkeypatch.setattr(heap, "_largest", [-1])
    assert not heap.keep(2 << 30) and not asked
    assert not heap.keep(1 << 20) and asked
    count = len(asked)
    assert not heap.keep(1 << 10) and len(asked) == count
    assert heap.keep(64 << 20) and len(asked) > count


def test_without_glibc_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap, "_mallopt", lambda: None)
    assert not heap.keep(64 << 20)
    with heap.unmapped():
        pass
