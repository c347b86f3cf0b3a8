"""Where every operation promotes: how dtypes combine, and what stays weak, as recorded."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.api.experimental.numpy.lattice import PromoMode, join
from tests.experimental_numpy.cases import describe
from tests.experimental_numpy.test_recorded import close
from tests.experimental_numpy.weak_cases import CASES, PAIRS, SAFE, names, run

GOLDEN = Path(__file__).parents[1] / "golden" / "experimental_numpy_weak.json"
RECORDED = json.loads(GOLDEN.read_text(encoding="utf-8"))

# What is not as recorded, with the reason.
DEPARTURES = {
    "tf.constant([np.int8(1)])": "as without promotion",
    "tf.matmul([[1.0]],[[2.0]])": "the second operand takes the dtype of the first",
    "tf.constant([[1.,2.]])@tf.constant([[1.],[2.]])": "the second operand is not weak",
    "P<1.5": "comparisons promote, too",
    "tf.less(P,D)": "comparisons promote, too",
    "tf.math.squared_difference(P,F)": "this one promotes, too",
    "tf.nn.dropout([1.0],0.0)": "nothing is dropped of it",
    "B * 2.5": "TensorFlow leaves out what it multiplies by",
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Without the warning that switching comes late, which is what tests do."""
    logger = tf.get_logger()
    before = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(before)


@pytest.mark.parametrize("mode", ["all", "safe"])
def test_eager(mode: str, enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode=mode)
    given = names(tf)
    wrong = [
        f"{case} gives {found}, recorded is {RECORDED[f'{mode}: {case}']}"
        for case in (CASES if mode == "all" else SAFE)
        if not close(found := run(case, given), RECORDED[f"{mode}: {case}"])
        and case not in DEPARTURES
    ]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("mode", ["all", "safe"])
def test_every_pair_of_dtypes(mode: str, enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode=mode)
    given = names(tf)
    wrong = [
        f"{case} gives {found}, recorded is {RECORDED[f'{mode}: {case}']}"
        for case in PAIRS
        if not close(found := run(case, given), RECORDED[f"{mode}: {case}"])
    ]
    assert not wrong, "\n" + "\n".join(wrong)


LATTICE = (Path(__file__).parents[1] / "golden" / "experimental_numpy_lattice.txt").read_text()


def test_the_whole_lattice() -> None:
    """Rows and columns are dtypes, `*` marks weak ones, `-` what a mode refuses."""
    for part in LATTICE.split("== ")[1:]:
        title, *rows = part.strip().splitlines()
        mode = PromoMode[title.strip().upper()]
        kinds = [_kind(row.split()[0]) for row in rows]
        for a, row in zip(kinds, rows, strict=True):
            for b, recorded in zip(kinds, row.split()[1:], strict=True):
                if recorded == "-":
                    with pytest.raises(TypeError, match="not combined in promotion"):
                        join(a, b, mode)
                else:
                    assert join(a, b, mode) == _kind(recorded), (mode, a, b)


def _kind(text: str) -> tuple[tf.DType, bool]:
    return tf.as_dtype(text.rstrip("*")), text.endswith("*")


