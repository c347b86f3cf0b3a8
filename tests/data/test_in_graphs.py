"""Datasets and iterators in functions: as arguments, in loops, made and returned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.data.helpers import Dataset, elements


def test_one_trace_for_datasets_of_one_spec() -> None:
    @tf.function
    def total(dataset: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    assert int(total(Dataset.range(5))) == 10
    assert int(total(Dataset.range(100).filter(lambda x: x > 97))) == 197
    assert int(total(Dataset.range(0))) == 0
    assert total.experimental_get_tracing_count() == 1


def test_a_loop_is_a_scan_and_a_reduction() -> None:
    @tf.function
    def total(dataset: Any) -> Any:
        found = tf.constant(0)
        for x, y in dataset:
            found += tf.abs(y - x)
        return found

    dataset = Dataset.from_tensor_slices(([1, 2], [5, 4]))
    graph = total.get_concrete_function(dataset).graph
    assert [node.op for node in graph.as_graph_def().node] == [
        *("Placeholder", "Const", "ScanDataset", "ReduceDataset", "Identity", "NoOp"),
    ]
    assert int(total(dataset)) == 6


def test_loops_that_are_left() -> None:
    @tf.function
    def first_above(dataset: Any, bound: Any) -> Any:
        steps = 0
        for x in dataset:
            steps += 1
            if x == 1:
                continue
            if x > bound:
                break
        return steps

    assert int(first_above(Dataset.range(10), 3)) == 5
    assert int(first_above(Dataset.range(10), 30)) == 10

    @tf.function
    def returned(dataset: Any) -> Any:
        for x in dataset:
            if x > 2:
                return x
        return tf.constant(-1, tf.int64)

    assert int(returned(Dataset.range(5))) == 3
    assert int(returned(Dataset.range(2))) == -1


def test_a_loop_over_an_iterator_leaves_the_rest() -> None:
    @tf.function
    def up_to(iterator: Any, bound: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for x in iterator:
            total += x
            if x >= bound:
                break
        return total

    iterator = iter(Dataset.range(6))
    assert int(up_to(iterator, tf.constant(2, tf.int64))) == 3
    assert int(next(iterator)) == 3
    assert int(up_to(iterator, tf.constant(9, tf.int64))) == 9


def test_shapes_may_change_in_a_loop() -> None:
    @tf.function
    def gathered(dataset: Any) -> Any:
        found = tf.zeros([0], tf.int64)
        for x in dataset:
            found = tf.concat([found, [x]], 0)
        return found

    assert gathered(Dataset.range(3)).numpy().tolist() == [0, 1, 2]


def test_lists_and_arrays_in_a_loop() -> None:
    @tf.function
    def squares(dataset: Any) -> Any:
        found = []
        array = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for place, x in enumerate(dataset):
            found.append(x * x)
            array = array.write(tf.cast(place, tf.int32), -x)
        return tf.stack(found), array.stack()

    both = squares(Dataset.range(4))
    assert [t.numpy().tolist() for t in both] == [[0, 1, 4, 9], [0, -1, -2, -3]]


def test_effects_and_gradients_in_a_loop() -> None:
    weight = tf.Variable(1.0)

    @tf.function
    def train(dataset: Any) -> Any:
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = (weight * x - y) ** 2
            weight.assign_sub(0.1 * tape.gradient(loss, weight))
        return weight.read_value()

    inputs = np.array([1.0, 0.5, 2.0], np.float32)
    expected = 1.0
    for x in inputs:
        expected -= 0.1 * 2 * (expected * x - 3 * x) * x
    found = train(Dataset.from_tensor_slices((inputs, 3 * inputs)))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(weight, expected, rtol=1e-5)


def test_a_loop_without_variables(capfd: Any) -> None:
    @tf.function
    def show(dataset: Any) -> None:
        for x in dataset:
            tf.print("seen", x)

    show(Dataset.range(2))
    assert capfd.readouterr().err == "seen 0\nseen 1\n"


def test_the_order_of_effects_around_a_loop() -> None:
    variable = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def reads(dataset: Any) -> Any:
        before = variable.read_value()
        for x in dataset:
            variable.assign_add(x)
        middle = variable.read_value()
        variable.assign(100)
        for x in dataset:
            variable.assign_sub(x)
        return before, middle, variable.read_value()

    assert [int(v) for v in reads(Dataset.range(4))] == [0, 6, 94]
    assert [int(v) for v in reads(Dataset.range(4))] == [94, 100, 94]


def test_datasets_made_in_a_function() -> None:
    @tf.function
    def sum_of_evens(stop: Any, tensor: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for x in Dataset.range(stop).filter(lambda x: x % 2 == 0):
            total += x
        products = Dataset.from_tensor_slices(tensor).map(lambda y: y * total).batch(2)
        return total + products.reduce(np.int64(0), lambda s, y: s + tf.reduce_sum(y))

    stop = tf.constant(7, tf.int64)
    assert int(sum_of_evens(stop, tf.constant([1, 2], tf.int64))) == 12 + 36
    assert int(sum_of_evens(tf.constant(3, tf.int64), tf.constant([1, 1], tf.int64))) == 6


def test_datasets_from_outside_and_back() -> None:
    outside = Dataset.range(3)

    @tf.function
    def mapped(factor: Any) -> Any:
        return outside.map(lambda x: x * factor).batch(2)

    assert elements(mapped(tf.constant(5, tf.int64))) == [[0, 5], [10]]


def test_next_in_a_function() -> None:
    @tf.function
    def take(iterator: Any) -> Any:
        return next(iterator), iterator.get_next()

    iterator = iter(Dataset.range(5))
    assert [int(x) for x in take(iterator)] == [0, 1]
    assert [int(x) for x in take(iterator)] == [2, 3]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        take(iterator)
    assert take.experimental_get_tracing_count() == 1

    @tf.function
    def or_seven(iterator: Any) -> Any:
        return next(iterator, tf.constant(7, tf.int64))

    assert int(or_seven(iter(Dataset.range(3, 5)))) == 3
    assert int(or_seven(iterator)) == 7


def test_captured_iterators_go_on() -> None:
    iterator = iter(Dataset.from_tensor_slices([1, 2, 3]))

    @tf.function
    def following() -> Any:
        return next(iterator) * 10

    assert [int(following()) for _ in range(3)] == [10, 20, 30]


def test_signatures() -> None:
    spec = tf.TensorSpec([None], tf.float32)

    @tf.function(input_signature=[tf.data.DatasetSpec(spec), tf.data.IteratorSpec(spec)])
    def both(dataset: Any, iterator: Any) -> Any:
        return dataset.reduce(0.0, lambda s, x: s + tf.reduce_sum(x)) + next(iterator)

    batches = Dataset.from_tensor_slices([1.0, 2.0, 3.0]).batch(2)
    assert both(batches, iter(batches)).numpy().tolist() == [7.0, 8.0]


def above_one(x: Any) -> Any:
    return x > 1


def following(x: Any) -> Any:
    return x + 1


def test_built_in_functions() -> None:
    dataset = Dataset.range(4)

    @tf.function
    def use(a: Any, b: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for i, (x, y) in enumerate(zip(a, b)):
            total += i * (x + y)
        for x in map(following, filter(above_one, a)):
            total += 100 * x
        return total, len(a), any(map(above_one, a)), all(map(above_one, a))

    total, length, some, every = use(dataset, dataset.skip(1))
    assert int(total) == 0 * 1 + 1 * 3 + 2 * 5 + 100 * (3 + 4)
    assert (int(length), bool(some), bool(every)) == (4, True, False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="finite cardinality"):
        use(dataset.filter(lambda x: x >= 0), dataset.skip(1))


def test_a_python_loop_in_a_trace_is_refused() -> None:
    @tf.function(autograph=False)
    def wrong(dataset: Any) -> Any:
        return list(dataset)

    with pytest.raises(RuntimeError, match="never ends"):
        wrong(Dataset.range(3))
    with pytest.raises(TypeError, match=r"dataset\.cardinality\(\)"):
        tf.function(lambda d: d.cardinality() + len(d), autograph=False)(Dataset.range(3))


def test_reduce_in_a_function_of_its_own_values() -> None:
    @tf.function
    def scaled(dataset: Any, factor: Any) -> Any:
        return dataset.reduce(np.int64(0), lambda s, x: s + factor * x)

    assert int(scaled(Dataset.range(4), tf.constant(10, tf.int64))) == 60


def test_a_step_on_an_iterator_is_compiled_in_parts() -> None:
    matrix = tf.Variable(np.eye(64, dtype=np.float32))

    @tf.function
    def step(iterator: Any) -> Any:
        x = next(iterator)
        for _ in range(30):
            x = tf.tanh(x @ matrix)
        return tf.reduce_sum(x)

    batches = Dataset.from_tensors(np.ones((64, 64), np.float32)).repeat()
    iterator = iter(batches)
    expected = float(step(iterator))
    for _ in range(300):
        found = float(step(iterator))
    np.testing.assert_allclose(found, expected, rtol=1e-4)
