"""`tf.random` draws the numbers TensorFlow draws, and keeps its promises about seeds and state."""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import random_state
from tests.parity.program import digest, execute
from tests.parity.random_programs import PROGRAMS

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "golden" / "random.json").read_text(encoding="utf-8")
)
# Two units in the last place. Integers and uniform numbers agree to the bit.
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2.5e-7, "float64": 5e-16}
# Functions whose last places differ between mathematical libraries, found in the program's text.
INEXACT = {"normal": 0.0, "gamma": 4e-15, "GradientTape": 2e-6, "candidate_sampler": 0.0}


@pytest.fixture(autouse=True)
def _no_global_seed():
    yield
    tf.random.set_seed(None)


def same(ours: Any, theirs: Any, least: float | None) -> bool:
    """Whether two outcomes agree: to the bit, or to `least` and the precision of their dtype."""
    if isinstance(ours, dict) and "values" in ours:
        if ours["shape"] != theirs["shape"] or ours["dtype"] != theirs["dtype"]:
            return False
        if least is None or ours["dtype"] not in TOLERANCE:
            return ours["values"] == theirs["values"]
        rtol = max(least, TOLERANCE[ours["dtype"]])
        return np.allclose(ours["values"], theirs["values"], rtol, atol=0.0)
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k], least) for k in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(same(a, b, least) for a, b in zip(ours, theirs))
    return bool(ours == theirs)


def least_tolerance(code: str) -> float | None:
    return max((value for word, value in INEXACT.items() if word in code), default=None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_are_tensorflows(name: str) -> None:
    record = RECORDED.get(name, {})
    assert record.get("code") == digest(PROGRAMS[name]), (
        "TensorFlow was not asked about this program; where it is installed, run "
        "`python -m tests.parity.record_random`"
    )
    ours = json.loads(json.dumps(execute(PROGRAMS[name], tf)))
    assert same(ours, record["outcome"], least_tolerance(PROGRAMS[name])), (
        f"{ours}\n\n{record['outcome']}"
    )


def test_nothing_stale_is_recorded() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()


# -- seeds and state -------------------------------------------------------------------------


def test_without_seeds_numbers_differ() -> None:
    tf.random.set_seed(None)
    first, second = tf.random.uniform([8]), tf.random.uniform([8])
    assert (first.numpy() != second.numpy()).all()


def test_seeds_the_library_draws_are_not_remembered() -> None:
    tf.random.set_seed(1)
    for _ in range(50):
        tf.random.uniform([2])
        tf.random.learned_unigram_candidate_sampler([[1]], 1, 2, True, 5)
    assert not random_state._streams


def test_threads_share_a_stream_without_overlap() -> None:
    tf.random.set_seed(1)
    expected = [tf.random.uniform([3], seed=7).numpy().tolist() for _ in range(40)]
    tf.random.set_seed(1)
    drawn: list[list[float]] = []

    def draw() -> None:
        drawn.extend(tf.random.uniform([3], seed=7).numpy().tolist() for _ in range(10))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(drawn) == sorted(expected)


def test_a_refused_call_leaves_the_stream_alone() -> None:
    tf.random.set_seed(1)
    expected = [tf.random.uniform([2], seed=3).numpy().tolist() for _ in range(2)]
    tf.random.set_seed(1)
    first = tf.random.uniform([2], seed=3).numpy().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimension -5 must be >= 0"):
        tf.random.uniform([2, -5], seed=3)
    assert [first, tf.random.uniform([2], seed=3).numpy().tolist()] == expected


def test_determinism_demands_seeds() -> None:
    tf.random.set_seed(None)
    random_state.require_determinism(True)
    try:
        with pytest.raises(RuntimeError, match="need a seed"):
            tf.random.uniform([2])
        with pytest.raises(RuntimeError, match="determinism"):
            tf.random.Generator.from_non_deterministic_state()
        tf.random.uniform([2], seed=1)
        tf.random.set_seed(1)
        tf.random.uniform([2])
    finally:
        random_state.require_determinism(False)


# -- generators ------------------------------------------------------------------------------


def test_generators_from_nowhere_differ() -> None:
    make = tf.random.Generator.from_non_deterministic_state
    assert (make().normal([4]).numpy() != make().normal([4]).numpy()).all()
    tf.random.set_global_generator(None)
    shared = tf.random.get_global_generator()
    assert shared is tf.random.get_global_generator()


@pytest.mark.parametrize("arguments", [{}, {"state": [1, 2, 3]}, {"alg": "philox"}])
def test_a_generator_needs_a_state_and_an_algorithm(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Generator: give both `state` and `alg`"):
        tf.random.Generator(**arguments)


def test_a_generator_is_copied_or_made() -> None:
    generator = tf.random.Generator.from_seed(1)
    with pytest.raises(ValueError, match="either `copy_from`"):
        tf.random.Generator(generator, alg="philox")


# -- candidates ------------------------------------------------------------------------------


def test_weights_from_a_file(tmp_path: Path) -> None:
    weights = [1.0, 2.0, 3.0, 4.0]
    file = tmp_path / "vocabulary.csv"
    file.write_text("".join(f"word{i},{w}\n" for i, w in enumerate(weights)), encoding="utf-8")
    from_file = tf.random.fixed_unigram_candidate_sampler(
        [[1]], 1, 9, False, 4, vocab_file=str(file), seed=1
    )
    listed = tf.random.fixed_unigram_candidate_sampler(
        [[1]], 1, 9, False, 4, unigrams=weights, seed=1
    )
    np.testing.assert_array_equal(from_file.sampled_candidates, listed.sampled_candidates)
    file.write_text("word,many\n", encoding="utf-8")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong vocabulary format"):
        tf.random.fixed_unigram_candidate_sampler([[0]], 1, 1, False, 1, vocab_file=str(file))


def test_learned_candidates_follow_what_was_seen() -> None:
    tf.random.set_seed(1)
    for _ in range(300):
        drawn = tf.random.learned_unigram_candidate_sampler([[3]], 1, 20, False, 5, seed=2)
    counts = Counter(drawn.sampled_candidates.numpy().tolist())
    assert counts[3] >= 18
    np.testing.assert_allclose(drawn.true_expected_count, [[20 * 300 / 304]], rtol=1e-6)


# -- bad input -------------------------------------------------------------------------------


def test_errors_of_random_ops_name_the_op() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Need minval < maxval.*RandomUniformInt"
    ):
        tf.random.uniform([2], 5, 5, tf.int32)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"logits should be a matrix.*Multinomial"
    ):
        tf.random.categorical([1.0, 2.0], 3)
    assert tf.random.gamma([0], tf.zeros([0])).shape == (0, 0)


