"""Functions and generators in replicas: each replica has traces and a stream of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ON_READ = tf.VariableSynchronization.ON_READ
FIRST = tf.VariableAggregation.ONLY_FIRST_REPLICA


pytestmark = pytest.mark.usefixtures("logical_devices")


def mirrored(count: int = 2) -> Any:
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])


def values(strategy: Any, value: Any) -> list[Any]:
    return [np.asarray(v).tolist() for v in strategy.experimental_local_results(value)]


def index() -> Any:
    return tf.distribute.get_replica_context().replica_id_in_sync_group


# -- traces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("outer", ["eager", "traced", "compiled"])
def test_a_function_called_within_replicas_is_traced_for_each(outer: str) -> None:
    strategy = mirrored()
    number = tf.function(lambda: index() + 1)

    def all_replicas() -> Any:
        return strategy.run(lambda: number() * 10)

    if outer != "eager":
        all_replicas = tf.function(all_replicas, jit_compile=outer == "compiled")
    assert values(strategy, all_replicas()) == [10, 20]
    assert values(strategy, all_replicas()) == [10, 20]


def test_a_function_called_within_replicas_changes_the_value_of_its_replica() -> None:
    strategy = mirrored()
    with strategy.scope():
        total = tf.Variable(0.0, synchronization=ON_READ, aggregation=tf.VariableAggregation.SUM)
    add = tf.function(lambda x: total.assign_add(x))
    strategy.run(lambda: add(tf.cast(index(), tf.float32) + 1.0))
    assert [float(part) for part in total.values] == [1.0, 2.0]
    with pytest.raises(ValueError, match="not defined across replicas"):
        add(tf.constant(1.0))


def test_traces_of_replicas_do_not_count_as_retracing(caplog: pytest.LogCaptureFixture) -> None:
    strategy = mirrored(4)
    step = tf.function(lambda x: x + 1)
    strategy.run(lambda: step(tf.constant(1)))
    strategy.run(lambda: step(tf.constant(1)))
    assert step.experimental_get_tracing_count() == 4
    assert not caplog.records


def test_one_replica_shares_no_trace_with_its_surroundings() -> None:
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    inside = tf.function(lambda: tf.distribute.in_cross_replica_context())
    with strategy.scope():
        assert bool(inside())
        assert not bool(strategy.run(inside))


def test_a_saved_function_has_the_values_of_the_first_replica(tmp_path: Path) -> None:
    strategy = mirrored()

    class Counter(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = tf.Variable(0, synchronization=ON_READ, aggregation=FIRST)

        @tf.function
        def next(self) -> Any:
            self.count.assign_add(1)
            return self.count.read_value()

    with strategy.scope():
        counter = Counter()
    assert values(strategy, strategy.run(lambda: counter.next())) == [1, 1]
    tf.saved_model.save(counter, tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    assert [int(loaded.next()), int(loaded.next())] == [2, 3]
    assert int(counter.count) == 1


# -- generators ------------------------------------------------------------------------------------

# What TensorFlow 2.21 draws from the seed 1 on two and three devices.
NORMALS = [[-0.8793044686317444, 1.468078851699829], [0.020661573857069016, 1.9473345279693604]]
UNIFORMS = [[0.8676568269729614, 0.6973698139190674], [0.9606653451919556, 0.42715609073638916]]
ACROSS = [0.9552903771400452, -0.521257758140564]
INTEGERS = [
    [11640182588134949798, 16479484407965096674],
    [4597341404097351072, 2565400375874236760],
]
ALONE = [0.43842274, 1.6272374]


def test_streams_of_replicas_are_those_of_tensorflow() -> None:
    strategy = mirrored()
    with strategy.scope():
        generator = tf.random.Generator.from_seed(1)
    drawn = strategy.run(lambda: generator.normal([2]))
    np.testing.assert_allclose(values(strategy, drawn), NORMALS, 1e-5)
    traced = tf.function(lambda: strategy.run(lambda: generator.uniform([2])))
    np.testing.assert_allclose(values(strategy, traced()), UNIFORMS, 1e-5)
    function = tf.function(lambda: generator.uniform_full_int([2]))
    assert values(strategy, strategy.run(function)) == INTEGERS
    assert [part.numpy().tolist() for part in generator.state.values] == [[1537, 0, 0]] * 2


def test_drawing_across_replicas_moves_all_states_on() -> None:
    strategy = mirrored()
    with strategy.scope():
        generator = tf.random.Generator.from_seed(1)
        plain = tf.random.Generator.from_seed(1)
        np.testing.assert_array_equal(generator.normal([2]), plain.normal([2]))
    np.testing.assert_array_equal(generator.normal([2]), plain.normal([2]))
    assert [part.numpy().tolist() for part in generator.state.values] == [[1025, 0, 0]] * 2
    assert values(strategy, strategy.run(lambda: generator.binomial([1], 9.0, 0.5)))


def test_a_checkpoint_continues_the_streams_of_another_number_of_replicas(tmp_path: Path) -> None:
    first, second = mirrored(2), mirrored(3)
    with first.scope():
        generator = tf.random.Generator.from_seed(1)
    first.run(lambda: generator.normal([2]))
    path = tf.train.Checkpoint(generator=generator).write(tmp_path / "checkpoint")
    expected = values(first, first.run(lambda: generator.normal([])))
    with second.scope():
        restored = tf.random.Generator.from_seed(5)
    tf.train.Checkpoint(generator=restored).restore(path)
    drawn = values(second, second.run(lambda: restored.normal([])))
    assert drawn[:2] == expected and len(set(drawn)) == 3


def test_a_generator_of_no_strategy_is_used_by_the_replicas_in_turn() -> None:
    strategy = mirrored()
    generator = tf.random.Generator.from_seed(1)
    drawn = strategy.run(lambda: generator.normal([]))
    np.testing.assert_allclose(values(strategy, drawn), ALONE, 1e-5)


def test_a_generator_of_another_strategy_is_refused() -> None:
    with mirrored().scope():
        generator = tf.random.Generator.from_seed(1)
    with mirrored().scope(), pytest.raises(RuntimeError, match="another strategy"):
        generator.normal([])


def test_a_saved_generator_continues_from_its_state(tmp_path: Path) -> None:
    class Drawing(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.generator = tf.random.Generator.from_seed(0)

        @tf.function
        def __call__(self) -> Any:
            return self.generator.normal([])

    strategy = mirrored()
    with strategy.scope():
        module = Drawing()
    strategy.run(module)
    tf.saved_model.save(module, tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    # TensorFlow 2.21 draws the same.
    np.testing.assert_allclose(float(loaded()), -1.0359411, 1e-5)
