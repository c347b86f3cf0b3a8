"""Mutation fuzzing of readers: seeded mutations, and a runner with limits of time and memory.

A test names a target (a function of bytes), a few valid samples and a number of inputs:

    check(tf.io.decode_png, [png], count=500, seed=7)

Each input runs in a forked child. An input passes when the target returns, or raises an error of
`tf.errors` or one of the classes in `allowed`. Anything else is a finding: another exception, a
crash, an input that takes longer than `seconds`, or one that needs more than `memory` bytes. The
report holds one shortened input per finding, as Python that runs.
"""

from __future__ import annotations

import binascii
import ctypes
import gzip
import json
import os
import random
import resource
import select
import signal
import struct
import sys
import time
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import tapeflow as tf
from tapeflow._src.core.crc32c import masked_crc32c

Target = Callable[[bytes], object]
Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]

LENGTHS = (0, 1, 2, 127, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
_FORMATS = ("<B", "<H", ">H", "<I", ">I", "<Q", ">Q")
_INTERESTING_BYTES = b"\x00\x01\x7f\x80\xff"

# -- mutations -----------------------------------------------------------------------------------


def flip_bits(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Flip one to eight bits."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwrite_run(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Overwrite a run of up to 16 bytes with one value or with random bytes."""
    start = rng.randrange(len(data) + 1)
    size = rng.randint(1, 16)
    value = rng.choice(_INTERESTING_BYTES)
    run = bytes([value]) * size if rng.random() < 0.5 else rng.randbytes(size)
    return data[:start] + run + data[start + size :]


def truncate(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Keep a prefix."""
    return data[: rng.randrange(len(data) + 1)]


def remove_run(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Remove up to 32 bytes."""
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.randint(1, 32) :]


def insert_bytes(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Insert up to 16 random bytes."""
    start = rng.randrange(len(data) + 1)
    return data[:start] + rng.randbytes(rng.randint(1, 16)) + data[start:]


def duplicate_run(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Repeat a part of the data, once to four times."""
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.randint(1, max(1, len(data) // 2)))
    return data[:end] + data[start:end] * rng.randint(1, 4) + data[end:]


def splice(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Join the head of this sample to the tail of another."""
    other = rng.choice(samples)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def overwrite_length(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Overwrite what may be a length field: one to eight bytes, either byte order, or a varint."""
    value = rng.choice(LENGTHS)
    start = rng.randrange(len(data) + 1)
    if rng.random() < 0.3:
        field_bytes = varint(value)
        return data[:start] + field_bytes + data[start + rng.randint(0, 2) :]
    layout = rng.choice(_FORMATS)
    size = struct.calcsize(layout)
    field_bytes = struct.pack(layout, value & (256**size - 1))
    return data[:start] + field_bytes + data[start + size :]


MUTATIONS: tuple[Mutation, ...] = (
    flip_bits,
    overwrite_run,
    truncate,
    remove_run,
    insert_bytes,
    duplicate_run,
    splice,
    overwrite_length,
)


def varint(value: int) -> bytes:
    """`value` as protobuf writes unsigned integers."""
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def mutations(
    samples: Sequence[bytes],
    count: int,
    seed: int,
    *,
    wrap: Callable[[bytes], bytes] | None = None,
    extra: Sequence[Mutation] = (),
    most: int = 1 << 20,
) -> Iterator[bytes]:
    """Yield `count` mutated samples, the same ones for the same seed.

    Args:
        samples: Valid inputs.
        count: The number of inputs.
        seed: Of the random numbers.
        wrap: Applied to half of the results, for checksums or compression around mutated data,
            so that mutations reach what stands behind them.
        extra: Mutations of this format, tried as often as all others together.
        most: The longest input, in bytes.
    """
    rng = random.Random(seed)
    for _ in range(count):
        data = rng.choice(samples)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            table = extra if extra and rng.random() < 0.5 else MUTATIONS
            data = rng.choice(table)(rng, data, samples)[:most]
        if wrap is not None and rng.random() < 0.5:
            data = wrap(data)
        yield data


# -- wrappers: valid containers around damaged data ------------------------------------------------


def as_zlib(data: bytes) -> bytes:
    return zlib.compress(data, 1)


def as_gzip(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)


def as_record(data: bytes) -> bytes:
    """One TFRecord of the data, with valid checksums."""
    length = struct.pack("<Q", len(data))
    checks = [struct.pack("<I", masked_crc32c(part)) for part in (length, data)]
    return length + checks[0] + data + checks[1]


def with_png_checksums(data: bytes) -> bytes:
    """The PNG file with the checksum of each chunk made right."""
    parts, at = [data[:8]], 8
    while at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        body = data[at + 4 : at + 8 + size]
        parts += [data[at : at + 4], body, struct.pack(">I", binascii.crc32(body))]
        at += 12 + size
    return b"".join([*parts, data[at:]])


# -- running -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """What an input caused: `kind` (exception, crash, time, memory), and where."""

    kind: str
    detail: str
    where: str
    message: str = field(compare=False, default="")
    data: bytes = field(compare=False, default=b"")

    def __str__(self) -> str:
        return (
            f"{self.kind}: {self.detail} at {self.where}\n    {self.message}\n"
            f"    input of {len(self.data)} bytes: {_as_python(self.data)}"
        )


def _as_python(data: bytes) -> str:
    if len(data) <= 400:
        return repr(data)
    return f"zlib.decompress(bytes.fromhex({zlib.compress(data, 9).hex()!r}))"


@dataclass
class Report:
    """Counts by outcome, and one shortened input for each finding."""

    inputs: int = 0
    returned: int = 0
    raised: Counter[str] = field(default_factory=Counter)
    findings: dict[Finding, int] = field(default_factory=dict)

    def add(self, finding: Finding) -> None:
        self.findings[finding] = self.findings.get(finding, 0) + 1

    def __str__(self) -> str:
        classes = ", ".join(f"{name} {count}" for name, count in self.raised.most_common())
        lines = [f"{self.inputs} inputs: {self.returned} returned, raised: {classes or 'none'}"]
        lines += [f"{count} × {finding}" for finding, count in self.findings.items()]
        return "\n".join(lines)


def check(
    target: Target,
    samples: Sequence[bytes],
    count: int,
    seed: int,
    *,
    allowed: tuple[type[BaseException], ...] = (),
    seconds: float = 5.0,
    memory: int = 1 << 30,
    wrap: Callable[[bytes], bytes] | None = None,
    extra: Sequence[Mutation] = (),
) -> Report:
    """Run `count` mutated samples and raise AssertionError with the report if any is a finding.

    Each sample itself must pass first: a target that refuses everything tests nothing.
    """
    for sample in samples:
        target(sample)
    inputs = mutations(samples, count, seed, wrap=wrap, extra=extra)
    report = run(target, inputs, allowed=allowed, seconds=seconds, memory=memory)
    if report.findings:
        raise AssertionError(str(report))
    return report


def run(
    target: Target,
    inputs: Iterable[bytes],
    *,
    allowed: tuple[type[BaseException], ...] = (),
    seconds: float = 5.0,
    memory: int = 1 << 30,
    shorten: bool = True,
) -> Report:
    """Run the target on each input in forked children; a child that dies is replaced.

    Args:
        target: A function of bytes.
        inputs: What to call it with.
        allowed: Exceptions that pass besides those of `tf.errors`.
        seconds: The longest time of one input.
        memory: The most that one input may add to the resident memory. The address space of the
            child is limited to what it has when it starts and twice this.
        shorten: Whether inputs of findings are made shorter.
    """
    report = Report()
    pending = list(inputs)
    report.inputs = len(pending)
    limits = _Limits(allowed, seconds, memory)
    while pending:
        done = 0
        for outcome in _child(target, pending, limits):
            if isinstance(outcome, Finding):
                found = Finding(
                    outcome.kind, outcome.detail, outcome.where, outcome.message, pending[done]
                )
                if shorten and found not in report.findings:
                    found = _shortened(target, found, limits)
                report.add(found)
            elif outcome:
                report.raised[outcome] += 1
            else:
                report.returned += 1
            done += 1
        pending = pending[done:]
    return report


@dataclass(frozen=True)
class _Limits:
    allowed: tuple[type[BaseException], ...]
    seconds: float
    memory: int


class _TooLong(BaseException):
    """Raised by the timer of the child, so that the report says where time was spent."""


def _child(target: Target, inputs: Sequence[bytes], limits: _Limits) -> Iterator[Finding | str]:
    """Yield the outcome of each input up to the first one that ends the child, that included."""
    _return_free_memory()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of forking with threads: the child starts none
        pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            _serve(target, inputs, limits, writing)
        finally:
            os._exit(0)
    os.close(writing)
    finished = 0
    silent = False
    running = True
    try:
        for line in _lines(reading, 2 * limits.seconds + 5):
            if line is None:
                silent = True
                break
            finished += 1
            yield _decoded(line)
        running = silent
    finally:
        if running:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(reading)
    if silent:
        yield Finding("time", f"more than {limits.seconds} s, not interruptible", "compiled code")
    elif finished < len(inputs) and not (finished and _ended_early(status)):
        yield Finding("crash", f"wait status {status}", "the process")


def _return_free_memory() -> None:
    """Return what the heap has to spare to the system, so that growth of a child is seen.

    A long test run leaves free blocks that count as resident already: a child that takes one of
    them does not grow.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _ended_early(status: int) -> bool:
    """Whether the child stopped by itself: it reports its last input, and is then replaced."""
    return os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0


def _lines(reading: int, longest: float) -> Iterator[str | None]:
    """The lines a child writes, or None when it is silent for too long."""
    buffer = b""
    while True:
        ready, _, _ = select.select([reading], [], [], longest)
        if not ready:
            yield None
            return
        chunk = os.read(reading, 1 << 16)
        if not chunk:
            return
        buffer += chunk
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            yield line.decode()


def _decoded(line: str) -> Finding | str:
    record = json.loads(line)
    return record if isinstance(record, str) else Finding(*record)


def _serve(target: Target, inputs: Sequence[bytes], limits: _Limits, writing: int) -> None:
    """Run the inputs in the child and write one line for each."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    space = _address_space() + 2 * limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    signal.signal(signal.SIGALRM, _too_long)
    for data in inputs:
        outcome, last = _outcome(target, data, limits)
        os.write(writing, json.dumps(outcome).encode() + b"\n")
        if last:
            return


def _too_long(*_: object) -> None:
    raise _TooLong


def _address_space() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def _outcome(target: Target, data: bytes, limits: _Limits) -> tuple[object, bool]:
    """What is written for one input, and whether the child is to be replaced after it."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, limits.seconds)
    try:
        target(data)
        outcome: object = ""
    except (tf.errors.OpError, *limits.allowed) as error:
        outcome = type(error).__name__
    except _TooLong as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        spent = f"more than {limits.seconds} s"
        return ("time", spent, _location(error), "interrupted"), True
    except BaseException as error:
        name = f"{type(error).__module__}.{type(error).__name__}"
        outcome = ("exception", name, _location(error), str(error)[:300])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    if grown > limits.memory:
        elapsed = time.monotonic() - started
        message = f"{grown >> 20} MiB in {elapsed:.1f} s, then: {outcome or 'returned'}"
        return ("memory", f"more than {limits.memory >> 20} MiB", "the process", message), True
    return outcome, False


def _location(error: BaseException) -> str:
    """The innermost line of the library that the error passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "tapeflow" in frame.filename] or frames
    return f"{os.path.basename(ours[-1].filename)}:{ours[-1].lineno}" if ours else "unknown"


def _shortened(target: Target, finding: Finding, limits: _Limits, tries: int = 200) -> Finding:
    """The same finding from a shorter input: remove parts as long as the outcome stays the same."""
    if finding.kind in ("time", "memory"):
        tries = 12
    best = finding
    size = len(finding.data) // 2
    while size and tries > 0:
        at = 0
        while at < len(best.data) and tries > 0:
            tries -= 1
            shorter = best.data[:at] + best.data[at + size :]
            outcome = next(iter(_child(target, [shorter], limits)), "")
            if outcome == finding and isinstance(outcome, Finding):
                best = Finding(best.kind, best.detail, best.where, outcome.message, shorter)
            else:
                at += size
        size //= 2
    return best


def main(count: int, targets: dict[str, Callable[[int], Report]]) -> int:
    """Run the named targets with that many inputs each and print the reports; for long runs."""
    findings = 0
    for name, fuzz in targets.items():
        started = time.monotonic()
        report = fuzz(count)
        findings += len(report.findings)
        print(f"{name} ({time.monotonic() - started:.0f} s): {report}", flush=True)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit("import this module: from tests import fuzzing")
