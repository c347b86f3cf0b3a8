"""Runs random programs in every mode and compares: `python -m tests.conformance.random_runs`.

Modes may round differently, compiled code flushes subnormal numbers, and it adds to products that
were not rounded (fused), nor therefore overflowed. A difference that is larger than a few units in
the last place counts only if eager execution does not show it too when every rounded result is
perturbed a little or subnormal numbers are flushed. Where eager execution overflows, the difference
must also be there when the largest numbers are replaced by smaller ones. Decision 0031 says why.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import platform
import random
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest import mock

import numpy as np

import tapeflow as tf
from tapeflow._src.eager import mode as eager_mode
from tapeflow._src.executors import tiers
from tests.conformance.harness import Outcome, error_class
from tests.conformance.random_programs import Perturb, RandomProgram, compose, load

MODES = ("interpreted", "hot", "jit")
CALLS = 2
PERTURBED_RUNS = 10
# Relative tolerance: a few units in the last place, and what series of functions differ by.
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-5, "float64": 1e-12}
# The smallest normal numbers.
SMALLEST = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}
_FTZ_DAZ = 0x8040


def run(
    program: RandomProgram,
    mode: str,
    perturb: Perturb = lambda value: value,
    prepare: Perturb = lambda value: value,
    flush: bool = False,
) -> list[Outcome]:
    """What two calls of the program return in a mode; `prepare` may change its arguments."""
    with _tier(mode):
        function, arguments = load(program.text)(tf, perturb)
        arguments = tuple(map(prepare, arguments))
        function = _wrapped(function, mode, program.branches)
        with flushing() if flush else nullcontext():
            return [_call(function, arguments) for _ in range(CALLS)]


def run_together(programs: Sequence[RandomProgram], mode: str) -> list[list[Outcome]] | None:
    """The same for programs as one function, which is compiled once; None if it fails."""
    calls = ", ".join(f"f{i}(*groups[{i}])" for i in range(len(programs)))
    with _tier(mode):
        made = [load(program.text)(tf, lambda value: value) for program in programs]
        functions = "".join(f"    f{i} = functions[{i}]\n" for i in range(len(programs)))
        text = f"def make(functions):\n{functions}    return lambda *groups: [{calls}]\n"
        converts = any(program.branches for program in programs)
        function = _wrapped(load(text)([f for f, _ in made]), mode, converts)
        try:
            results = [function(*(arguments for _, arguments in made)) for _ in range(CALLS)]
        except Exception:
            return None
        return [[Outcome("", _arrays(call[i])) for call in results] for i in range(len(programs))]


@contextmanager
def _tier(mode: str) -> Iterator[None]:
    """In the mode "hot", functions are compiled after their first call."""
    if mode != "hot":
        yield
        return
    with (
        mock.patch.object(tiers, "determinism_required", lambda: True),
        mock.patch.object(tiers, "DETERMINISTIC_CALL", 2),
        mock.patch.object(tiers, "DETERMINISTIC_NODES", 1),
    ):
        yield


def _wrapped(function: Any, mode: str, converts: bool) -> Any:
    if mode == "eager":
        return function
    compiled = {"interpreted": False, "hot": None, "jit": True}[mode]
    return tf.function(function, jit_compile=compiled, autograph=converts)


def _call(function: Any, arguments: Sequence[Any]) -> Outcome:
    try:
        return Outcome("", _arrays(function(*arguments)))
    except TypeError:
        # A dtype that an op does not take: found while tracing, or by the kernel.
        return Outcome("Invalid")
    except Exception as error:
        return Outcome(error_class(error))


def _arrays(results: Sequence[Any]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(result) for result in results)


# -- comparing ---------------------------------------------------------------------------------


def differences(program: RandomProgram, other: list[Outcome], eager: list[Outcome]) -> list[str]:
    """In what the outcomes differ beyond rounding and flushed subnormal numbers."""
    suspects = _differing(other, [eager])
    if not suspects:
        return []
    runs = [eager, *_explanations(program)]
    return _differing(other, runs)


def _differing(other: list[Outcome], runs: list[list[Outcome]]) -> list[str]:
    messages = []
    for call, outcome in enumerate(other):
        allowed = [run[call] for run in runs]
        errors = {candidate.error for candidate in allowed}
        if outcome.error or errors != {""}:
            if outcome.error not in errors:
                expected, received = allowed[0].error or "no error", outcome.error or "no error"
                messages.append(f"call {call}: expected {expected}, received {received}")
            continue
        for i, value in enumerate(outcome.values):
            candidates = [candidate.values[i] for candidate in allowed]
            if not _explained(value, candidates):
                messages.append(
                    f"call {call}, result {i}: expected {candidates[0]!r}, received {value!r}"
                )
    return messages


def _explained(value: np.ndarray, candidates: list[np.ndarray], size: Any = 0.0) -> bool:
    """Whether each element lies where those of the candidates do.

    size: what the elements are rounded relative to, if that is larger than they are.
    """
    fitting = [c for c in candidates if c.shape == value.shape and c.dtype == value.dtype]
    if not fitting or value.dtype == object:
        return False
    if value.dtype.kind == "c":
        size = np.nan_to_num(np.max(np.abs(fitting), axis=0), posinf=0.0, neginf=0.0)
        parts = ((value.real, [c.real for c in fitting]), (value.imag, [c.imag for c in fitting]))
        return all(_explained(part, others, size) for part, others in parts)
    if value.dtype == bool:
        return bool(np.all(np.any([value == c for c in fitting], axis=0)))
    if value.dtype.kind in "iu":
        low, high = np.min(fitting, axis=0), np.max(fitting, axis=0)
        return bool(np.all((low <= value) & (value <= high)))
    tolerance = TOLERANCE[value.dtype.name]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all of an element are NaN
        stacked = np.stack(fitting).astype(np.float64)
        wide = value.astype(np.float64)
        low, high = np.nanmin(stacked, axis=0), np.nanmax(stacked, axis=0)
        spread = np.where(np.isfinite(high - low), high - low, 0.0)
        margin = 2 * spread + tolerance * np.maximum(size, np.maximum(abs(low), abs(high)))
        # Numbers of size one cancel in gradients of a softmax and in the tails of functions.
        margin = margin + (tolerance / 4 if len(fitting) > 1 else SMALLEST[value.dtype.name])
        # Beside an infinity, a subnormal number still counts as zero.
        margin = np.where(np.isfinite(margin), margin, SMALLEST[value.dtype.name])
        inside = (low - margin <= wide) & (wide <= high + margin)
        inside |= (wide == low) | (wide == high)
        nan = np.isnan(wide) & np.any(np.isnan(stacked), axis=0)
    return bool(np.all(inside | nan))


def _explanations(program: RandomProgram) -> Iterator[list[Outcome]]:
    """What eager execution returns when it rounds otherwise, or flushes subnormal numbers."""
    yield run(program, "eager", _flushed, _flushed, flush=True)
    yield run(program, "eager", flush=True)
    for seed in range(PERTURBED_RUNS // 2):
        yield run(program, "eager", _perturbation(seed), _flushed, flush=True)
        yield run(program, "eager", _perturbation(seed))
    # Comparisons, bits and some functions see a subnormal number where arithmetic sees zero.
    yield run(program, "eager", _flushed)
    for seed in range(PERTURBED_RUNS // 2):
        sometimes = _at_random(seed, _flushed)
        yield run(program, "eager", sometimes, sometimes)
    yield run(program, "eager", _cancelled)


def _flushed(value: Any) -> Any:
    if value.dtype.is_complex:
        return tf.complex(_flushed(tf.math.real(value)), _flushed(tf.math.imag(value)))
    if not value.dtype.is_floating:
        return value
    subnormal = tf.abs(value) < tf.constant(SMALLEST[value.dtype.name], value.dtype)
    return tf.where(subnormal, value * tf.zeros([], value.dtype), value)


def _cancelled(value: Any) -> Any:
    """Complex numbers with 0 for a part that is no larger than the rounding of the other."""
    if not value.dtype.is_complex:
        return value
    real, imag = tf.math.real(value), tf.math.imag(value)
    rounding = tf.abs(value) * tf.constant(TOLERANCE[real.dtype.name], real.dtype)
    parts = [tf.where(tf.abs(p) < rounding, tf.zeros_like(p), p) for p in (real, imag)]
    return tf.complex(*parts)


def _at_random(seed: int, change: Perturb) -> Perturb:
    rng = random.Random(seed)
    return lambda value: change(value) if rng.random() < 0.5 else value


def _perturbation(seed: int) -> Perturb:
    rng = random.Random(seed)

    def perturb(value: Any) -> Any:
        if not (value.dtype.is_floating or value.dtype.is_complex):
            return value
        size = TOLERANCE[value.dtype.real_dtype.name]
        if value.dtype.is_floating:
            return value * tf.constant(1 + rng.choice([-1, 1]) * size, value.dtype)
        # Parts of complex numbers are rounded relative to the modulus.
        modulus = tf.abs(value)
        modulus = tf.where(tf.math.is_finite(modulus), modulus, tf.zeros_like(modulus))
        change = complex(rng.choice([-1, 1]) * size, rng.choice([-1, 1]) * size)
        return value + tf.cast(modulus, value.dtype) * tf.constant(change, value.dtype)

    return perturb


def overflows(program: RandomProgram) -> bool:
    """Whether a result of its eager run is infinite because it is too large."""
    seen: list[str] = []

    def record(handling: Any) -> Any:
        state = np.errstate(all="ignore", over="call", call=lambda kind, flag: seen.append(kind))
        state.__enter__()
        return state

    def leave(state: Any) -> None:
        state.__exit__(None, None, None)

    with (
        mock.patch.object(eager_mode, "set_errors", record),
        mock.patch.object(eager_mode, "unsilence", leave),
    ):
        run(program, "eager")
    return bool(seen)


@contextmanager
def flushing() -> Iterator[None]:
    """Subnormal numbers are zero here, as in compiled code: on x86 with glibc."""
    library = (
        ctypes.PyDLL(ctypes.util.find_library("m")) if platform.machine() == "x86_64" else None
    )
    if library is None or not hasattr(library, "fesetmode"):
        yield
        return
    before, after = (ctypes.c_uint32 * 2)(), (ctypes.c_uint32 * 2)()
    library.fegetmode(before)
    after[:] = before[0], before[1] | _FTZ_DAZ
    library.fesetmode(after)
    try:
        yield
    finally:
        library.fesetmode(before)


# -- many programs -----------------------------------------------------------------------------


def check(seeds: Sequence[int], size: int = 40) -> list[str]:
    """Reports of all disagreements among the programs of the seeds, shortened."""
    programs = [compose(seed) for seed in seeds]
    eager = {program.seed: run(program, "eager") for program in programs}
    reports: list[str] = []
    for mode in MODES:
        for group in _groups(programs, eager, mode, size):
            together = run_together(group, mode) if len(group) > 1 else None
            for i, program in enumerate(group):
                outcomes = run(program, mode) if together is None else together[i]
                if differences(program, outcomes, eager[program.seed]):
                    report = _report(program, mode)
                    reports += [report] if report else []
    return reports


def _groups(
    programs: Sequence[RandomProgram], eager: dict[int, list[Outcome]], mode: str, size: int
) -> Iterator[list[RandomProgram]]:
    """Programs that run as one function: those that fail run alone."""
    group: list[RandomProgram] = []
    for program in sorted(programs, key=lambda program: program.branches):
        if program.host and mode == "jit":
            continue
        if program.alone or any(o.error for o in eager[program.seed]):
            yield [program]
        else:
            group.append(program)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def _report(program: RandomProgram, mode: str) -> str:
    """The shortest program that still disagrees, and in what; empty if none does when alone."""

    def disagreement(candidate: RandomProgram) -> list[str]:
        if not candidate.returned:
            return []
        return differences(candidate, run(candidate, mode), run(candidate, "eager"))

    if not disagreement(program):
        return ""
    if overflows(program) and not disagreement(program.with_smaller_numbers()):
        return ""
    shorter = True
    while shorter:
        shorter = False
        for statement in reversed(program.statements):
            candidate = program.without(statement.name)
            if disagreement(candidate):
                program, shorter = candidate, True
                break
    found = "\n".join(disagreement(program))
    return f"seed {program.seed}, {mode}:\n{program.text}{found}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--chunk", type=int, default=60)
    options = parser.parse_args()
    warnings.simplefilter("error", RuntimeWarning)  # no mode warns of what it computes
    total = 0
    for start in range(options.start, options.start + options.count, options.chunk):
        end = min(start + options.chunk, options.start + options.count)
        reports = check(range(start, end))
        total += len(reports)
        print("\n".join([*reports, f"programs {start} to {end}: {total} so far"]), flush=True)


if __name__ == "__main__":
    main()