@pytest.mark.parametrize("compiled", [None, True], ids=["interpreted", "compiled"])
def test_traced(compiled: bool | None, enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")
    given = names(tf)
    without = ("assign", "Variable", "random", "numpy()", "float(", "str(", "np.array(tf", "bool(")
    host = ("'a'", "boolean_mask", "meshgrid", "top_k", "split", "unstack", "[[0]]")
    chosen = [
        case
        for case in CASES
        if isinstance(RECORDED[f"all: {case}"], list)
        and isinstance(RECORDED[f"all: {case}"][1], list)
        and RECORDED[f"all: {case}"][0] not in ("shape", "list", "tuple")
        and not any(word in case for word in without + (host if compiled else ()))
        and case not in DEPARTURES
    ]
    if compiled:
        chosen = chosen[::4]

    @tf.function(autograph=False, jit_compile=compiled)
    def function() -> list[Any]:
        return [eval(case, given) for case in chosen]

    for case, value in zip(chosen, function(), strict=True):
        found = [*describe(value), "weak"] if "weak=True" in repr(value) else describe(value)
        assert close(found, RECORDED[f"all: {case}"], 1e-4), case


def test_arguments_and_results_of_functions_stay_weak(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")
    traces = []

    @tf.function
    def function(x: Any) -> Any:
        traces.append(x)
        return x + 1.5

    weak = function(tf.constant(1))
    assert "dtype=float32, numpy=2.5, weak=True" in repr(weak)
    strong = function(tf.constant(1, tf.int32))
    assert strong.dtype == tf.float64
    assert len(traces) == 2
    function(tf.constant(7))
    assert len(traces) == 2


def test_gradients(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")
    x = tf.constant(2.0)
    variable = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * tf.constant(3, tf.int32) * variable
    by_x, by_variable = tape.gradient(y, [x, variable])
    assert "weak=True" in repr(by_x)
    np.testing.assert_allclose(by_x, 36.0)
    np.testing.assert_allclose(by_variable, 12.0)
    assert by_variable.dtype == tf.float32


def test_gradients_of_ones_own(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")

    @tf.custom_gradient
    def tripled(x: Any) -> Any:
        return 3.0 * x, lambda upstream: 5.0 * upstream

    x = tf.constant(2.0)
    with tf.GradientTape() as outer, tf.GradientTape() as tape:
        outer.watch(x)
        tape.watch(x)
        y = tripled(x) * x
    gradient = tape.gradient(y, x)
    np.testing.assert_allclose([y, gradient], [12.0, 16.0])
    traced = tf.function(lambda x: tripled(x) * x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = traced(x)
    np.testing.assert_allclose(tape.gradient(y, x), 16.0)


def test_jacobians_tangents_and_variables_of_weak_tensors(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    np.testing.assert_allclose(tape.jacobian(y, x), [[2.0, 0.0], [0.0, 4.0]])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
        y = x * x
    np.testing.assert_allclose(accumulator.jvp(y), [2.0, 0.0])
    made: list[Any] = []

    @tf.function
    def function(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(tf.constant(2.0)))
        return made[0] * x

    assert float(function(tf.constant(3.0))) == 6.0


def test_weak_tensors_print_as_others_do(
    enable: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    enable(dtype_conversion_mode="all")
    tf.print(tf.constant(3), tf.constant([1.0, 2.0]), output_stream=sys.stdout)
    assert capsys.readouterr().out == "3 [1 2]\n"


def test_shapes_and_composites_are_taken_as_ever(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")
    assert tf.zeros(tf.constant([2, 3])).shape == (2, 3)
    assert tf.reshape(tf.range(6), tf.constant([3, 2])).shape == (3, 2)
    sparse = tf.sparse.from_dense([[0.0, 2.0]])
    product = tf.fill([1, 2], 3.0) * sparse
    assert tf.sparse.to_dense(product).numpy().tolist() == [[0.0, 6.0]]
    ragged = tf.ragged.constant([[1, 2], [3]])
    assert (ragged + 1).to_list() == [[2, 3], [4]]
    assert tf.stack([tf.constant([1.5], tf.float64), [2]]).dtype == tf.float64
    with pytest.raises(ValueError, match="rank 1 or more"):
        tf.data.Dataset.from_tensor_slices(3)


def test_control_flow_loops_and_datasets_take_them(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")

    @tf.function
    def total(n: Any) -> Any:
        found = 0.0
        for i in tf.range(n):
            if i > 2:
                found += 1.0
            else:
                found += tf.constant(2.0)
        return found

    assert float(total(tf.constant(5))) == 8.0
    chosen = tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2))
    assert int(chosen) == 1
    (last,) = tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)])
    assert int(last) == 3
    dataset = tf.data.Dataset.from_tensor_slices(tf.constant([1, 2, 3])).map(lambda x: x * 2.5)
    assert [float(x) for x in dataset] == [2.5, 5.0, 7.5]


def test_a_weak_tensor_is_a_value_like_others(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")
    weak = tf.constant([1, 2, 3])
    assert tf.is_tensor(weak)
    assert len(weak) == 3 and [int(x) for x in weak] == [1, 2, 3]
    assert repr(copy.deepcopy(weak)) == repr(copy.copy(weak)) == repr(weak)
    assert repr(pickle.loads(pickle.dumps(weak))) == repr(weak)
    assert f"{tf.constant(2.5):.2f}" == "2.50"
    assert tf.nest.flatten({"a": weak})[0] is weak
    with pytest.raises(TypeError, match="unhashable"):
        hash(weak)
    np.testing.assert_array_equal(weak.numpy(), [1, 2, 3])


def test_no_precision_is_lost_on_the_way_to_the_result(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")
    found = tf.constant([1], tf.int32) + 0.1
    assert found.numpy().tolist() == [1.1]


def test_switching_back(enable: Callable[..., None]) -> None:
    enable(dtype_conversion_mode="all")
    enable(dtype_conversion_mode="off")
    assert "weak" not in repr(tf.constant(5))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1) + tf.constant(1.0)
    assert tf.executing_eagerly()
