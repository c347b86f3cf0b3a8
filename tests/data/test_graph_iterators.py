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


# -- positions in checkpoints ----------------------------------------------------------------------


def _saved_graph(dataset):
    """Return the initializer and the next element of an iterator, and a saver of its position."""
    iterator = v1.data.make_initializable_iterator(dataset)
    saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, saveable)
    element = iterator.get_next()
    v1.add_to_collection("steps", iterator.initializer)
    v1.add_to_collection("steps", element)
    return iterator.initializer, element, v1.train.Saver(allow_empty=True)


@pytest.mark.parametrize("taken", [0, 1, 7, 20])
def test_a_saver_restores_the_position_in_an_imported_graph(tmp_path, taken):
    prefix = str(tmp_path / "position")
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(20).shuffle(5, seed=3).map(lambda x: x * 3)
        initializer, element, saver = _saved_graph(dataset)
        with v1.Session() as session:
            session.run(initializer)
            for _ in range(taken):
                session.run(element)
            saver.save(session, prefix)
            rest = _taken(session, element)
    assert len(rest) == 20 - taken
    with tf.Graph().as_default():
        saver = v1.train.import_meta_graph(f"{prefix}.meta")
        initializer, element = v1.get_collection("steps")
        with v1.Session() as session:
            session.run(initializer)
            saver.restore(session, prefix)
            assert _taken(session, element) == rest


def test_a_position_has_the_key_that_tensorflow_uses(tmp_path):
    with tf.Graph().as_default():
        initializer, _, saver = _saved_graph(tf.data.Dataset.range(3))
        with v1.Session() as session:
            session.run(initializer)
            path = saver.save(session, str(tmp_path / "position"))
    assert [name for name, _ in tf.train.list_variables(path)] == ["IteratorV2:0_STATE"]


def test_variables_and_positions_are_saved_together(tmp_path):
    with tf.Graph().as_default():
        variable = v1.get_variable("v", initializer=1.0)
        initializer, element, saver = _saved_graph(tf.data.Dataset.range(5))
        with v1.Session() as session:
            session.run([initializer, variable.initializer])
            session.run([element, variable.assign_add(4.0)])
            path = saver.save(session, str(tmp_path / "both"))
            session.run([element, variable.assign_add(4.0)])
            saver.restore(session, path)
            assert session.run(variable) == 5.0
            assert _taken(session, element) == [1, 2, 3, 4]


def test_a_position_is_not_restored_before_the_iterator_is_started(tmp_path):
    with tf.Graph().as_default():
        initializer, _, saver = _saved_graph(tf.data.Dataset.range(3))
        with v1.Session() as session:
            session.run(initializer)
            path = saver.save(session, str(tmp_path / "position"))
        with v1.Session() as session, pytest.raises(tf.errors.FailedPreconditionError):
            saver.restore(session, path)


def test_a_position_that_the_checkpoint_lacks_is_named(tmp_path):
    with tf.Graph().as_default():
        v1.get_variable("v", initializer=1.0)
        without = v1.train.Saver()
        initializer, _, saver = _saved_graph(tf.data.Dataset.range(3))
        with v1.Session() as session:
            session.run([initializer, v1.global_variables_initializer()])
            path = without.save(session, str(tmp_path / "v"))
            with pytest.raises(tf.errors.NotFoundError, match="IteratorV2:0_STATE"):
                saver.restore(session, path)


@pytest.mark.parametrize("policy", [None, "fail", tf.data.experimental.ExternalStatePolicy.FAIL])
def test_functions_with_state_are_refused_unless_the_policy_says_otherwise(tmp_path, policy):
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(3).map(lambda x: x + tf.random.uniform([], 0, 2, "int64"))
        iterator = v1.data.make_initializable_iterator(dataset)
        saveable = tf.data.experimental.make_saveable_from_iterator(
            iterator, external_state_policy=policy
        )
        ignoring = tf.data.experimental.make_saveable_from_iterator(iterator, "ignore")
        saver = v1.train.Saver([saveable])
        with v1.Session() as session:
            session.run(iterator.initializer)
            with pytest.raises(tf.errors.FailedPreconditionError, match="random numbers"):
                saver.save(session, str(tmp_path / "position"))
            assert v1.train.Saver([ignoring]).save(session, str(tmp_path / "position"))
        with pytest.raises(ValueError, match="must be one of"):
            tf.data.experimental.make_saveable_from_iterator(iterator, "never")


