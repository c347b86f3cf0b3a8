"""Iterators in plain graphs: what sessions see of them."""

from __future__ import annotations

import pytest

import tapeflow as tf

v1 = tf.compat.v1


def _taken(session, element):
    values = []
    while True:
        try:
            values.append(session.run(element).item())
        except tf.errors.OutOfRangeError:
            return values


def test_a_one_shot_iterator_moves_on_with_every_run_and_never_starts_again():
    with tf.Graph().as_default():
        element = v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()
        with v1.Session() as session:
            assert _taken(session, element) == [0, 1, 2]
            assert _taken(session, element) == []


def test_each_session_has_a_position_of_its_own():
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(3).map(lambda x: x * 2)
        element = v1.data.make_one_shot_iterator(dataset).get_next()
        with v1.Session() as first, v1.Session() as second:
            assert first.run(element) == 0
            assert second.run(element) == 0
            assert first.run(element) == 2


def test_an_initializer_starts_the_iterator_over():
    with tf.Graph().as_default():
        limit = v1.placeholder(tf.int64, [])
        iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(limit))
        element = iterator.get_next()
        with v1.Session() as session:
            with pytest.raises(tf.errors.FailedPreconditionError):
                session.run(element)
            for size in (2, 4):
                session.run(iterator.initializer, {limit: size})
                assert _taken(session, element) == list(range(size))


def test_elements_of_one_run_belong_together():
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]})
        element = v1.data.make_one_shot_iterator(dataset).get_next()
        with v1.Session() as session:
            session.run(v1.tables_initializer())
            assert session.run(element) == {"a": 1, "b": b"x"}
            assert session.run(element) == {"a": 2, "b": b"y"}


def test_eager_iterators():
    iterator = v1.data.make_one_shot_iterator(tf.data.Dataset.range(2))
    assert [int(iterator.get_next()) for _ in range(2)] == [0, 1]
    with pytest.raises(RuntimeError, match="iter"):
        v1.data.make_initializable_iterator(tf.data.Dataset.range(2))


def test_types_shapes_and_classes_of_elements():
    dataset = tf.data.Dataset.from_tensors((tf.ones([2]), "a"))
    assert v1.data.get_output_types(dataset) == (tf.float32, tf.string)
    assert v1.data.get_output_shapes(dataset) == (tf.TensorShape([2]), tf.TensorShape([]))
    assert v1.data.get_output_classes(dataset) == (tf.Tensor, tf.Tensor)
