"""`tf.saved_model`: what is saved and loaded of objects, functions, signatures and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.core import protos

V = tf.Variable
SCALAR = tf.TensorSpec([], tf.float32)


def module(**attributes: Any) -> Any:
    made = tf.Module()
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


def saved_and_loaded(obj: Any, folder: Path, **kwargs: Any) -> Any:
    tf.saved_model.save(obj, folder, **kwargs)
    return tf.saved_model.load(folder)


def test_attributes(tmp_path: Path) -> None:
    inner = module(v=V(1.0))
    made = module(
        inner=inner, again=inner, items=[V(1), 2, V(3)], table={"a": V("x")}, number=5, pair=(V(2),)
    )
    loaded = saved_and_loaded(made, tmp_path)
    assert loaded.inner is loaded.again
    assert float(loaded.inner.v) == 1.0
    assert [i if i is None else int(i) for i in loaded.items] == [1, None, 3]
    assert loaded.table["a"].numpy() == b"x"
    assert [int(v) for v in loaded.pair] == [2]
    assert not hasattr(loaded, "number")
    assert not isinstance(loaded, tf.Module)
    assert loaded.tensorflow_version == tf.__version__


def test_variables(tmp_path: Path) -> None:
    made = module(a=V([1.0], name="first"), b=V(2, trainable=False), c=V([1.0, 2.0], shape=[None]))
    loaded = saved_and_loaded(made, tmp_path)
    assert (loaded.a.name, loaded.a.trainable, loaded.b.trainable) == ("first:0", True, False)
    assert loaded.c.shape == tf.TensorShape([None])
    loaded.c.assign([1.0, 2.0, 3.0])
    checkpoint = tf.train.Checkpoint(a=V([0.0]), b=V(0), c=V([0.0, 0.0]))
    checkpoint.restore(tmp_path).expect_partial()
    assert checkpoint.a.numpy().tolist() == [1.0]


def test_traces(tmp_path: Path) -> None:
    @tf.function
    def add(x: Any, y: Any = 1, *, twice: bool = False) -> Any:
        return (x + y) * (2 if twice else 1)

    assert int(add(tf.constant(1))) == 2
    assert add(tf.constant([1.0]), tf.constant([2.0]), twice=True).numpy().tolist() == [6.0]
    loaded = saved_and_loaded(module(add=add), tmp_path)
    assert int(loaded.add(tf.constant(4))) == 5
    assert int(loaded.add(4)) == 5
    assert loaded.add(x=[3.0], y=tf.constant([2.0]), twice=True).numpy().tolist() == [10.0]
    assert len(loaded.add.concrete_functions) == 2
    with pytest.raises(ValueError, match=r"(?s)No trace .* fits.*2 option"):
        loaded.add(tf.constant(1), 2)
    with pytest.raises(TypeError, match="do not fit the function"):
        loaded.add(tf.constant(1), 2, 3)
    assert int(tf.function(lambda x: loaded.add(x) * 10)(tf.constant(1))) == 20
    tf.config.run_functions_eagerly(True)
    try:
        assert int(loaded.add(tf.constant(4))) == 5
    finally:
        tf.config.run_functions_eagerly(False)


def test_traces_that_no_file_can_hold(tmp_path: Path, capsys: Any) -> None:
    made = module(f=tf.function(lambda x, how: x * 2))
    made.f(tf.constant(1), object)
    made.f(tf.constant(1), "plain")
    loaded = saved_and_loaded(made, tmp_path)
    assert "is left out of the SavedModel" in capsys.readouterr().err
    assert int(loaded.f(tf.constant(2), "plain")) == 4


@pytest.mark.parametrize("jit_compile", [None, True, False])
def test_gradients_and_compilation(tmp_path: Path, jit_compile: bool | None) -> None:
    made = module(w=V([1.0, 2.0]))

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)], jit_compile=jit_compile)
    def loss(x: Any) -> Any:
        return tf.reduce_sum(tf.square(x * made.w))

    made.loss = loss
    loaded = saved_and_loaded(made, tmp_path)
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = loaded.loss(x)
    assert float(y) == 73.0
    assert tape.gradient(y, loaded.w).numpy().tolist() == [18.0, 64.0]
    assert loaded.loss._options.jit_compile is jit_compile


def test_gradients_of_ones_own(tmp_path: Path) -> None:
    @tf.custom_gradient
    def reversed_gradient(x: Any) -> Any:
        return 2.0 * x, lambda upstream: -upstream * scale

    scale = tf.constant([3.0] * 200)
    made = module()
    made.f = tf.function(
        lambda x: tf.reduce_sum(reversed_gradient(x)), input_signature=[tf.TensorSpec([200])]
    )
    x = tf.ones([200])
    for options, expected in (
        (None, -3.0),
        (tf.saved_model.SaveOptions(experimental_custom_gradients=False), 2.0),
    ):
        loaded = saved_and_loaded(made, tmp_path, options=options)
        again = saved_and_loaded(loaded, tmp_path / "again")
        for model in (loaded, again):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = model.f(x)
            assert float(y) == 400.0
            assert set(tape.gradient(y, x).numpy().tolist()) == {expected}


def test_ops_that_are_not_known(tmp_path: Path) -> None:
    made = module(
        f=tf.function(tf.exp, input_signature=[SCALAR]),
        g=tf.function(lambda x: x + 1.0, input_signature=[SCALAR]),
    )
    tf.saved_model.save(made, tmp_path)
    file = tmp_path / "saved_model.pb"
    message = protos.SavedModel.FromString(file.read_bytes())
    for function in message.meta_graphs[0].graph_def.library.function:
        for node in function.node_def:
            node.op = node.op.replace("Exp", "NoSuchOp")
    file.write_bytes(message.SerializeToString())
    loaded = tf.saved_model.load(tmp_path)
    assert float(loaded.g(1.0)) == 2.0
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'NoSuchOp'"):
        loaded.f(1.0)
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'NoSuchOp'"):
        tf.saved_model.save(loaded, tmp_path / "again")


def test_state_changes(tmp_path: Path) -> None:
    made = module(v=V(0.0))

    @tf.function(input_signature=[SCALAR])
    def add(x: Any) -> Any:
        for _ in tf.range(3):
            if x > 0:
                made.v.assign_add(x)
        return made.v.read_value()

    made.add = add
    loaded = saved_and_loaded(made, tmp_path)
    assert [float(loaded.add(1.0)), float(loaded.add(-1.0)), float(loaded.add(2.0))] == [3, 3, 9]
    assert float(made.v) == 0.0


def test_datasets_in_functions(tmp_path: Path) -> None:
    def total(n: Any) -> Any:
        dataset = tf.data.Dataset.range(n).map(lambda x: x * x).filter(lambda x: x % 2 == 0)
        return dataset.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    made = module(total=tf.function(total, input_signature=[tf.TensorSpec([], tf.int64)]))
    loaded = saved_and_loaded(made, tmp_path)
    assert int(loaded.total(tf.constant(6, tf.int64))) == 0 + 4 + 16


def test_callables(tmp_path: Path) -> None:
    class Double(tf.Module):
        @tf.function(input_signature=[SCALAR])
        def __call__(self, x: Any) -> Any:
            return 2 * x

    loaded = saved_and_loaded(module(double=Double()), tmp_path)
    assert float(loaded.double(2.0)) == 4.0
    assert not callable(loaded)
    with pytest.raises(TypeError, match="not callable"):
        loaded()


def test_the_only_function_with_a_signature_serves(tmp_path: Path) -> None:
    made = module(f=tf.function(lambda x: x + 1, input_signature=[SCALAR]))
    made.g = tf.function(lambda x: x)
    loaded = saved_and_loaded(made, tmp_path)
    assert loaded.signatures["serving_default"](x=tf.constant(1.0))["output_0"].numpy() == 2.0
    made.h = tf.function(lambda x: x, input_signature=[SCALAR])
    assert dict(saved_and_loaded(made, tmp_path).signatures) == {}


def test_signatures(tmp_path: Path) -> None:
    made = module(v=V(2.0))
    f = tf.function(lambda x, y: [x * made.v, y])
    concrete = f.get_concrete_function(
        tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32, name="second")
    )
    loaded = saved_and_loaded(made, tmp_path, signatures={"one": concrete})
    one = loaded.signatures["one"]
    found = one(x=tf.constant([1.0]), second=tf.constant(3))
    assert {key: value.numpy().tolist() for key, value in found.items()} == {
        "output_0": [2.0],
        "output_1": 3,
    }
    assert one.structured_input_signature[0] == ()
    assert one.variables == (loaded.v,)
    assert repr(loaded.signatures).startswith("_SignatureMap({'one': <ConcreteFunction (*, sec")
    with pytest.raises(KeyError):
        loaded.signatures["two"]


def test_wrong_signatures(tmp_path: Path) -> None:
    made = module(f=tf.function(lambda x: {"a": [x]}))
    for wrong in (made.f, 3):
        with pytest.raises(ValueError, match="A signature must be"):
            tf.saved_model.save(made, tmp_path, signatures=wrong)
    with pytest.raises(ValueError, match=r"non-Tensor value.* for 'a'"):
        tf.saved_model.save(made, tmp_path, signatures=made.f.get_concrete_function(SCALAR))
    with pytest.raises(ValueError, match="has an attribute 'signatures'"):
        tf.saved_model.save(module(signatures=tf.Module()), tmp_path)
    assert not tf.saved_model.contains_saved_model(tmp_path)


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expects a trackable object"):
        tf.saved_model.save(3, tmp_path)
    lost = V(1.0)
    made = module(f=tf.function(lambda: lost + 1.0, input_signature=[]))
    with pytest.raises(AssertionError, match="'untracked'"):
        tf.saved_model.save(made, tmp_path)


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    assert not tf.saved_model.contains_saved_model(tmp_path)
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(tmp_path)
    tf.saved_model.save(module(), tmp_path)
    assert tf.saved_model.contains_saved_model(tmp_path)
    tf.saved_model.load(tmp_path, tags="serve")
    with pytest.raises(ValueError, match="do not match the SavedModel"):
        tf.saved_model.load(tmp_path, tags=["other"])


def test_assets(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("a\nb\n")
    made = module(asset=tf.saved_model.Asset(file))
    made.read = tf.function(lambda: tf.io.read_file(made.asset.asset_path), input_signature=[])
    other = tmp_path / "other"
    other.mkdir()
    (other / "words.txt").write_text("c\n")
    made.second = tf.saved_model.Asset(str(other / "words.txt"))
    folder = tmp_path / "model"
    tf.saved_model.save(made, folder)
    moved = folder.rename(tmp_path / "moved")
    file.unlink()
    loaded = tf.saved_model.load(moved)
    assert loaded.read().numpy() == b"a\nb\n"
    assert loaded.asset.asset_path.numpy() == str(moved / "assets" / "words.txt").encode()
    assert sorted(f.name for f in (moved / "assets").iterdir()) == ["words.txt", "words_1.txt"]


def test_options(tmp_path: Path) -> None:
    made = module(v=V(2.0), f=tf.function(lambda x: x, input_signature=[SCALAR]))
    options = tf.saved_model.SaveOptions(extra_tags=["more"], function_aliases={"name": made.f})
    tf.saved_model.save(made, tmp_path, options=options)
    loaded = tf.saved_model.load(
        tmp_path,
        tags=["serve", "more"],
        options=tf.saved_model.LoadOptions(experimental_skip_checkpoint=True),
    )
    assert float(loaded.v) == 0.0


def test_loaded_models_go_on(tmp_path: Path) -> None:
    made = module(v=V([1.0, 2.0]))
    made.f = tf.function(lambda x: x * made.v, input_signature=[tf.TensorSpec([2])])
    loaded = saved_and_loaded(made, tmp_path / "first")
    loaded.v.assign([3.0, 4.0])
    loaded.extra = V(5.0)
    again = saved_and_loaded(loaded, tmp_path / "second")
    assert again.f([1.0, 1.0]).numpy().tolist() == [3.0, 4.0]
    assert float(again.extra) == 5.0
    path = tf.train.Checkpoint(again).save(tmp_path / "ckpt")
    tf.train.Checkpoint(loaded).restore(path).assert_existing_objects_matched()
