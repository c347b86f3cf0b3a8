"""`tf.Module`: what it finds, and in which order; `tf.print`; no-ops of eager execution."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf


class Dense(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(1.0, name="w")
        self.b = tf.Variable(0.0, trainable=False, name="b")


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.z = tf.Variable(9.0, name="z")
        self.layers = [Dense(), Dense(name="two")]
        self.again = self.layers[0]
        self.table = {"k": tf.Variable(5.0, name="k")}
        self.value = tf.constant(1.0)


class HTTPServerLayer(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        with self.name_scope:
            self.v = tf.Variable(1.0, name="v")

    @tf.Module.with_name_scope
    def __call__(self) -> Any:
        """Make a variable."""
        return tf.Variable(2.0, name="u")


def names(variables: Any) -> list[str]:
    return [v.name for v in variables]


def test_variables_by_attribute_then_by_module() -> None:
    model = Model()
    assert names(model.variables) == ["k:0", "z:0", "b:0", "w:0", "b:0", "w:0"]
    assert names(model.trainable_variables) == ["k:0", "z:0", "w:0", "w:0"]
    assert names(model.non_trainable_variables) == ["b:0", "b:0"]
    assert list(model.submodules) == model.layers


def test_names() -> None:
    assert (Dense().name, Dense("x").name, Model().name) == ("dense", "x", "model")
    assert HTTPServerLayer().name == "http_server_layer"
    layer = HTTPServerLayer("abc")
    assert (layer.v.name, layer().name, layer.name_scope.name) == ("abc/v:0", "abc/u:0", "abc/")
    assert HTTPServerLayer.__call__.__doc__ == "Make a variable."
    for bad in ("a-b", "a/b", ""):
        with pytest.raises(ValueError, match="not a valid module name"):
            tf.Module(bad)


def test_paths() -> None:
    found = dict(Model()._flatten(with_path=True, predicate=lambda v: isinstance(v, tf.Variable)))
    assert ("layers", 1, "w") in found and ("table", "k") in found


def test_unreadable_attributes_are_named() -> None:
    model = tf.Module()
    model.broken = {1: 2, "a": 3}  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="'broken'"):
        model.variables  # noqa: B018


def test_gradients_of_a_module() -> None:
    model = Model()
    with tf.GradientTape() as tape:
        y = model.z * model.layers[0].w
    gradients = tape.gradient(y, model.trainable_variables)
    assert [None if g is None else float(g) for g in gradients] == [None, 1.0, 9.0, None]


def test_print(capsys: Any, tmp_path: Any) -> None:
    tf.print("x", tf.constant([1.0, 2.0]), tf.Variable(3), [1, tf.constant("a")], sep=";")
    assert capsys.readouterr().err == 'x;[1 2];3;[1, "a"]\n'
    path = tmp_path / "out.txt"
    tf.print("a", output_stream=f"file://{path}", end="!")
    tf.print("b", output_stream=f"file://{path}")
    assert path.read_text() == "a!b\n"
    with pytest.raises(ValueError, match="Unrecognized keyword"):
        tf.print(1, nonsense=2)
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print(1, output_stream=3)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("summarize", "text"),
    [
        (3, "indices=[[0]\n [2]\n [3]], values=[1 2 3]"),
        (1, "indices=[[0]\n ...\n [3]], values=[1 ... 3]"),
    ],
)
def test_sparse_tensors_are_printed(capsys: Any, traced: bool, summarize: int, text: str) -> None:
    def show(x: Any) -> None:
        sparse = tf.sparse.from_dense(x)
        tf.print("a", [sparse, x[0]], "b", summarize=summarize)

    (tf.function(show) if traced else show)(tf.constant([1, 0, 2, 3]))
    assert capsys.readouterr().err == f"a ['SparseTensor({text}, shape=[4])', 1] b\n"


def test_eager_no_ops() -> None:
    with tf.control_dependencies([tf.constant(1)]), tf.init_scope():
        assert tf.executing_eagerly() and not tf.inside_function()
    assert tf.group(tf.constant(1), name="g") is None and tf.no_op() is None


def test_trained_variables_do_not_depend_on_an_override_of_variables() -> None:
    class Hidden(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = tf.Variable(1.0), tf.Variable(2.0, trainable=False)

        @property
        def variables(self) -> tuple[Any, ...]:
            return ()

    module = Hidden()
    assert [float(v) for v in module.trainable_variables] == [1.0]
    assert [float(v) for v in module.non_trainable_variables] == [2.0]
