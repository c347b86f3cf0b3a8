"""Initializers as laws: configs, seeds, orthogonality, spread, windows, use in functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.initializers.programs import MADE

initializers = tf.keras.initializers


def make(code: str) -> Any:
    return eval(f"initializers.{code}", {"initializers": initializers})


@pytest.mark.parametrize("made", [*MADE, "Identity(2.0)", "STFT('imag')", "STFT(window=None)"])
def test_configs_make_equal_initializers(made: str) -> None:
    initializer = make(made)
    shape = (4, 1, 3) if "STFT" in made else (2, 3)
    config = initializers.serialize(initializer)
    assert config["module"] == "keras.initializers"
    for other in (initializers.deserialize(config), initializer.clone()):
        assert type(other) is type(initializer) and other.get_config() == initializer.get_config()
        np.testing.assert_array_equal(other(shape), initializer(shape))


@pytest.mark.parametrize("made", MADE)
def test_values_do_not_depend_on_where_they_are_made(made: str) -> None:
    initializer = make(made)
    traced = tf.function(lambda: initializer((2, 3)))
    np.testing.assert_allclose(traced(), initializer((2, 3)), rtol=1e-6)


def test_without_a_seed_each_initializer_has_one() -> None:
    first, second = initializers.RandomNormal(), initializers.RandomNormal()
    np.testing.assert_array_equal(first((4,)), first((4,)))
    assert not np.array_equal(first((4,)), second((4,)))
    assert first.get_config()["seed"] is None


@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (2, 3, 4)])
def test_orthogonal(shape: tuple[int, ...]) -> None:
    matrix = initializers.Orthogonal(gain=2.0, seed=1)(shape).numpy().reshape(-1, shape[-1]) / 2
    if matrix.shape[0] < matrix.shape[1]:
        matrix = matrix.T
    np.testing.assert_allclose(matrix.T @ matrix, np.eye(matrix.shape[1]), atol=1e-5)


@pytest.mark.parametrize(
    ("made", "variance"),
    [
        ("GlorotNormal(seed=1)", 2 / 300),
        ("GlorotUniform(seed=1)", 2 / 300),
        ("HeNormal(seed=1)", 2 / 100),
        ("HeUniform(seed=1)", 2 / 100),
        ("LecunNormal(seed=1)", 1 / 100),
        ("LecunUniform(seed=1)", 1 / 100),
    ],
)
def test_spread(made: str, variance: float) -> None:
    values = make(made)((100, 200)).numpy()
    assert values.var() == pytest.approx(variance, rel=0.05)
    assert values.mean() == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("window", ["hann", "hamming"])
def test_windows(window: str) -> None:
    kernel = initializers.STFT(window=window, scaling="spectrum")((8, 1, 5)).numpy()
    values = getattr(np, {"hann": "hanning"}.get(window, window))(8)
    np.testing.assert_allclose(kernel[:, 0, 0], values / values.sum(), atol=1e-6)


def test_refused_windows() -> None:
    with pytest.raises(ValueError, match="Unknown window 'x'"):
        initializers.STFT(window="x")
    with pytest.raises(ValueError, match="window of shape"):
        initializers.STFT(window=np.ones(3))((4, 1, 3))
    with pytest.raises(ValueError, match="`scaling`"):
        initializers.STFT(scaling="x")


def test_an_initializer_of_ones_own() -> None:
    @tf.keras.saving.register_keras_serializable("tests")
    class Halves(initializers.Initializer):  # type: ignore[name-defined,misc]
        def __call__(self, shape: Any, dtype: Any = None) -> Any:
            return tf.fill(shape, tf.cast(0.5, dtype or tf.float32))

    again = initializers.deserialize(initializers.serialize(Halves()))
    assert type(again) is Halves
    variable = tf.keras.Variable(again, shape=(2,), dtype="float32")
    assert variable.numpy().tolist() == [0.5, 0.5]
