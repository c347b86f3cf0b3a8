"""Tensors on meshes: values equal those of plain tensors, and layouts propagate."""

from __future__ import annotations

from tests.dtensor.on_devices import run

MESH = """
mesh = dtensor.create_mesh([("x", 3), ("y", 2)], devices=NAMES)
U = dtensor.UNSHARDED
plain = np.arange(24, dtype=np.float32).reshape(6, 4)
sharded = dtensor.copy_to_mesh(plain, dtensor.Layout(["x", "y"], mesh))
rows = dtensor.relayout(sharded, dtensor.Layout(["x", U], mesh))
elsewhere = dtensor.create_mesh([("z", 6)], "other", NAMES)
other = dtensor.copy_to_mesh(plain, dtensor.Layout.replicated(elsewhere, 2))
"""


def test_unpack_inverts_pack_and_layouts_divide_values() -> None:
    run(
        6,
        MESH
        + """
parts = dtensor.unpack(sharded)
assert [p.shape.as_list() for p in parts] == [[2, 2]] * 6
assert [p.device[-5:] for p in parts] == NAMES
for part, (i, j) in zip(parts, dtensor.fetch_layout(sharded).offset_to_shard()):
    np.testing.assert_array_equal(part, plain[2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
again = dtensor.pack(parts, dtensor.fetch_layout(sharded))
assert again.shape == (6, 4) and specs(again) == ["x", "y"]
np.testing.assert_array_equal(whole(again), plain)
texts = dtensor.copy_to_mesh([b"a", b"b", b"c"], dtensor.Layout(["x"], mesh))
assert [t.numpy().tolist() for t in dtensor.unpack(texts)][::2] == [[b"a"], [b"b"], [b"c"]]
assert sharded.device == dtensor.device_name() and dtensor.is_dtensor(sharded)
assert not dtensor.is_dtensor(tf.constant(1)) and dtensor.fetch_layout(1) is None
assert '"CPU:5": [[18 19]' in repr(sharded) and 'layout="sharding_specs:x,y,' in str(sharded)
np.testing.assert_array_equal(whole(sharded), plain)
refuses(tf.errors.UnimplementedError, sharded.numpy)
refuses(tf.errors.UnimplementedError, np.asarray, rows)
refuses(tf.errors.InvalidArgumentError, dtensor.unpack, tf.constant(1))
refuses(tf.errors.InvalidArgumentError, dtensor.pack, [1] * 5, dtensor.Layout([], mesh))
refuses(tf.errors.UnknownError, dtensor.relayout, tf.ones([4, 4]), dtensor.Layout(["x", U], mesh))
refuses(tf.errors.UnknownError, dtensor.relayout, sharded, dtensor.Layout(["x"], mesh))
refuses(ValueError, dtensor.check_layout, sharded, dtensor.fetch_layout(rows))
assert specs(dtensor.relayout(sharded, dtensor.Layout([U, dtensor.MATCH], mesh))) == [U, "y"]
assert specs(dtensor.relayout_like(tf.ones([6, 4]), rows)) == ["x", U]
""",
    )


def test_ops_compute_global_results_and_propagate_layouts() -> None:
    run(
        6,
        MESH
        + """
from functools import partial

calls = {
    "add": (lambda x: x + x, ["x", "y"]),
    "scalar": (lambda x: 2.0 * x + 1, ["x", "y"]),
    "transpose": (tf.transpose, ["y", "x"]),
    "sum": (lambda x: tf.reduce_sum(x, 0), ["y"]),
    "total": (tf.reduce_sum, []),
    "cast": (lambda x: tf.cast(x, tf.int64), ["x", "y"]),
    "softmax": (tf.nn.softmax, ["x", "y"]),
    "matmul": (lambda x: tf.matmul(x, x, transpose_b=True), None),
    "reshape": (lambda x: tf.reshape(x, [-1]), None),
    "concat": (lambda x: tf.concat([x, x + 1], 1), None),
    "slice": (lambda x: x[1:5, ::2], None),
    "split": (lambda x: tf.split(x, 2, axis=1)[1], None),
    "where": (lambda x: tf.where(x > 3, x, -x), ["x", "y"]),
    "argmax": (lambda x: tf.argmax(x, 1), ["x"]),
    "gather": (lambda x: tf.gather(x, [0, 5]), None),
    "sort": (lambda x: tf.sort(-x, axis=1), None),
    "string": (tf.strings.as_string, None),
}
almost = partial(np.testing.assert_allclose, rtol=1e-6)
for name, (call, expected) in calls.items():
    for run in (call, tf.function(call)):
        result = run(sharded)
        assert dtensor.is_dtensor(result), name
        value = call(tf.constant(plain)).numpy()
        equal = almost if name == "softmax" else np.testing.assert_array_equal
        equal(whole(result), value, err_msg=name)
        assert expected is None or specs(result) == expected, (name, specs(result))
assert specs(sharded + rows) == ["x", "y"] and specs(tf.ones_like(rows)) == ["x", U]
assert float(tf.reduce_sum(sharded)) == plain.sum()
refuses(tf.errors.UnknownError, lambda: sharded + other)
refuses(tf.errors.InvalidArgumentError, lambda: tf.matmul(sharded, sharded))
np.testing.assert_array_equal(whole(sharded + plain), 2 * plain)
""",
    )


