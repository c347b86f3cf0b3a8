"""Workers that use `MultiWorkerMirroredStrategy`: values, variables, input and Keras."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import tapeflow as tf

SUM, MEAN = tf.VariableAggregation.SUM, tf.VariableAggregation.MEAN
ON_READ = tf.VariableSynchronization.ON_READ


def strategy() -> Any:
    return tf.distribute.MultiWorkerMirroredStrategy()


def number() -> Any:
    """Return the number of the replica, from 1 on."""
    replica = tf.distribute.get_replica_context()
    return tf.cast(replica.replica_id_in_sync_group, tf.float32) + 1.0


def properties() -> Any:
    created = strategy()
    extended = created.extended
    return [
        created.num_replicas_in_sync,
        list(extended.worker_devices),
        extended.should_checkpoint,
        extended.should_save_summary,
        extended._in_multi_worker_mode(),
        created.cluster_resolver.task_id,
        isinstance(created, tf.distribute.MultiWorkerMirroredStrategy),
        type(created).__name__,
    ]


def _collectives(created: Any) -> Any:
    def step() -> Any:
        replica = tf.distribute.get_replica_context()
        x = number()
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            total = replica.all_reduce("SUM", x * x)
            joined = replica.all_gather(tf.fill([replica.replica_id_in_sync_group + 1], x), axis=0)
        mean = replica.all_reduce("MEAN", [x, {"a": 2 * x}])
        merged = replica.merge_call(
            lambda strategy, value: strategy.reduce("SUM", value, axis=None), args=(x,)
        )
        row = tf.reshape(replica.replica_id_in_sync_group, [1])
        slices = tf.IndexedSlices(tf.ones([1, 2]), row, tf.constant([3, 2]))
        sparse = tf.convert_to_tensor(replica.all_reduce("SUM", slices))
        gradients = [tape.gradient(total, x), tape.gradient(joined, x)]
        return total, joined, mean[1]["a"], merged, sparse, gradients

    results = created.run(step)
    return [value.numpy().tolist() for value in tf.nest.flatten(results)]


def collectives() -> Any:
    """Return results in eager code, and in a function."""
    created = strategy()
    traced: list[Any] = []

    @tf.function
    def whole() -> Any:
        return created.run(number), created.reduce("SUM", created.run(number), axis=None)

    for _ in range(3):
        traced = [float(value) for value in whole()]
    rows = created.run(lambda: tf.ones([int(number()), 2]) * number())
    return {
        "eager": _collectives(created),
        "traced": traced,
        "along": created.reduce("MEAN", rows, axis=0).numpy().tolist(),
        "gathered": created.gather(rows, axis=0).numpy().tolist(),
        "values": [
            int(value)
            for value in created.experimental_distribute_values_from_function(
                lambda context: tf.constant(context.replica_id_in_sync_group)
            ).values
        ],
    }


def values_of_other_kinds() -> Any:
    """Return what becomes of strings, bools, ragged and sparse values, and of devices."""
    created = strategy()
    rank = created.extended._task_id
    own = created.extended.worker_devices[0]
    with tf.device(own):
        placed = tf.constant(1.0).device

    def refusal(call: Any) -> str:
        try:
            call()
        except (tf.errors.InvalidArgumentError, ValueError) as error:
            return str(error)
        return ""

    def batches(dataset: Any) -> Any:
        distributed = created.experimental_distribute_dataset(dataset.batch(2))
        return [created.experimental_local_results(batch)[0] for batch in distributed]

    ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4]]))
    sparse = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2], [3, 0]]))
    uneven = created.distribute_datasets_from_function(lambda context: ragged.take(rank).batch(1))
    with created.scope():
        total = tf.Variable(0.0, synchronization=ON_READ, aggregation=SUM)
    created.extended.update(total, lambda v, x: v.assign_add(x), args=(float(rank + 1),))
    return {
        "placed": placed,
        "bools": created.gather(tf.constant([rank == 0]), axis=0).numpy().tolist(),
        "means": created.reduce("MEAN", tf.ones([2, 3], tf.int8), axis=(0, 1)).dtype.name,
        "large": int(created.reduce("SUM", tf.constant(2**40 + rank, tf.int64), axis=None)),
        "empty": created.gather(tf.zeros([0, 3]), axis=0).shape.as_list(),
        "ragged": [batch.to_list() for batch in batches(ragged)],
        "sparse": [tf.sparse.to_dense(batch).numpy().tolist() for batch in batches(sparse)],
        "total": float(total.read_value()),
        "refusals": [
            refusal(lambda: created.gather(tf.constant(["a"]), axis=0)),
            refusal(lambda: created.reduce("SUM", tf.constant("a"), axis=None)),
            refusal(lambda: created.gather(tf.constant(1.0), axis=0)),
            refusal(lambda: created.reduce("SUM", tf.constant(True), axis=None)),
            refusal(lambda: tf.device("/job:worker/task:7/CPU:0").__enter__()),
            refusal(lambda: list(uneven)),
        ],
    }


def meshes() -> Any:
    """Return how meshes are refused in workers of a strategy."""
    dtensor = tf.experimental.dtensor
    rank = strategy().extended._task_id
    places = {"DTENSOR_CLIENT_ID": str(rank), "DTENSOR_JOBS": "127.0.0.1:1,127.0.0.1:2"}
    texts = []
    os.environ.update(places)
    for call in [lambda: dtensor.initialize_accelerator_system("CPU")]:
        try:
            call()
        except ValueError as error:
            texts.append(str(error))
    for name in places:
        del os.environ[name]
    return texts


def variables() -> Any:
    created = strategy()
    own = float(tf.distribute.cluster_resolver.TFConfigClusterResolver().task_id or 0)
    with created.scope():
        mean = tf.Variable(own + 5.0, aggregation=MEAN)
        total = tf.Variable(1.0, aggregation=SUM)
        first = tf.Variable(0.0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
        alone = tf.Variable(0.0)
        count = tf.Variable(0.0, synchronization=ON_READ, aggregation=SUM)
        average = tf.Variable(0.0, synchronization=ON_READ, aggregation=MEAN)
    initial = float(mean)

    @tf.function
    def step() -> Any:
        mean.assign_add(number())
        total.assign(number())
        first.assign(number())
        alone.assign(number())
        count.assign_add(number())
        average.assign_add(number())
        return count.read_value()

    local = float(created.run(step))
    every = [float(v.numpy()) for v in (mean, total, first, alone, count, average)]
    count.assign(8.0)
    return initial, local, every, float(count.values[0])


def _batches(created: Any, dataset: Any) -> Any:
    distributed = created.experimental_distribute_dataset(dataset)
    return [_local(created, batch) for batch in distributed]


def _local(created: Any, batch: Any) -> Any:
    (own,) = created.experimental_local_results(batch)
    return own.numpy().tolist()


def datasets() -> Any:
    """Return the batches of this worker under all policies, and of functions."""
    created = strategy()
    folder = os.environ["TEXTS"]
    files = [os.path.join(folder, f"{i}.txt") for i in range(3)]
    numbers = tf.data.Dataset.range
    policies = tf.data.experimental.AutoShardPolicy

    def under(policy: Any, dataset: Any) -> Any:
        options = tf.data.Options()
        options.experimental_distribute.auto_shard_policy = policy
        return dataset.with_options(options)

    hint = tf.data.experimental.SHARD_HINT
    lines = tf.data.TextLineDataset(files).map(tf.strings.to_number)
    nested = tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TextLineDataset)

    @tf.function
    def summed(dataset: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for batch in dataset:
            total += created.reduce("SUM", created.run(tf.reduce_sum, (batch,)), axis=None)
        return total

    def of_function(context: Any) -> Any:
        rows = numbers(3 + 4 * context.input_pipeline_id)
        return rows.batch(context.get_per_replica_batch_size(4))

    unknown = numbers(9).filter(lambda x: x >= 0)
    return {
        "9 by 4": _batches(created, numbers(9).batch(4)),
        "12 by 5": _batches(created, numbers(12).batch(5)),
        "unknown": _batches(created, unknown.batch(4)),
        "off": _batches(created, under(policies.OFF, numbers(8).batch(4))),
        "hint": _batches(created, under(policies.HINT, numbers(8).shard(hint, hint).batch(4))),
        "file": _batches(created, lines.batch(4)),
        "nested": _batches(created, nested.map(tf.strings.to_number).batch(2)),
        "data": _batches(created, under(policies.DATA, lines.batch(4))),
        "function": [
            _local(created, b) for b in created.distribute_datasets_from_function(of_function)
        ],
        "summed": int(summed(created.experimental_distribute_dataset(numbers(9).batch(4)))),
    }


def keras() -> Any:
    """Return results of `fit`, `evaluate` and `predict` on uneven batches, and of callbacks."""
    created = strategy()
    folder = os.environ["TEXTS"]
    rank = created.cluster_resolver.task_id
    generator = np.random.default_rng(0)
    x = generator.normal(size=(13, 4)).astype(np.float32)
    y = generator.normal(size=(13, 1)).astype(np.float32)
    callbacks = tf.keras.callbacks
    with created.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse", metrics=["mae"])
    evaluated = model.evaluate(x, y, batch_size=8, verbose=0)
    predicted = model.predict(x, batch_size=8, verbose=0)
    backup = callbacks.BackupAndRestore(os.path.join(folder, "backup"), delete_checkpoint=False)
    best = callbacks.ModelCheckpoint(os.path.join(folder, "best.keras"), monitor="loss")
    model.fit(x, y, batch_size=8, epochs=2, verbose=0, callbacks=[backup, best])
    weights = [w.numpy().tolist() for w in model.weights]
    # Only the chief has the backup: the others receive it.
    with created.scope():
        other = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        other.compile("sgd", "mse", metrics=["mae"])
        other.build((None, 4))
    source = os.path.join(folder, "backup" if rank == 0 else f"none_{rank}")
    history = other.fit(
        x, y, batch_size=8, epochs=2, verbose=0, callbacks=[callbacks.BackupAndRestore(source)]
    )
    return {
        "evaluated": evaluated,
        "predicted": predicted.tolist(),
        "weights": weights,
        "restored": [w.numpy().tolist() for w in other.weights],
        "epochs": history.epoch,
    }
