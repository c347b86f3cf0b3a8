"""`tf.distribute` with one replica: code for several runs unchanged, and returns plain values."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.core import devices

distribute = tf.distribute


def test_the_default_strategy_is_a_replica_context() -> None:
    strategy = distribute.get_strategy()
    assert not distribute.has_strategy() and not distribute.in_cross_replica_context()
    with strategy.scope() as entered:
        assert entered is strategy
        assert not distribute.has_strategy() and not distribute.in_cross_replica_context()
    replica = distribute.get_replica_context()
    assert replica is not None
    assert replica.merge_call(
        lambda across, x: (across is strategy, distribute.in_cross_replica_context(), x), (1,)
    ) == (True, True, 1)
    slices = tf.IndexedSlices([1.0], [0], [2])
    number, sparse = replica.all_reduce("sum", [tf.constant(1.0), slices])
    assert number.numpy() == 1.0
    assert sparse is slices


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_functions_run_in_the_only_replica(traced: bool, named: bool) -> None:
    strategy = distribute.OneDeviceStrategy("/cpu:0") if named else distribute.get_strategy()

    def step(x: Any) -> Any:
        replica = distribute.get_replica_context()
        assert replica is not None and replica.strategy is strategy
        if x > 0:
            x = x + 1
        return x + replica.replica_id_in_sync_group

    def run(x: Any) -> Any:
        return strategy.run(step, args=(x,))

    assert (tf.function(run) if traced else run)(tf.constant(1)).numpy() == 2


def test_the_scope_of_a_strategy_is_across_replicas() -> None:
    strategy = distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        assert distribute.has_strategy() and distribute.in_cross_replica_context()
        assert distribute.get_strategy() is strategy
        other = distribute.OneDeviceStrategy("/cpu:0").scope()
        with pytest.raises(RuntimeError, match="cannot be nested"), other:
            pass
        variable = tf.Variable(1.0)
    assert strategy.extended.variable_created_in_scope(variable)
    assert strategy.extended._global_batch_size
    updated = strategy.extended.update(variable, lambda v, x: v.assign_add(x), args=(2.0,))
    assert float(updated) == 3.0


def test_values_are_combined_along_an_axis() -> None:
    strategy = distribute.get_strategy()
    values = tf.constant([1.0, 2.0])
    assert strategy.reduce("SUM", values, axis=None) is values
    assert strategy.experimental_local_results(values) == tuple(strategy.unwrap(values))
    assert float(strategy.reduce("sum", values, axis=0)) == 3.0
    assert float(strategy.reduce(distribute.ReduceOp.MEAN, values, axis=0)) == 1.5
    with pytest.raises(ValueError, match="'SUM' or 'MEAN', received 'PRODUCT'"):
        strategy.reduce("product", values, axis=0)
    by_mean = distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.MEAN)
    assert by_mean is distribute.ReduceOp.MEAN


def test_datasets_are_those_of_the_only_replica() -> None:
    strategy = distribute.get_strategy()
    dataset = tf.data.Dataset.range(3)
    assert strategy.experimental_distribute_dataset(dataset) is dataset
    made = strategy.distribute_datasets_from_function(
        lambda context: dataset.batch(context.get_per_replica_batch_size(2))
    )
    assert [batch.numpy().tolist() for batch in made] == [[0, 1], [2]]


def test_strategies_of_several_replicas_say_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    # Other tests of this process may have divided the CPU.
    monkeypatch.setattr(devices.placement, "logical_cpus", 1)
    assert not isinstance(distribute.get_strategy(), distribute.MirroredStrategy)
    strategy = distribute.MultiWorkerMirroredStrategy()
    assert strategy.extended.worker_devices == ("/job:localhost/replica:0/task:0/device:CPU:0",)
    assert strategy.num_replicas_in_sync == 1
    with pytest.raises(ValueError, match="set_logical_device_configuration"):
        distribute.MirroredStrategy(["/cpu:0", "/cpu:0"])


def test_options_of_collectives() -> None:
    options = distribute.experimental.CommunicationOptions
    named: Any = "nccl"
    ring = distribute.experimental.CommunicationImplementation.NCCL
    assert options(implementation=named).implementation is ring
    assert distribute.experimental.CollectiveHints(3, 2.0) == options(3, 2.0)
    named = "carrier pigeon"
    with pytest.raises(ValueError, match="CARRIER PIGEON"):
        options(implementation=named)
    with pytest.raises(ValueError, match="device string 'foo'"):
        distribute.OneDeviceStrategy("foo")


def test_remote_workers_are_refused_with_what_to_do() -> None:
    coordinator = distribute.coordinator
    for call in (
        lambda: distribute.ParameterServerStrategy(None),
        lambda: coordinator.ClusterCoordinator(distribute.get_strategy()),
        coordinator.experimental_get_current_worker_index,
    ):
        with pytest.raises(NotImplementedError, match="MultiWorkerMirroredStrategy"):
            call()
    with pytest.raises(ValueError, match="no TPU"):
        distribute.TPUStrategy()


def test_a_mirrored_strategy_of_one_device_is_one_replica() -> None:
    strategy = distribute.MirroredStrategy(["/cpu:0"])
    assert distribute.MirroredStrategy().num_replicas_in_sync == 1
    with strategy.scope():
        assert distribute.get_strategy() is strategy
    assert strategy.run(lambda x: x * 2, args=(tf.constant(2),)).numpy() == 4


def test_no_devices_are_the_default_ones() -> None:
    assert distribute.MirroredStrategy([]).num_replicas_in_sync == 1


@pytest.mark.parametrize(
    ("name", "arguments", "shape", "dtype", "axis", "expected"),
    [
        ("FixedShards", (2,), [10, 3], tf.float32, 0, [2, 1]),
        ("FixedShards", (20,), [10, 3], tf.float32, 0, [10, 1]),
        ("MinSize", (4, 10), [6, 1], tf.float32, 0, [6, 1]),
        ("MinSize", (100, 5), [6, 7], tf.string, 0, [5, 1]),
        ("MinSize", (), [600000, 10], tf.float32, 0, [1, 1]),
        ("MinSize", (16, 8), [10, 10], tf.int8, 0, [7, 1]),
        ("MinSize", (16, 8), [3, 1], tf.float64, 0, [2, 1]),
        ("MinSize", (16, 8), [0, 5], tf.float32, 0, [1, 1]),
        ("MinSize", (8, 4), [9, 6], tf.float32, 1, [1, 4]),
        ("MaxSize", (4,), [6, 1], tf.float32, 0, [6, 1]),
        ("MaxSize", (4, 2), [6, 1], tf.float32, 0, [2, 1]),
        ("MaxSize", (100,), [6, 7], tf.string, 0, [6, 1]),
        ("MaxSize", (100,), [7], tf.float64, 0, [1]),
        ("MaxSize", (64,), [100, 3], tf.float32, 1, [1, 3]),
    ],
)
def test_partitioners_cut_as_tensorflow_does(
    name: str, arguments: Any, shape: Any, dtype: Any, axis: int, expected: list[int]
) -> None:
    cut = getattr(distribute.experimental.partitioners, f"{name}Partitioner")(*arguments)
    assert cut(tf.TensorShape(shape), dtype, axis) == expected


def test_partitioners_name_wrong_arguments() -> None:
    partitioners = distribute.experimental.partitioners
    with pytest.raises(ValueError, match="max_shard_bytes"):
        partitioners.MaxSizePartitioner(0)
    with pytest.raises(ValueError, match="max_shards"):
        partitioners.MinSizePartitioner(4, 0)
    with pytest.raises(ValueError, match="fully defined"):
        partitioners.MaxSizePartitioner(4)(tf.TensorShape([None, 2]), tf.float32)
    with pytest.raises(ValueError, match="along axis 0"):
        partitioners.MinSizePartitioner(4)(tf.TensorShape([]), tf.float32)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("{", "is no JSON"),
        ("[1]", "Expected a form like"),
        ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "ps", "index": 0}}', "the job 'ps'"),
        ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}}', "task 1"),
    ],
)
def test_a_wrong_tf_config_is_explained(
    config: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_CONFIG", config)
    with pytest.raises(ValueError, match=words):
        distribute.MultiWorkerMirroredStrategy()


def test_clusters_are_read_from_tf_config(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "TF_CONFIG",
        '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}}',
    )
    resolver = distribute.cluster_resolver.TFConfigClusterResolver()
    assert (resolver.task_type, resolver.task_id, resolver.rpc_layer) == ("worker", 1, None)
    assert (resolver.master(), resolver.master("worker", 0, "grpc")) == ("b:2", "grpc://a:1")
    assert resolver.cluster_spec().as_dict() == {"worker": ["a:1", "b:2"]}
    elsewhere = distribute.cluster_resolver.TFConfigClusterResolver(task_type="ps")
    with pytest.raises(ValueError, match="none of the workers"):
        distribute.MultiWorkerMirroredStrategy(elsewhere)
    monkeypatch.setenv("TF_CONFIG", '{"session_master": "local", "rpc_layer": "grpc"}')
    resolver = distribute.cluster_resolver.TFConfigClusterResolver()
    assert (resolver.master(), resolver.rpc_layer) == ("local", "grpc")


def test_cross_device_ops_combine_values_of_replicas() -> None:
    values = distribute.get_strategy()
    assert values.num_replicas_in_sync == 1
    for ops in (distribute.NcclAllReduce(), distribute.HierarchicalCopyAllReduce(2)):
        pair = distribute.DistributedValues([tf.constant(1.0), tf.constant(3.0)])
        assert [float(v) for v in ops.reduce("MEAN", pair, pair).values] == [2.0, 2.0]
        assert [float(v) for v in ops.broadcast(tf.constant(5.0), pair).values] == [5.0, 5.0]
    summed = distribute.ReductionToOneDevice(accumulation_fn=tf.add_n).batch_reduce(
        "SUM", [(pair, pair)]
    )
    assert float(summed[0].values[1]) == 4.0
    with pytest.raises(ValueError, match="num_packs"):
        distribute.NcclAllReduce(-1)


# -- names that are refused, or are TPUs' ----------------------------------------------------------


@pytest.mark.parametrize(
    "create",
    [
        lambda: tf.distribute.Server({"worker": ["localhost:0"]}),
        lambda: tf.distribute.Server.create_local_server(),
        lambda: tf.distribute.experimental.rpc.Server.create("grpc", "localhost:0"),
        lambda: tf.distribute.experimental.rpc.Client.create("grpc", "localhost:0"),
        lambda: tf.distribute.experimental.coordinator.PerWorkerValues([]),
    ],
)
def test_servers_are_refused_with_what_to_use(create: Any) -> None:
    with pytest.raises(NotImplementedError, match="MultiWorkerMirroredStrategy"):
        create()


def test_a_replica_of_a_tpu_strategy_has_one_core() -> None:
    strategy = object.__new__(tf.distribute.TPUStrategy)
    x = tf.ones([2, 3])
    assert strategy.experimental_assign_to_logical_device(x, 0) is x
    assert strategy.experimental_split_to_logical_devices(x, [1, 1]) is x
    assert strategy.experimental_replicate_to_logical_devices(x) is x
    for wrong in ([1], [2, 1]):
        with pytest.raises(ValueError, match="has one core"):
            strategy.experimental_split_to_logical_devices(x, wrong)
    with pytest.raises(ValueError, match="has one core"):
        strategy.experimental_assign_to_logical_device(x, 1)