def test_gradients_equal_those_of_plain_tensors() -> None:
    run(
        6,
        MESH
        + """
def loss(w, x):
    return tf.reduce_sum(tf.tanh(tf.matmul(x, w, transpose_a=True)) ** 2)


def gradients(function, w, x):
    with tf.GradientTape() as tape:
        tape.watch([w, x])
        y = function(w, x)
    return tape.gradient(y, [w, x])


small = plain / 24
expected = gradients(loss, tf.constant(small), tf.constant(small[::-1]))
w = dtensor.copy_to_mesh(small, dtensor.Layout(["x", "y"], mesh))
x = dtensor.copy_to_mesh(small[::-1].copy(), dtensor.Layout(["x", U], mesh))
for function in (loss, tf.function(loss)):
    for tensor, value, layout in zip(gradients(function, w, x), expected, (["x", "y"], None)):
        np.testing.assert_allclose(whole(tensor), value.numpy(), rtol=1e-5, atol=1e-6)
with tf.GradientTape() as outer:
    outer.watch(w)
    with tf.GradientTape() as inner:
        inner.watch(w)
        y = tf.reduce_sum(w**3)
    first = inner.gradient(y, w)
np.testing.assert_allclose(whole(outer.gradient(first, w)), 6 * small, rtol=1e-5)
start = tf.constant(small)
with tf.GradientTape() as tape:
    tape.watch(start)
    y = tf.reduce_sum(dtensor.relayout(start, dtensor.Layout(["x", "y"], mesh)) ** 2)
np.testing.assert_allclose(whole(tape.gradient(y, start)), 2 * small, rtol=1e-6)
""",
    )


def test_call_with_layout_and_default_meshes() -> None:
    run(
        6,
        MESH
        + """
layout = dtensor.Layout(["x", "y"], mesh)
draw = tf.random.stateless_normal
for fn in (draw, tf.function(draw)):
    drawn = dtensor.call_with_layout(fn, layout, shape=(6, 4), seed=(1, 2))
    assert dtensor.fetch_layout(drawn) == layout
    np.testing.assert_allclose(whole(drawn), draw((6, 4), (1, 2)).numpy(), rtol=1e-6, atol=1e-6)
assert not dtensor.is_dtensor(dtensor.call_with_layout(tf.zeros, None, [2]))
pair = dtensor.call_with_layout(lambda: (tf.zeros([6, 2]), tf.ones([3, 4])), layout)
assert [specs(t) for t in pair] == [["x", "y"]] * 2
assert specs(tf.zeros([3, 2], layout=layout)) == ["x", "y"]
assert dtensor.get_default_mesh() is None
with dtensor.default_mesh(mesh):
    assert dtensor.get_default_mesh() == mesh
    assert specs(tf.ones([3])) == specs(tf.constant([1, 2]) + 1) == [U]
    assert specs(tf.function(lambda: tf.range(4) * 2)()) == [U]
    with dtensor.run_on(dtensor.fetch_layout(other).mesh):
        assert specs(sharded + 1) == ["x", "y"]
assert not dtensor.is_dtensor(tf.ones([3]))


@tf.function
def arranged(x):
    y = dtensor.relayout(x + 1, dtensor.Layout([U, "y"], mesh))
    return y, dtensor.relayout_like(x, y)


assert [specs(t) for t in arranged(sharded)] == [[U, "y"]] * 2
""",
    )


def test_plain_functions_do_not_import_the_compiler() -> None:
    run(
        2,
        """
import sys

dtensor.create_mesh([("x", 2)], devices=NAMES)
assert float(tf.function(lambda x: x + 1)(tf.constant(1.0))) == 2.0
assert "jax" not in sys.modules
""",
    )