def test_indices_that_are_shuffled_are_not_negative() -> None:
    for index, largest in ((-1, 10), (0, -1), (11, 10)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be >="):
            tf.random.experimental.index_shuffle(index, [1, 2], largest)


def test_graphs_have_seeds_of_their_own() -> None:
    def drawn(seed: int | None) -> list[float]:
        with tf.Graph().as_default() as graph:
            assert graph.seed is None
            if seed is not None:
                tf.random.set_seed(seed)
            numbers = tf.random.normal([4]), tf.function(lambda: tf.random.normal([4]))()
            with tf.compat.v1.Session(graph=graph) as session:
                return np.concatenate(session.run(numbers)).tolist()

    tf.random.set_seed(5)
    assert drawn(7) == drawn(7)
    first, second = drawn(None), drawn(None)
    assert first[:4] != second[:4]
    assert first[4:] != second[4:]


@pytest.mark.parametrize("mode", ["eager", "traced", "compiled"])
def test_infinite_rates_give_infinite_counts(mode: str) -> None:
    def counts(rate: tf.Tensor) -> tf.Tensor:
        return tf.random.stateless_poisson([3, 2], [1, 2], rate, dtype=tf.float32)

    call = counts if mode == "eager" else tf.function(counts, jit_compile=mode == "compiled")
    found = call(tf.constant([np.inf, 20.0])).numpy()
    assert np.isinf(found[:, 0]).all()
    assert (found[:, 1] < 100).all()
    assert np.isinf(tf.random.poisson([2], [np.inf])).all()


def test_integers_are_drawn_between_both_bounds_or_from_all():
    generator = tf.random.Generator.from_seed(1)
    draws = (
        lambda **bounds: tf.random.stateless_uniform([3], [1, 2], **bounds),
        lambda **bounds: generator.uniform([3], **bounds),
    )
    for draw in draws:
        for one in ({"minval": 1}, {"minval": None, "maxval": 3}):
            with pytest.raises(ValueError, match="both minval and maxval"):
                draw(dtype=tf.int32, **one)
        assert draw(minval=None, dtype=tf.int64).dtype == tf.int64
        assert ((draw(minval=2, maxval=4, dtype=tf.int32).numpy() // 2) == 1).all()
        assert (draw(minval=0.25).numpy() >= 0.25).all()
    with pytest.raises(ValueError, match="uint32"):
        tf.random.stateless_uniform([3], [1, 2], 0, 4, tf.uint32)
    with pytest.raises(ValueError, match="maxval"):
        tf.random.uniform([3], dtype=tf.int32)
