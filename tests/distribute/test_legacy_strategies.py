"""Methods of strategies that TensorFlow 1 programs call, with the results of TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

v1 = tf.compat.v1
PER_REPLICA = tf.distribute.InputReplicationMode.PER_REPLICA

pytestmark = pytest.mark.usefixtures("logical_devices")


def mirrored(count: int = 2) -> Any:
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])


def values(strategy: Any, value: Any) -> list[Any]:
    return [np.asarray(v).tolist() for v in strategy.experimental_local_results(value)]


def test_dataset_iterators_divide_batches_and_start_again() -> None:
    strategy = mirrored()
    iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(10).batch(4))
    for _ in range(2):
        assert iterator.initialize() is None
        batches = [values(strategy, iterator.get_next()) for _ in range(3)]
        assert batches == [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8], [9]]]
        with pytest.raises(tf.errors.OutOfRangeError):
            iterator.get_next()
    assert not iterator.get_next_as_optional().has_value()


def test_input_functions_return_batches_of_replicas_or_functions() -> None:
    strategy = mirrored()

    def batches(context: Any) -> Any:
        assert (context.num_input_pipelines, context.num_replicas_in_sync) == (1, 2)
        return tf.data.Dataset.range(6).batch(context.get_per_replica_batch_size(2))

    iterator = strategy.make_input_fn_iterator(batches)
    assert values(strategy, iterator.get_next()) == [[0], [1]]
    numbers = iter([tf.constant(i) for i in range(3)])
    iterator = strategy.make_input_fn_iterator(lambda context: lambda: next(numbers))
    iterator.initialize()
    assert values(strategy, iterator.get_next()) == [0, 1]
    with pytest.raises(StopIteration):
        iterator.get_next()
    with pytest.raises(ValueError, match=r"distribute_datasets_from_function"):
        strategy.make_input_fn_iterator(batches, PER_REPLICA)


def test_experimental_run_takes_the_next_batch() -> None:
    for strategy, expected in ((mirrored(), [[1, 2], [3, 4]]), (mirrored(1), [[1, 2, 3, 4]])):
        iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(8).batch(4))
        assert values(strategy, strategy.experimental_run(lambda x: x + 1, iterator)) == expected
        assert values(strategy, strategy.experimental_run(lambda: 3)) == [3]


def test_sessions_initialize_iterators_of_replicas() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        strategy = v1.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(8).batch(4))
        start = iterator.initialize()
        parts = strategy.experimental_local_results(iterator.get_next())
        for expected in ([[0, 1], [2, 3]], [[0, 1], [2, 3]]):
            session.run(start)
            assert [part.tolist() for part in session.run(parts)] == expected
        assert [part.tolist() for part in session.run(parts)] == [[4, 5], [6, 7]]


def test_steps_on_an_iterator_leave_their_last_outputs() -> None:
    strategy = mirrored()
    iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(16).batch(4))
    with strategy.scope():
        total = tf.Variable(tf.constant(0, tf.int64), aggregation=tf.VariableAggregation.SUM)

    def step(context: Any, batch: Any) -> None:
        added = strategy.extended.call_for_each_replica(
            lambda x: total.assign_add(tf.reduce_sum(x)), args=(batch,)
        )
        context.set_last_step_output("total", total.read_value())
        context.set_last_step_output("largest", batch, reduce_op="SUM")
        context.set_non_tensor_output("type", type(added).__name__)

    context = strategy.extended.experimental_run_steps_on_iterator(
        step, iterator, iterations=3, initial_loop_values={"total": 0, "other": 1}
    )
    assert int(context.last_step_outputs["total"]) == int(total) == 66
    assert context.last_step_outputs["largest"].numpy().tolist() == [18, 20]
    assert context.last_step_outputs["other"] == 1
    assert set(context.non_tensor_outputs) == {"type"}


def test_arrays_become_datasets_of_their_rows() -> None:
    strategy = mirrored()
    arrays = np.arange(3), np.arange(6).reshape(3, 2)
    rows = list(strategy.experimental_make_numpy_dataset(arrays))
    assert [(int(a), b.numpy().tolist()) for a, b in rows] == [
        (0, [0, 1]),
        (1, [2, 3]),
        (2, [4, 5]),
    ]
    assert [int(a) for a in strategy.extended.experimental_make_numpy_dataset([5, 6])] == [5, 6]
    with pytest.raises(ValueError, match="Expected arrays"):
        strategy.experimental_make_numpy_dataset(())


def test_configurations_of_sessions_are_copied() -> None:
    config = v1.ConfigProto(allow_soft_placement=True)
    for strategy in (mirrored(), mirrored(1)):
        changed = strategy.update_config_proto(config)
        assert changed.allow_soft_placement and changed.isolate_session_state
    assert not config.isolate_session_state
    assert tf.distribute.get_strategy().update_config_proto(config) == config
    central = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    assert central.update_config_proto(config) == config


def test_a_strategy_is_not_moved_to_a_cluster() -> None:
    cluster = {"worker": ["localhost:1"]}
    mirrored().configure(session_config=v1.ConfigProto())
    tf.distribute.get_strategy().configure(cluster_spec=cluster)
    with pytest.raises(NotImplementedError, match="MultiWorkerMirroredStrategy"):
        mirrored().configure(cluster_spec=cluster, task_type="worker", task_id=0)


def test_groups_of_values_of_replicas() -> None:
    strategy = mirrored()
    one = tf.constant(1)
    assert strategy.group(one) is one
    assert strategy.group([one, one], name="both") is None
    with tf.Graph().as_default():
        parts = strategy.run(lambda: tf.constant(1) + 1)
        assert isinstance(strategy.group(parts, name="both"), tf.Operation)
        assert strategy.group(parts, name="both").name.startswith("both")


def test_what_strategies_and_variables_say_of_themselves() -> None:
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable(1.0)
        with strategy.colocate_vars_with(v):
            w = tf.Variable(2.0)
    assert v.is_distributed_variable and v.device == w.device
    assert [d[-5:] for (d,) in strategy.extended.worker_devices_by_replica] == ["CPU:0", "CPU:1"]
    assert strategy.extended.experimental_enable_get_next_as_optional
    assert tuple(tf.distribute.RunOptions()) == (True, False, None)
    assert tf.distribute.InputOptions(False)[0] is False
    for scope in (tf.distribute.get_strategy().scope(), strategy.scope()):
        with scope:
            assert v1.distribute.get_loss_reduction() is tf.distribute.ReduceOp.SUM
