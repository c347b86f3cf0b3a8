"""Variables on meshes: they keep their layouts, train like plain ones, and restore elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dtensor.on_devices import run


def test_variables_keep_their_layout() -> None:
    run(
        4,
        """
mesh = dtensor.create_mesh([("x", 2), ("y", 2)], devices=NAMES)
layout = dtensor.Layout(["x", "y"], mesh)
value = np.arange(16, dtype=np.float32).reshape(4, 4)
v = dtensor.DVariable(dtensor.copy_to_mesh(value, layout), name="v")
assert (v.name, v.shape.as_list(), v.dtype, v.layout) == ("v:0", [4, 4], tf.float32, layout)
assert dtensor.fetch_layout(v) == layout and dtensor.is_dtensor(v) and "layout=" in repr(v)
before = v.value()
for update in (v.assign_add, tf.function(v.assign_add), v.assign_sub, v.assign):
    update(dtensor.copy_to_mesh(value, dtensor.Layout.replicated(mesh, 2)))
    assert specs(v) == specs(v.value()) == ["x", "y"]
np.testing.assert_array_equal(whole(v), value)
np.testing.assert_array_equal(whole(before), value)
np.testing.assert_array_equal(whole(v + 1), value + 1)
np.testing.assert_array_equal(whole(v[1:3]), value[1:3])
v.assign(np.zeros((4, 4), np.float32))
np.testing.assert_array_equal(whole(v), np.zeros((4, 4)))
elsewhere = dtensor.create_mesh([("z", 4)], devices=NAMES)
other = dtensor.copy_to_mesh(value, dtensor.Layout(["z", "unsharded"], elsewhere))
refuses(tf.errors.UnknownError, v.assign, other)
refuses(tf.errors.InvalidArgumentError, dtensor.DVariable, tf.ones([2]))
refuses(tf.errors.UnimplementedError, v.numpy)
""",
    )


def test_training_equals_that_on_one_device() -> None:
    run(
        4,
        """
generator = np.random.default_rng(0)
x, y = generator.normal(size=(20, 8, 6)).astype("f"), generator.normal(size=(20, 8, 4)).astype("f")
weights = [generator.normal(size=s).astype("f") / 2 for s in ((6, 8), (8,), (8, 4))]


def step(w1, b, w2, inputs, targets):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.matmul(inputs, w1) + b)
        loss = tf.reduce_mean((tf.matmul(hidden, w2) - targets) ** 2)
    for variable, gradient in zip((w1, b, w2), tape.gradient(loss, (w1, b, w2))):
        variable.assign_sub(0.1 * gradient)
    return loss


