"""The benchmark cases run and compute what they say; nothing here asserts a time."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest

import tapeflow as tf
from benchmarks.cases import CASES, UNARY, new_shapes
from benchmarks.curve_cases import CURVES, PREFIX, curve_case, is_measured
from benchmarks.curves import markdown as curve_table
from benchmarks.memory import resident
from benchmarks.memory import row as memory_row
from benchmarks.op_cases import FAMILIES, SIZES, all_expressions, expressions, op_case
from benchmarks.ops import Row, summary
from benchmarks.run import Result, markdown
from benchmarks.scaling import MANY, predicted
from tapeflow._src.core import devices

# Those that compare with Keras on JAX run here what those that compare with Keras on TensorFlow do.
LONG = ("_jax", "resnet_tf", "resnet50", "transformer_tf")
# A process stays with the workers that it has joined.
JOINS = "two_workers"
JOINING = f"""
import math
import tapeflow as tf
from benchmarks.distribution_cases import {JOINS}
step = {JOINS}(tf)
assert math.isfinite(step()) and math.isfinite(step())
"""


def test_a_case_of_several_workers_runs_again_and_again() -> None:
    subprocess.run([sys.executable, "-c", JOINING], check=True, timeout=300)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.slow if n.endswith(LONG) else ())
        for n in CASES
        if n != JOINS
    ],
)
def test_a_case_runs_again_and_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Some cases choose the number of devices, as they may at the start of a program.
    monkeypatch.setattr(devices.placement, "in_use", False)
    monkeypatch.setattr(devices.placement, "logical_cpus", 1)
    step = CASES[name].prepare(tf)
    first, second = step(), step()
    for value in tf.nest.flatten([first, second]):
        array = np.asarray(value)
        assert array.dtype.kind in "OSU" or np.isfinite(array).all()


def test_shapes_never_seen_are_never_seen() -> None:
    shapes = list(new_shapes())
    assert len(set(shapes)) == len(shapes) >= 9 * (CASES["unseen_shapes"].calls or 0) + 5
    assert len(UNARY) + 9 == 30


def test_the_mlp_learns() -> None:
    losses = [float(loss) for loss in itertools.islice(iter(CASES["mlp"].prepare(tf), None), 20)]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    ("ours", "theirs", "limit", "verdict"),
    [
        (1.0, 2.0, None, "met"),
        (1.0, 1.9, None, "missed"),
        (1.0, 2.0, 0.5, "missed"),
        (1.0, None, None, "–"),
    ],
)
def test_verdicts(ours: float, theirs: float | None, limit: float | None, verdict: str) -> None:
    result = Result("add", "addition", ours, theirs, target=2, limit=limit)
    assert result.verdict == verdict
    assert markdown([result]).splitlines()[-1].startswith("| addition |")


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_of_ops_run(family: str) -> None:
    for expression in expressions(family):
        step = op_case(f"{SIZES[0]}: {expression}").prepare(tf)
        assert step() is not None, expression


def test_rows_of_ops_are_many_and_each_stands_once() -> None:
    rows = all_expressions()
    assert len(set(rows)) == len(rows) >= 120


def test_the_summary_counts_rows_above_the_limit() -> None:
    rows = [Row("a", {10: (1.0, 2.0)}), Row("b", {10: (3.0, 2.0)}), Row("c", {10: (1.0, 1.0)})]
    assert summary(rows, [10]) == "10 elements: 3 rows, median 1.00, worst 1.50, 1 above 1.1"


def test_peers_take_part_in_a_curve_up_to_their_limit() -> None:
    assert is_measured("model", "tapeflow", 1000) and is_measured("model", "tensorflow", 500)
    assert not is_measured("model", "tensorflow", 1000)


@pytest.mark.parametrize("key", list(CURVES))
def test_a_curve_runs_at_its_smallest_size(key: str) -> None:
    step = curve_case(f"{PREFIX}{key}/{CURVES[key].sizes[0]}").prepare(tf)
    assert step() is not None and is_measured(key, "tapeflow")


def test_a_step_is_predicted_from_its_computation_latency_and_bytes() -> None:
    alone = {"cnn": 1.0, "cnn gradients": 4e6}
    pair = {**alone, "one": 0.25, "many": 0.25 + 4 * MANY / 8e6}
    assert predicted(alone, alone, "cnn", 1) == 1.0
    assert predicted(pair, alone, "cnn", 2) == pytest.approx(1.0 + 0.25 + 0.5)


def test_a_curve_is_a_table_by_size_and_library() -> None:
    points = {1: {"tapeflow": 1e-6, "tensorflow": 2e-6}, 10: {"tapeflow": 3e-6, "jax": 1e-6}}
    assert curve_table("add", points).splitlines() == [
        "**A + b of n floats, eager**",
        "",
        "| n | Tapeflow | TensorFlow | JAX | ours / TensorFlow |",
        "| --- | --- | --- | --- | --- |",
        "| 1 | 1 µs | 2 µs | – | 0.50 |",
        "| 10 | 3 µs | – | 1 µs | – |",
    ]


def test_memory_is_compared_by_peaks() -> None:
    ours, theirs = {"before": 100.0, "peak": 150.0}, {"before": 300.0, "peak": 600.0}
    assert memory_row("step", ours, theirs) == "| step | 150 MB | 600 MB | 0.25 | 50 MB | 300 MB |"
    assert 0 < resident("VmRSS") <= resident("VmHWM")
