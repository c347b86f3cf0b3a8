"""Inputs that may be left out, and losses of whole structures of outputs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.trainers.compile_loss import CompileLoss

layers = tf.keras.layers
X = np.ones((5, 2), "float32")


class Optional(layers.Layer):  # type: ignore[misc, name-defined]
    def call(self, x: Any, other: Any = None) -> Any:
        return x if other is None else x + other


@pytest.mark.parametrize("kind", ["arrays", "generator"])
def test_an_optional_input_may_be_none(kind: str) -> None:
    x, other = tf.keras.Input((2,), name="x"), tf.keras.Input((2,), name="other", optional=True)
    outputs = layers.Dense(1, kernel_initializer="ones")(Optional()(x, other))
    model = tf.keras.Model({"x": x, "other": other}, outputs)
    model.compile("sgd", "mse", jit_compile=False)

    def data(*targets: Any) -> Any:
        if kind == "arrays":
            return ({"x": X, "other": None}, *targets), {"batch_size": 2}
        return (iter([({"x": X, "other": None}, *targets)]),), {}

    args, kwargs = data(2 * np.ones((5, 1), "float32"))
    assert model.evaluate(*args, **kwargs, verbose=0) == 0.0
    args, kwargs = data(2 * np.ones((5, 1), "float32"))
    assert model.fit(*args, **kwargs, verbose=0, shuffle=False).history["loss"][0] == 0.0
    args, kwargs = data()
    np.testing.assert_array_equal(model.predict(*args, **kwargs, verbose=0), [[2.0]] * 5)


class Two(NamedTuple):
    a: Any
    b: Any


def total(y_true: Any, y_pred: Any) -> Any:
    assert type(y_true) is type(y_pred)
    return tf.add_n([tf.abs(t - p) for t, p in zip(flat(y_true), flat(y_pred))])


def flat(structure: Any) -> list[Any]:
    return tf.nest.flatten(structure)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (lambda a, b: (a, b), ["y1_loss", "y1_y2_loss", "y2_loss"]),
        (Two, ["y1_loss", "y1_y2_loss", "y2_loss"]),
        (lambda a, b: {"a": a, "b": b}, ["a_b_loss", "a_loss", "b_loss"]),
    ],
)
def test_a_list_has_several_losses_for_a_structure(kind: Any, names: list[str]) -> None:
    x = tf.keras.Input((2,))
    y1, y2 = (layers.Dense(1, "tanh", kernel_initializer="zeros", name=n)(x) for n in ("y1", "y2"))
    model = tf.keras.Model(x, kind(y1, y2))
    model.compile("sgd", [total, kind("mae", "mse")], jit_compile=False)
    logs = model.evaluate(X, kind(X[:, :1], 2 * X[:, :1]), verbose=0, return_dict=True)
    assert sorted(set(logs) - {"loss"}) == names
    assert logs["loss"] == pytest.approx(3.0 + 1.0 + 4.0)


def test_build_refuses_another_shape() -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(2)])
    with pytest.raises(ValueError, match=r"configured.*\(3, 4\)"):
        model.build((3, 4))
    model.build((3, 2))


def test_accuracy_of_booleans() -> None:
    right = tf.keras.metrics.BinaryAccuracy()
    assert float(right(np.array([True, False]), np.array([True, True]))) == 0.5


def test_sparse_matrices_of_scipy() -> None:
    scipy_sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    dense = np.eye(6, 4, dtype="float32")
    x, y = scipy_sparse.csr_matrix(dense), np.ones((6, 1), "float32")
    model = tf.keras.Sequential([tf.keras.Input((4,), sparse=True), layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    expected = model.evaluate(dense, y, verbose=0)
    assert model.evaluate(x, y, batch_size=2, verbose=0) == pytest.approx(expected, rel=1e-5)
    batches = ((x[at : at + 2], y[at : at + 2]) for at in (0, 2, 4))
    assert model.evaluate(batches, verbose=0) == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(model.predict(x, verbose=0), model.predict(dense, verbose=0))
    assert model.fit(x, y, batch_size=6, verbose=0).history["loss"][0] == pytest.approx(expected)


def test_sparse_arrays_of_jax() -> None:
    from_jax = pytest.importorskip("jax.experimental.sparse", reason="JAX is not installed")
    dense, y = np.eye(6, 4, dtype="float32"), np.ones((6, 1), "float32")
    x = from_jax.BCOO.fromdense(dense)
    model = tf.keras.Sequential([tf.keras.Input((4,), sparse=True), layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    expected = model.evaluate(dense, y, verbose=0)
    assert model.evaluate(x, y, batch_size=2, verbose=0) == pytest.approx(expected, rel=1e-5)
    assert model.evaluate(iter([(x, y)]), verbose=0) == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(model.predict(x, verbose=0), model.predict(dense, verbose=0))


def test_metrics_are_reported_in_the_order_of_the_output_names() -> None:
    x = tf.keras.Input((2,))
    outputs = {"a": layers.Dense(1, name="b")(x), "b": layers.Dense(1, name="a")(x)}
    model = tf.keras.Model(x, outputs)
    assert model.output_names == ["b", "a"]
    model.compile("sgd", "mse", metrics={"a": ["mae"], "b": ["mape"]})
    y = np.ones((5, 1), "float32")
    model.evaluate(X, {"a": y, "b": y}, verbose=0)
    assert list(model.get_metrics_result()) == ["loss", "b_mape", "a_mae", "a_loss", "b_loss"]


def test_a_loss_that_is_built_again_counts_each_output_once() -> None:
    loss = CompileLoss("mse")
    target, prediction = np.zeros((3, 2), "float32"), np.ones((3, 2), "float32")
    loss.build(tf.keras.KerasTensor((3, 4)), tf.keras.KerasTensor((3, 4)))
    loss.build(target, prediction)
    assert float(loss(target, prediction)) == 1.0


class Series:
    """The part of `pandas.Series` by which it is recognized."""

    iloc, ndim, shape = None, 1, (6,)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.arange(6, dtype=dtype)


def test_a_series_is_one_column() -> None:
    shapes: list[Any] = []

    class Seen(tf.keras.Model):  # type: ignore[misc, name-defined]
        def test_step(self, data: Any) -> Any:
            shapes.append([part.shape.as_list() for part in data])
            return {}

    model = Seen()
    model.compile(run_eagerly=True)
    model.evaluate(Series(), Series(), batch_size=6, verbose=0)
    assert shapes == [[[6, 1], [6, 1]]]
