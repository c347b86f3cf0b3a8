"""Inputs that may be left out, and losses of whole structures of outputs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import tapeflow as tf

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

    for method in (model.evaluate, model.fit):
        args, kwargs = data(2 * np.ones((5, 1), "float32"))
        logs = method(*args, **kwargs, verbose=0)
        assert (logs if method == model.evaluate else logs.history["loss"][0]) == 0.0
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
