"""`tf.distribute` with several replicas in one process: values, contexts, variables and input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

distribute = tf.distribute
SUM, MEAN = tf.VariableAggregation.SUM, tf.VariableAggregation.MEAN
ON_READ = tf.VariableSynchronization.ON_READ


pytestmark = pytest.mark.usefixtures("logical_devices")


@pytest.fixture(params=[False, True], ids=["eager", "traced"])
def traced(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def mirrored(count: int = 2) -> Any:
    return distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])


def run(strategy: Any, step: Any, traced: bool, *args: Any) -> Any:
    def call(*args: Any) -> Any:
        return strategy.run(step, args=args)

    return tf.function(call)(*args) if traced else call(*args)


def number(offset: float = 1.0) -> Any:
    """Return the number of the replica, from 1 on."""
    replica = distribute.get_replica_context()
    return tf.cast(replica.replica_id_in_sync_group, tf.float32) + offset


def floats(value: Any) -> list[float]:
    return [float(v) for v in value.values]


def test_each_replica_has_its_number_and_device(traced: bool) -> None:
    strategy = mirrored(3)
    assert strategy.num_replicas_in_sync == 3
    result = run(strategy, number, traced)
    assert isinstance(result, distribute.DistributedValues)
    assert floats(result) == [1.0, 2.0, 3.0]
    assert [d[-5:] for d in strategy.extended.worker_devices] == ["CPU:0", "CPU:1", "CPU:2"]
    assert [v.device[-5:] for v in strategy.run(number).values] == ["CPU:0", "CPU:1", "CPU:2"]
    assert distribute.MirroredStrategy().num_replicas_in_sync == 4


def test_values_that_are_no_tensors_stay_as_they_are(traced: bool) -> None:
    strategy = mirrored()
    assert strategy.run(lambda: None) is None
    assert strategy.run(lambda: "text") == "text"
    value, parts = run(strategy, lambda: (1, {"a": number()}), traced)
    assert int(value) == 1
    assert floats(parts["a"]) == [1.0, 2.0]
    assert repr(strategy.run(number)).startswith("PerReplica:{\n  0: <tf.Tensor")


def test_a_sum_of_the_same_object_in_all_replicas_is_refused(traced: bool) -> None:
    strategy = mirrored()
    outside = tf.constant(2.0)
    with strategy.scope():
        v = tf.Variable(10.0, aggregation=SUM)
        w = tf.keras.Variable(10.0, aggregation="sum")
    for change in (v.assign, v.assign_add, v.assign_sub):
        for value in (2.0, outside):
            with pytest.raises(ValueError, match=r"(?s)same value.*tf\.identity"):
                run(strategy, lambda change=change, value=value: change(value), traced)
    assert float(v) == 10.0
    run(strategy, lambda: v.assign_add(0), traced)
    run(strategy, lambda: v.assign_add(tf.identity(outside)), traced)
    for value in (2.0, outside):
        run(strategy, lambda value=value: w.assign_add(value), traced)
    assert (float(v), float(w)) == (14.0, 18.0)


def test_without_aggregation_the_first_replica_has_the_value(traced: bool) -> None:
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable(10.0)
    for change, expected in ((v.assign, 1.0), (v.assign_add, 2.0), (v.assign_sub, 1.0)):
        run(strategy, lambda change=change: change(number()), traced)
        assert float(v) == expected
    strategy.extended.update(v, lambda part, value: part.assign(value), args=(3.0,))
    assert [float(part) for part in strategy.experimental_local_results(v)] == [3.0, 3.0]


@pytest.mark.parametrize("name", ["scatter_min", "scatter_max", "scatter_update"])
def test_rows_of_replicas_are_not_chosen_among(name: str, traced: bool) -> None:
    strategy = mirrored()
    rows = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    with strategy.scope():
        v = tf.Variable([10.0, 20.0], aggregation=MEAN)
        w = tf.Variable([10.0, 20.0], aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
    with pytest.raises(NotImplementedError, match=r"ONLY_FIRST_REPLICA, or call"):
        run(strategy, lambda: getattr(v, name)(rows), traced)
    run(strategy, lambda: getattr(w, name)(rows), traced)
    strategy.extended.update(v, lambda part: getattr(part, name)(rows))
    assert v.numpy().tolist() == w.numpy().tolist()


def test_functions_of_replicas_return_the_values_of_variables(traced: bool) -> None:
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable(5.0, aggregation=MEAN)
    step = tf.function(lambda: v.assign_add(number(0.0)))
    assert floats(run(strategy, step, traced)) == [5.5, 5.5]


def test_replicas_meet_in_collectives(traced: bool) -> None:
    def step() -> Any:
        replica = distribute.get_replica_context()
        x = number()
        merged = replica.merge_call(
            lambda strategy, value: strategy.reduce("SUM", value, axis=None), args=(x,)
        )
        return (
            replica.all_reduce("SUM", x),
            replica.all_reduce(distribute.ReduceOp.MEAN, [x, {"a": 2 * x}]),
            replica.all_gather(tf.reshape(x, [1]), axis=0),
            merged,
        )

    total, means, gathered, merged = run(mirrored(), step, traced)
    assert floats(total) == [3.0, 3.0]
    assert floats(means[0]) == [1.5, 1.5] and floats(means[1]["a"]) == [3.0, 3.0]
    assert [v.numpy().tolist() for v in gathered.values] == [[1.0, 2.0]] * 2
    assert float(merged) == 3.0


def test_collectives_are_differentiable(traced: bool) -> None:
    def step() -> Any:
        replica = distribute.get_replica_context()
        x = 2 * number()
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            total = replica.all_reduce("SUM", x * x)
            joined = tf.reduce_sum(replica.all_gather(tf.reshape(x * x, [1]), axis=0))
        return tape.gradient(total, x), tape.gradient(joined, x)

    of_sum, of_gather = run(mirrored(), step, traced)
    assert floats(of_sum) == floats(of_gather) == [8.0, 16.0]


def test_sparse_gradients_are_concatenated(traced: bool) -> None:
    def step() -> Any:
        row = tf.reshape(distribute.get_replica_context().replica_id_in_sync_group, [1])
        slices = tf.IndexedSlices(tf.ones([1, 2]), row, tf.constant([3, 2]))
        reduced = distribute.get_replica_context().all_reduce("SUM", slices)
        return tf.convert_to_tensor(reduced)

    result = run(mirrored(), step, traced)
    assert result.values[1].numpy().tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]


def test_reduce_and_gather_combine_values_of_replicas() -> None:
    strategy = mirrored()
    rows = strategy.experimental_distribute_values_from_function(
        lambda context: (
            tf.ones([context.replica_id_in_sync_group + 1, 2])
            * (context.replica_id_in_sync_group + 1.0)
        )
    )
    assert strategy.reduce("SUM", rows, axis=0).numpy().tolist() == [5.0, 5.0]
    assert np.allclose(strategy.reduce("MEAN", rows, axis=0), 5 / 3)
    assert strategy.gather(rows, axis=0).shape == (3, 2)
    integers = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant([context.replica_id_in_sync_group] * 2)
    )
    mean = strategy.reduce("MEAN", integers, axis=0)
    assert mean.dtype == tf.float64 and float(mean) == 0.5
    assert strategy.reduce("MEAN", 3.0, axis=None) == 3.0
    with pytest.raises(ValueError, match="received the single value"):
        strategy.reduce("SUM", 3.0, axis=None)
    with pytest.raises(tf.errors.InvalidArgumentError):
        strategy.reduce("SUM", rows, axis=None)
    with pytest.raises(ValueError, match="each replica"):
        tf.convert_to_tensor(rows)
    assert strategy.experimental_local_results(3) == (3,)
    pair = strategy.experimental_local_results([integers, integers])
    assert [part[0].numpy().tolist() for part in pair] == [[0, 0], [1, 1]]


def test_methods_across_replicas_refuse_to_run_in_one() -> None:
    strategy = mirrored()
    inner = (
        lambda: strategy.run(number),
        lambda: strategy.reduce("SUM", 1.0, axis=None),
        lambda: strategy.scope().__enter__(),
    )
    for call in inner:
        with pytest.raises(RuntimeError, match="in a replica"):
            strategy.run(call)


def test_an_error_in_one_replica_ends_them_all() -> None:
    def step() -> Any:
        if int(number()) == 2:
            raise KeyError("second")
        return distribute.get_replica_context().all_reduce("SUM", 1.0)

    with pytest.raises(KeyError, match="second"):
        mirrored().run(step)

    def uneven() -> Any:
        if int(number()) == 2:
            return distribute.get_replica_context().all_reduce("SUM", 1.0)
        return None

    with pytest.raises(RuntimeError, match=r"Replicas \[1\]"):
        mirrored().run(uneven)


# -- variables ----------------------------------------------------------------------------------


def test_mirrored_variables_aggregate_assignments(traced: bool) -> None:
    strategy = mirrored()
    with strategy.scope():
        mean = tf.Variable(1.0, aggregation=MEAN, name="mean")
        total = tf.Variable(1.0, aggregation=SUM)
        first = tf.Variable(1.0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)

    def step() -> Any:
        mean.assign_add(number())
        total.assign(number())
        first.assign_sub(number())
        return mean.read_value()

    assert floats(run(strategy, step, traced)) == [2.5, 2.5]
    assert (float(mean), float(total), float(first)) == (2.5, 3.0, 0.0)
    assert [v.name for v in mean.values] == ["mean:0", "mean/replica_1:0"]
    assert [float(v) for v in strategy.experimental_local_results(mean)] == [2.5, 2.5]
    assert repr(mean).startswith("MirroredVariable:{\n  0: <tf.Variable 'mean:0'")
    assert strategy.extended.variable_created_in_scope(mean)
    assert not strategy.extended.variable_created_in_scope(tf.Variable(1.0))


def test_variables_synchronized_on_read_have_a_value_per_replica(traced: bool) -> None:
    strategy = mirrored()
    with strategy.scope():
        total = tf.Variable(0.0, synchronization=ON_READ, aggregation=SUM)
        mean = tf.Variable(0.0, synchronization=ON_READ, aggregation=MEAN)
        alone = tf.Variable(0.0, synchronization=ON_READ)

    def step() -> Any:
        for variable in (total, mean, alone):
            variable.assign_add(number())
        return total.read_value()

    assert floats(run(strategy, step, traced)) == [1.0, 2.0]
    assert (float(total.numpy()), float(mean.numpy())) == (3.0, 1.5)
    assert float(total + 1) == 4.0
    with pytest.raises(ValueError, match="SUM or MEAN"):
        alone.read_value()
    total.assign(8.0)
    assert [float(v) for v in total.values] == [4.0, 4.0]
    with pytest.raises(ValueError, match="across replicas"):
        total.assign_add(1.0)


def test_variables_created_in_replicas_are_shared() -> None:
    strategy = mirrored()
    created: list[Any] = []

    def step() -> Any:
        if not created:
            created.append(tf.Variable(3.0, name="w", aggregation=MEAN))
        created[0].assign_add(number())
        return created[0]

    variable = strategy.run(step)
    assert variable is created[0] and float(variable) == 4.5
    with strategy.scope(), pytest.raises(ValueError, match="NONE"):
        tf.Variable(1.0, synchronization=tf.VariableSynchronization.NONE)


def test_distributed_variables_are_checkpointed_once(tmp_path: Any) -> None:
    strategy = mirrored()
    with strategy.scope():
        weight = tf.Variable([1.0, 2.0])
        count = tf.Variable(0.0, synchronization=ON_READ, aggregation=SUM)
    strategy.run(lambda: count.assign_add(number()))
    path = tf.train.Checkpoint(weight=weight, count=count).save(str(tmp_path / "ckpt"))
    plain = tf.Variable([0.0, 0.0]), tf.Variable(0.0)
    tf.train.Checkpoint(weight=plain[0], count=plain[1]).restore(path)
    assert plain[0].numpy().tolist() == [1.0, 2.0] and float(plain[1]) == 3.0
    weight.assign([0.0, 0.0])
    count.assign(0.0)
    tf.train.Checkpoint(weight=weight, count=count).restore(path)
    assert weight.numpy().tolist() == [1.0, 2.0] and float(count.numpy()) == 3.0


# -- input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "batch", "count", "sizes"),
    [
        (10, 4, 2, [[2, 2], [2, 2], [1, 1]]),
        (3, 2, 2, [[1, 1], [1, 0]]),
        (13, 8, 4, [[2, 2, 2, 2], [2, 2, 1, 0]]),
        (9, 9, 4, [[3, 3, 3, 0]]),
    ],
)
def test_batches_are_split_as_in_tensorflow(
    rows: int, batch: int, count: int, sizes: list[list[int]], traced: bool
) -> None:
    strategy = mirrored(count)
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(rows).batch(batch))
    assert [[len(v) for v in element.values] for element in dataset] == sizes

    def epoch(dataset: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for element in dataset:
            total += strategy.reduce("SUM", strategy.run(tf.reduce_sum, (element,)), axis=None)
        return total

    assert int((tf.function(epoch) if traced else epoch)(dataset)) == sum(range(rows))


def test_datasets_from_functions_have_a_batch_per_replica() -> None:
    strategy = mirrored()

    def create(context: Any) -> Any:
        assert (context.num_input_pipelines, context.num_replicas_in_sync) == (1, 2)
        return tf.data.Dataset.range(5).batch(context.get_per_replica_batch_size(4))

    dataset = strategy.distribute_datasets_from_function(create)
    elements = [[v.numpy().tolist() for v in element.values] for element in dataset]
    assert elements == [[[0, 1], [2, 3]], [[4], []]]
    iterator = iter(dataset)
    assert isinstance(iterator, distribute.DistributedIterator)
    assert isinstance(next(iterator), distribute.DistributedValues)
    with pytest.raises(ValueError, match=r"dataset\.batch"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(4))


def test_functions_may_be_traced_inside_or_outside() -> None:
    strategy = mirrored()
    with strategy.scope():
        weight = tf.Variable(2.0, aggregation=SUM)

    @tf.function
    def step(x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            x = x * weight
        weight.assign_add(tf.reduce_sum(x))
        return x

    data = strategy.experimental_distribute_values_from_function(
        lambda context: tf.fill([2], context.replica_id_in_sync_group + 1.0)
    )
    result = strategy.run(step, args=(data,))
    assert [v.numpy().tolist() for v in result.values] == [[2.0, 2.0], [4.0, 4.0]]
    assert float(weight) == 14.0


def test_losses_are_scaled_by_the_number_of_replicas() -> None:
    strategy = mirrored()
    losses = strategy.run(
        lambda: (
            tf.nn.compute_average_loss([1.0, 3.0]),
            tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=8),
            tf.nn.scale_regularization_loss([1.0, 3.0]),
        )
    )
    assert [floats(loss) for loss in losses] == [[1.0, 1.0], [0.5, 0.5], [2.0, 2.0]]


def test_central_storage_has_a_replica_per_compute_device() -> None:
    strategy = distribute.experimental.CentralStorageStrategy(["CPU:1", "CPU:2"], "CPU:0")
    with strategy.scope():
        weight = tf.Variable(1.0, aggregation=SUM)
    strategy.run(lambda: weight.assign_add(number()))
    assert float(weight) == 4.0
    assert [d[-5:] for d in strategy.extended.parameter_devices] == ["CPU:0"]
    assert weight.device[-5:] == "CPU:0"


# -- values of other kinds -----------------------------------------------------------------------


def _rows() -> Any:
    return tf.range(3) + distribute.get_replica_context().replica_id_in_sync_group


def test_ragged_values_are_gathered_and_reduced(traced: bool) -> None:
    strategy = mirrored()

    def ragged() -> Any:
        return tf.RaggedTensor.from_row_splits(_rows(), [0, 1, 3])

    values = run(strategy, ragged, traced)
    assert strategy.gather(values, axis=0).to_list() == [[0], [1, 2], [1], [2, 3]]
    assert strategy.gather(values, axis=1).to_list() == [[0, 1], [1, 2, 2, 3]]
    assert strategy.gather(values, axis=-1).to_list() == [[0, 1], [1, 2, 2, 3]]
    assert strategy.reduce("SUM", values, axis=0).numpy().tolist() == [4, 5]
    assert strategy.reduce("MEAN", values, axis=0).numpy().tolist() == [1.0, 1.25]
    with pytest.raises(ValueError, match="along axis 0"):
        strategy.reduce("MEAN", values, axis=1)
    with pytest.raises(ValueError, match="RaggedTensor cannot be converted"):
        strategy.reduce("SUM", values, axis=None)


@pytest.mark.parametrize(
    ("dtype", "mean"),
    [
        *(("int8", "float32"), ("uint8", "float32"), ("int16", "float32")),
        *(("int32", "float64"), ("int64", "float64"), ("uint64", "float64")),
        *((name, name) for name in ("float16", "bfloat16", "float32", "float64", "complex64")),
    ],
)
def test_means_along_axes_have_the_dtype_of_true_division(dtype: str, mean: str) -> None:
    strategy = mirrored()
    values = strategy.run(lambda: tf.cast([_rows()] * 2, dtype))
    along = strategy.reduce("MEAN", values, axis=0)
    assert along.dtype.name == mean
    assert along.numpy().tolist() == [0.5, 1.5, 2.5]
    assert strategy.reduce("MEAN", values, axis=(0, 1)).numpy() == 1.5
    assert strategy.reduce("SUM", values, axis=None).dtype.name == dtype


def test_strings_and_bools_are_gathered_and_not_reduced() -> None:
    strategy = mirrored()
    texts = strategy.run(lambda: tf.strings.as_string(_rows()[:2]))
    flags = strategy.run(lambda: _rows()[:2] > 0)
    assert strategy.gather(texts, axis=0).numpy().tolist() == [b"0", b"1", b"1", b"2"]
    assert strategy.gather(flags, axis=0).numpy().tolist() == [False, True, True, True]
    for values in (texts, flags):
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not support dtype"):
            strategy.reduce("SUM", values, axis=None)
    empty = strategy.run(lambda: tf.zeros([0, 3]))
    assert strategy.gather(empty, axis=0).shape == (0, 3)
    assert strategy.reduce("SUM", empty, axis=None).shape == (0, 3)


def test_sparse_batches_are_split() -> None:
    matrix = tf.sparse.from_dense([[1, 0], [0, 2], [3, 0], [0, 4], [5, 6]])
    data = tf.data.Dataset.from_tensor_slices(matrix).batch(3)
    rows = [
        [tf.sparse.to_dense(part).numpy().tolist() for part in batch.values]
        for batch in mirrored().experimental_distribute_dataset(data)
    ]
    assert rows == [[[[1, 0], [0, 2]], [[3, 0]]], [[[0, 4]], [[5, 6]]]]


def test_a_pipeline_for_each_replica() -> None:
    strategy = mirrored()
    options = distribute.InputOptions(
        experimental_fetch_to_device=False,
        experimental_replication_mode=distribute.InputReplicationMode.PER_REPLICA,
    )

    def create(context: Any) -> Any:
        part = (context.num_input_pipelines, context.input_pipeline_id)
        return tf.data.Dataset.range(8).shard(*part).batch(context.get_per_replica_batch_size(4))

    batches = strategy.distribute_datasets_from_function(create, options)
    found = [[part.numpy().tolist() for part in batch.values] for batch in batches]
    assert found == [[[0, 2], [1, 3]], [[4, 6], [5, 7]]]
    with pytest.raises(NotImplementedError, match="distribute_datasets_from_function"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2), options)


def test_settings_of_variables_are_checked() -> None:
    wrong: Any = "mean"
    with pytest.raises(ValueError, match="synchronization must be"):
        tf.Variable(1.0, synchronization=wrong)
    with pytest.raises(ValueError, match="aggregation must be"):
        tf.Variable(1.0, aggregation=wrong)
    with mirrored().scope(), pytest.raises(ValueError, match=r"int32 cannot have .*MEAN"):
        tf.Variable(1, aggregation=MEAN)


def test_update_changes_the_value_of_each_replica() -> None:
    strategy = mirrored()
    with strategy.scope():
        total = tf.Variable(0.0, synchronization=ON_READ, aggregation=SUM)
        shared = tf.Variable(1.0, aggregation=SUM)
    numbers = strategy.run(number)
    strategy.extended.update(total, lambda v, x: v.assign_add(x), args=(numbers,))
    assert [float(part) for part in total.values] == [1.0, 2.0]
    assert float(total.read_value()) == 3.0
    strategy.extended.update(shared, lambda v, x: v.assign_add(x), args=(2.0,))
    assert float(shared.read_value()) == 3.0