def test_an_imported_graph_reads_files_only_if_the_caller_trusts_it(tmp_path):
    text = tmp_path / "lines.txt"
    text.write_text("a\nb\nc\n")
    prefix = str(tmp_path / "position")
    with tf.Graph().as_default():
        initializer, element, saver = _saved_graph(tf.data.TextLineDataset(str(text)))
        with v1.Session() as session:
            session.run([initializer])
            session.run(element)
            saver.save(session, prefix)
    with tf.Graph().as_default(), pytest.raises(tf.errors.PermissionDeniedError):
        v1.train.import_meta_graph(f"{prefix}.meta")
    with tf.Graph().as_default():
        saver = v1.train.import_meta_graph(f"{prefix}.meta", safe_mode=False)
        initializer, element = v1.get_collection("steps")
        with v1.Session() as session:
            session.run(initializer)
            saver.restore(session, prefix)
            assert _taken_bytes(session, element) == [b"b", b"c"]


def _taken_bytes(session, element):
    return [session.run(element) for _ in range(2)]


# -- iterators over several datasets -------------------------------------------------------------


def test_an_iterator_of_a_structure_is_started_at_any_dataset():
    with tf.Graph().as_default(), v1.Session() as session:
        iterator = v1.data.Iterator.from_structure(tf.int64, [])
        starts = [iterator.make_initializer(tf.data.Dataset.range(n)) for n in (2, 3)]
        element = iterator.get_next(name="element")
        assert element.op.name == "element"
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(element)
        for start, expected in zip(starts, ([0, 1], [0, 1, 2])):
            session.run(start)
            assert _taken(session, element) == expected
        with pytest.raises(ValueError, match="make_initializer"):
            assert iterator.initializer
        assert iterator.output_types is tf.int64
        assert iterator.output_shapes == []
        assert iterator.output_classes is tf.Tensor


def test_an_iterator_is_chosen_by_a_string_that_is_fed():
    with tf.Graph().as_default(), v1.Session() as session:
        first = v1.data.make_one_shot_iterator(tf.data.Dataset.range(3))
        second = v1.data.make_initializable_iterator(tf.data.Dataset.range(10, 13))
        handle = v1.placeholder(tf.string, [])
        chosen = v1.data.Iterator.from_string_handle(handle, tf.int64, [])
        element = chosen.get_next()
        session.run(second.initializer)
        strings = session.run([first.string_handle(), second.string_handle()])
        assert first.string_handle() is first.string_handle()
        order = [0, 1, 1, 0]
        assert [session.run(element, {handle: strings[i]}) for i in order] == [0, 10, 11, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="no iterator"):
            session.run(element, {handle: b"another"})
        other = v1.data.Iterator.from_string_handle(strings[0], tf.float32, [])
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected an iterator"):
            session.run(other.get_next())


def test_elements_of_another_structure_type_or_shape_are_refused():
    with pytest.raises(TypeError):
        v1.data.Iterator.from_structure((tf.int64, tf.float64), [None])
    iterator = v1.data.Iterator.from_structure((tf.int64, tf.float64), ([None], []))
    with pytest.raises(ValueError):
        iterator.make_initializer(tf.data.Dataset.from_tensors(((1,), (2.0,))))
    with pytest.raises(TypeError, match="Expected a dataset"):
        iterator.make_initializer(tf.data.Dataset.from_tensors(([1], 2.0)))
    wrong = tf.constant([1], tf.int64), tf.constant([2.0], tf.float64)
    with pytest.raises(TypeError, match="Expected a dataset"):
        iterator.make_initializer(tf.data.Dataset.from_tensors(wrong))