plain = [tf.Variable(w) for w in weights]
run_plain = tf.function(lambda a, b: step(*plain, a, b))
expected = [float(run_plain(a, b)) for a, b in zip(x, y)]
for shards in (1, 2, 4):
    mesh = dtensor.create_mesh({"batch": 4 // shards, "model": shards}, devices=NAMES)
    layouts = [["unsharded", "model"], ["model"], ["model", "unsharded"]]
    layouts = [dtensor.Layout(s, mesh) for s in layouts]
    sharded = [dtensor.DVariable(w, layout=layout) for w, layout in zip(weights, layouts)]
    run_sharded = tf.function(lambda a, b: step(*sharded, a, b))
    batch = dtensor.Layout.batch_sharded(mesh, "batch", 2)
    losses = [
        float(run_sharded(dtensor.copy_to_mesh(a, batch), dtensor.copy_to_mesh(b, batch)))
        for a, b in zip(x, y)
    ]
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for variable, layout, reference in zip(sharded, layouts, plain):
        assert dtensor.fetch_layout(variable) == layout
        np.testing.assert_allclose(whole(variable), reference.numpy(), rtol=1e-5, atol=1e-6)
""",
    )


def test_checkpoints_restore_on_another_mesh(tmp_path: Path) -> None:
    save = """
import os
mesh = dtensor.create_mesh([("x", 2), ("y", 2)], devices=NAMES)
value = np.arange(16, dtype=np.float32).reshape(4, 4) / 3
v = dtensor.DVariable(value, layout=dtensor.Layout(["x", "y"], mesh))
dtensor.DTensorCheckpoint(mesh, v=v).write(PATH + "/a")
dtensor.name_based_save(mesh, PATH + "/b", {"v": v})
dtensor.enable_save_as_bf16([v, tf.Variable(1.0)])
tf.train.Checkpoint(v=v).write(PATH + "/c")
for name in "abc":
    shards = [file for file in os.listdir(PATH) if file.startswith(name + ".data-")]
    assert len(shards) == 4, shards
refuses(ValueError, dtensor.name_based_save, mesh, PATH + "/d", {"v": tf.ones([2])})
"""
    restore = """
mesh = dtensor.create_mesh([("z", 2)], devices=NAMES)
layout = dtensor.Layout(["z", "unsharded"], mesh)
value = np.arange(16, dtype=np.float32).reshape(4, 4) / 3
v = dtensor.DVariable(np.zeros((4, 4), np.float32), layout=layout)
tf.train.Checkpoint(v=v).read(PATH + "/a").assert_consumed()
assert v.layout == layout
np.testing.assert_array_equal(whole(v), value)
restored = dtensor.name_based_restore(mesh, PATH + "/b", {"v": v})["v"]
assert dtensor.fetch_layout(restored) == layout
np.testing.assert_array_equal(whole(restored), value)
dtensor.enable_save_as_bf16([v])
dtensor.DTensorCheckpoint(mesh, v=v).read(PATH + "/c")
np.testing.assert_allclose(whole(v), value, rtol=1e-2)
plain = tf.Variable(tf.zeros([4, 4]))
tf.train.Checkpoint(v=plain).read(PATH + "/a")
np.testing.assert_array_equal(plain, value)
wrong = dtensor.DVariable(np.zeros((2, 2), np.float32), layout=layout)
refuses(ValueError, dtensor.name_based_restore, mesh, PATH + "/b", {"v": wrong})
"""
    path = f"PATH = {str(tmp_path)!r}\n"
    run(4, path + save)
    run(2, path + restore)


def test_plain_values_of_64_bits_are_assigned() -> None:
    run(
        2,
        """
mesh = dtensor.create_mesh([("x", 2)], devices=NAMES)
v = dtensor.DVariable(np.arange(4.0), layout=dtensor.Layout(["x"], mesh))
v.assign(np.array([1e-300, 2.0, 3.0, 4.0]))
v.assign_add(tf.ones([4], tf.float64))
np.testing.assert_array_equal(whole(v), [1.0, 3.0, 4.0, 5.0])
""",
    )


_SHARDED_MODEL = """
devices = keras.distribution.list_devices("cpu")
mesh = keras.distribution.DeviceMesh((COUNT,), ["model"], devices)
layouts = keras.distribution.LayoutMap(mesh)
layouts[".*kernel"] = (None, "model")
keras.distribution.set_distribution(
    keras.distribution.ModelParallel(layout_map=layouts, batch_dim_name="model")
)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8), keras.layers.Dense(16)])
weights = [np.arange(np.prod(w.shape), dtype=np.float32).reshape(w.shape) for w in model.weights]
"""


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_sharded_models_restore_on_other_numbers_of_devices(tmp_path: Path, count: int) -> None:
    head = f"import os\nfrom tapeflow import keras\nPATH = {str(tmp_path / 'c')!r}\n"
    save = """
model.set_weights(weights)
tf.train.Checkpoint(model=model).write(PATH)
folder = os.path.dirname(PATH)
assert len([file for file in os.listdir(folder) if ".data-" in file]) == COUNT
"""
    restore = """
tf.train.Checkpoint(model=model).read(PATH).assert_existing_objects_matched()
for value, expected in zip(model.get_weights(), weights, strict=True):
    np.testing.assert_array_equal(value, expected)
"""
    other = {1: 8, 2: 4, 4: 1, 8: 2}[count]
    run(count, f"{head}COUNT = {count}\n{_SHARDED_MODEL}{save}")
    run(other, f"{head}COUNT = {other}\n{_SHARDED_MODEL}{restore}")


def test_datasets_place_batches() -> None:
    run(
        4,
        """
mesh = dtensor.create_mesh([("batch", 4)], devices=NAMES)
arrays = {"x": np.arange(20.0).reshape(10, 2), "y": np.arange(10)}
samples = tf.data.Dataset.from_tensor_slices(arrays)
layouts = {
    "x": dtensor.Layout.batch_sharded(mesh, "batch", 2),
    "y": dtensor.Layout.batch_sharded(mesh, "batch", 1),
}
options = dict(mesh=mesh, layouts=layouts, global_batch_size=4, batch_dim="batch")
batches = dtensor.DTensorDataset(samples, prefetch=1, **options)
assert batches.element_spec["x"].shape == (4, 2) and isinstance(batches, tf.data.Dataset)
seen = [(dtensor.fetch_layout(b["x"]), whole(b["y"]).tolist()) for b in batches]
assert seen == [(layouts["x"], [0, 1, 2, 3]), (layouts["x"], [4, 5, 6, 7])]
again = dtensor.DTensorDataset(samples.batch(2), dataset_already_batched=True, **options)
assert [whole(b["y"]).tolist() for b in again] == [[0, 1, 2, 3], [4, 5, 6, 7]]
refuses(ValueError, dtensor.DTensorDataset, samples.batch(2), **options)
refuses(ValueError, dtensor.DTensorDataset, samples, **{**options, "global_batch_size": 3})
refuses(ValueError, dtensor.DTensorDataset, samples, **{**options, "batch_dim": "z"})
""",
    )
