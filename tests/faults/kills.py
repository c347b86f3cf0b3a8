"""Kills writers of files at random moments, and looks at what they leave.

    python -m tests.faults.kills 500 --seed 7

Each round forks a child that writes generation after generation into a fresh folder, and ends it
with SIGKILL: after a random time, or at a random call to the operating system. What is then read
must be one whole generation, not older than the last one whose writer had returned. After that one
more generation is written: it must be read, and nothing may be left of the killed writer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import tapeflow as tf
from tests.faults.writers import WRITERS, Writer

_RECORD = struct.Struct("<Bq")
_BEGUN, _DONE = 0, 1
# Calls to the operating system that change files; a kill comes just before one of them.
_EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.truncate", "os.listdir")


@dataclass
class Report:
    """What became of the kills of one writer."""

    kills: int = 0
    during_a_write: int = 0
    kept_old: int = 0
    kept_new: int = 0
    losses: list[str] = field(default_factory=list)


def kill_writer(make: Callable[[Path], Writer], count: int, rng: random.Random) -> Report:
    """Kill a writer `count` times."""
    report = Report()
    duration, steps = _measure(make)
    for number in range(count):
        with _folder() as folder:
            try:
                _round(make(folder), rng, report, duration, steps)
            except Exception as error:
                report.losses.append(f"kill {number}: {type(error).__name__}: {error}")
    return report


class _folder(tempfile.TemporaryDirectory[str]):
    def __enter__(self) -> Path:  # type: ignore[override]
        return Path(super().__enter__()) / "files"


def _measure(make: Callable[[Path], Writer]) -> tuple[float, int]:
    """The seconds and the calls that one generation takes."""
    with _folder() as folder:
        writer = make(folder)
        writer.write(0)
        started = time.perf_counter()
        writer.write(1)
        duration = time.perf_counter() - started
        if writer.read() != {1}:
            raise AssertionError(f"{type(writer).__name__} does not read what it writes")
    with _folder() as folder:
        writer, calls = make(folder), Counter[str]()
        writer.write(0)
        child = os.fork()
        if child == 0:
            sys.addaudithook(lambda event, _: calls.update((event,)))
            writer.write(1)
            os._exit(min(255, sum(calls[event] for event in _EVENTS)))
        _, status = os.waitpid(child, 0)
        return duration, os.waitstatus_to_exitcode(status)


def _round(writer: Writer, rng: random.Random, report: Report, duration: float, steps: int) -> None:
    """One kill."""
    writer.write(0)
    expected = writer.files()
    at_step = rng.randint(1, 2 * steps) if steps and rng.random() < 0.5 else None
    begun, done = _killed(writer, at_step, rng.uniform(0.0, 2.5 * duration))
    report.kills += 1
    report.during_a_write += begun > done
    generations = writer.read()
    if len(generations) != 1:
        raise AssertionError(f"generations {sorted(generations)} are mixed")
    (kept,) = generations
    if not done <= kept <= begun:
        raise AssertionError(f"generation {kept} was read; {done} was done, {begun} begun")
    if begun > done:
        report.kept_new += kept == begun
        report.kept_old += kept != begun
    # As a program does that goes on with what it has read.
    writer.write(kept + 1)
    if writer.read() != {kept + 1}:
        raise AssertionError("the next generation was not read")
    left = writer.files() - expected - writer.files_of(kept + 1)
    if left:
        raise AssertionError(f"files are left: {sorted(left)}")


def _killed(writer: Writer, at_step: int | None, after: float) -> tuple[int, int]:
    """Write in a child until it is killed; the generations that were begun and done last."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _write_for_ever(writer, writing, at_step)
    os.close(writing)
    last = {_BEGUN: 0, _DONE: 0}
    with os.fdopen(reading, "rb") as pipe:
        kind, generation = _RECORD.unpack(pipe.read(_RECORD.size))
        last[kind] = generation
        if at_step is None:
            time.sleep(after)
            os.kill(child, signal.SIGKILL)
        while record := pipe.read(_RECORD.size):
            kind, generation = _RECORD.unpack(record)
            last[kind] = generation
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
        raise AssertionError(f"the writer ended by itself, with status {status}")
    return last[_BEGUN], last[_DONE]


def _write_for_ever(writer: Writer, pipe: int, at_step: int | None) -> None:
    left = [at_step or 0]

    def kill_at_step(event: str, _: object) -> None:
        if event in _EVENTS:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    if at_step is not None:
        sys.addaudithook(kill_at_step)
    try:
        generation = 1
        while True:
            os.write(pipe, _RECORD.pack(_BEGUN, generation))
            writer.write(generation)
            os.write(pipe, _RECORD.pack(_DONE, generation))
            generation += 1
    except BaseException as error:
        print(f"{type(writer).__name__}: {error!r}", file=sys.stderr, flush=True)
    finally:
        os._exit(1)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int, help="kills in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--writers", nargs="*", default=sorted(WRITERS))
    arguments = parser.parse_args()
    tf.get_logger().setLevel("ERROR")
    each = -(-arguments.count // len(arguments.writers))
    losses = 0
    for name in arguments.writers:
        report = kill_writer(WRITERS[name], each, random.Random(f"{arguments.seed} {name}"))
        losses += len(report.losses)
        print(json.dumps({"writer": name, **vars(report)}), flush=True)
    return 1 if losses else 0


if __name__ == "__main__":
    sys.exit(main())
