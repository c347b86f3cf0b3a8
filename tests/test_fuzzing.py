"""The fuzz helper finds what it is meant to find: a runner that passes everything tests nothing."""

from __future__ import annotations

import itertools
import os
import signal
import struct
import time
import zlib
from binascii import crc32

import pytest

import tapeflow as tf
from tapeflow._src.backends import heap
from tests import fuzzing

SAMPLES = [b"first sample", b"the second sample"]


def _invalid(data: bytes) -> None:
    raise tf.errors.InvalidArgumentError(None, None, "not a sample")


def test_mutations_are_reproducible_and_differ_by_seed() -> None:
    first, again, other = (list(fuzzing.mutations(SAMPLES, 50, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert sum(data not in SAMPLES for data in first) > 40


@pytest.mark.parametrize("mutation", fuzzing.MUTATIONS, ids=lambda m: m.__name__)
def test_each_mutation_changes_data_and_accepts_empty_data(mutation: fuzzing.Mutation) -> None:
    changed = [mutation(fuzzing.random.Random(seed), SAMPLES[0], SAMPLES) for seed in range(40)]
    assert any(data != SAMPLES[0] for data in changed)
    assert isinstance(mutation(fuzzing.random.Random(0), b"", [b""]), bytes)


def test_errors_of_the_library_pass_and_are_counted() -> None:
    report = fuzzing.run(_invalid, [b"a", b"b"])
    assert not report.findings
    assert report.raised == {"InvalidArgumentError": 2}


def test_allowed_classes_pass() -> None:
    assert not fuzzing.run(int, [b"x"], allowed=(ValueError,)).findings
    assert fuzzing.run(int, [b"x"]).findings


def test_a_foreign_exception_is_reported_once_with_a_shortened_input() -> None:
    def target(data: bytes) -> None:
        if b"!" in data:
            raise KeyError("bang")

    report = fuzzing.run(target, [b"a" * 50 + b"!" + b"b" * 40, b"x!", b"fine"])
    ((finding, count),) = report.findings.items()
    assert (finding.detail, count, finding.data) == ("builtins.KeyError", 2, b"!")
    assert report.returned == 1
    assert "b'!'" in str(report)


def test_a_crash_is_reported_and_the_rest_still_runs() -> None:
    def target(data: bytes) -> None:
        if data == b"crash":
            os.kill(os.getpid(), signal.SIGKILL)

    report = fuzzing.run(target, [b"1", b"crash", b"2", b"3"], shorten=False)
    ((finding, count),) = report.findings.items()
    assert (finding.kind, count, finding.data, report.returned) == ("crash", 1, b"crash", 3)


def test_an_input_that_takes_too_long_is_reported() -> None:
    def target(data: bytes) -> None:
        if data == b"slow":
            time.sleep(60)

    report = fuzzing.run(target, [b"slow", b"quick"], seconds=0.2, shorten=False)
    ((finding, _),) = report.findings.items()
    assert (finding.kind, finding.data, report.returned) == ("time", b"slow", 1)


@pytest.mark.parametrize("size", [60 << 20, 1 << 40])
def test_an_input_that_needs_too_much_memory_is_reported(size: int) -> None:
    def target(data: bytes) -> None:
        if data == b"large":
            bytearray(b"\1" * 16) * (size // 16)

    report = fuzzing.run(target, [b"large", b"small"], memory=40 << 20, shorten=False)
    ((finding, _),) = report.findings.items()
    assert finding.data == b"large"
    assert finding.kind == "memory" or finding.detail == "builtins.MemoryError"
    assert report.returned == 1


def test_free_memory_of_the_parent_does_not_hide_growth() -> None:
    def target(data: bytes) -> None:
        bytearray(b"\1" * 16) * ((60 << 20) // 16)

    blocks = [bytes(bytearray(range(1, 201)) * 500) for _ in range(1000)]  # 100 MB from the heap
    last = bytes(100_000)  # keeps the blocks below it in the heap once they are free
    del blocks
    with heap.unmapped():
        report = fuzzing.run(target, [last], memory=40 << 20, shorten=False)
    assert [finding.kind for finding in report.findings] == ["memory"]


def test_check_refuses_samples_that_do_not_pass() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        fuzzing.check(_invalid, SAMPLES, 5, 0)


def test_check_raises_with_the_report() -> None:
    def target(data: bytes) -> None:
        if data not in SAMPLES:
            raise IndexError("out")

    with pytest.raises(AssertionError, match="IndexError"):
        fuzzing.check(target, SAMPLES, 5, 0)


def test_wrappers_make_valid_containers() -> None:
    assert zlib.decompress(fuzzing.as_zlib(b"abc")) == b"abc"
    assert zlib.decompress(fuzzing.as_gzip(b"abc"), 31) == b"abc"
    assert len(fuzzing.as_record(b"abc")) == 8 + 4 + 3 + 4
    chunk = struct.pack(">I", 3) + b"IDATabc" + b"\0\0\0\0"
    fixed = fuzzing.with_png_checksums(b"\x89PNG\r\n\x1a\n" + chunk)
    assert fixed[-4:] == struct.pack(">I", crc32(b"IDATabc"))


def test_wrap_is_applied_to_a_part_of_the_inputs() -> None:
    inputs = itertools.islice(fuzzing.mutations(SAMPLES, 40, 3, wrap=fuzzing.as_zlib), 40)
    wrapped = sum(data.startswith(b"\x78\x01") for data in inputs)
    assert 5 < wrapped < 35
