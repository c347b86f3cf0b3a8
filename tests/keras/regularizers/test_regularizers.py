"""Regularizers and constraints through their configs, in functions, and of ones own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.constraints.programs import MADE as CONSTRAINTS
from tests.keras.regularizers.programs import MADE as REGULARIZERS

X = tf.constant([[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]])
CASES = [("regularizers", made) for made in REGULARIZERS]
CASES += [("constraints", made) for made in CONSTRAINTS]


@pytest.mark.parametrize(("namespace", "made"), CASES)
def test_configs_and_functions(namespace: str, made: str) -> None:
    module = getattr(tf.keras, namespace)
    made_object = eval(f"module.{made}", {"module": module})
    config = module.serialize(made_object)
    assert config["module"] == f"keras.{namespace}"
    other = module.deserialize(config)
    assert type(other) is type(made_object) and other.get_config() == made_object.get_config()
    np.testing.assert_allclose(tf.function(other)(X), made_object(X), rtol=1e-6)


def test_a_regularizer_of_ones_own() -> None:
    @tf.keras.saving.register_keras_serializable("tests")
    class Largest(tf.keras.regularizers.Regularizer):
        def __init__(self, factor: float = 0.5) -> None:
            self.factor = factor

        def __call__(self, x: Any) -> Any:
            return self.factor * tf.reduce_max(tf.abs(x))

        def get_config(self) -> dict[str, Any]:
            return {"factor": self.factor}

    again = tf.keras.regularizers.get(tf.keras.regularizers.serialize(Largest(0.25)))
    assert float(again(X)) == 1.0
    assert type(tf.keras.regularizers.get("tests>Largest")) is Largest


def test_a_constraint_holds_for_a_variable() -> None:
    variable = tf.Variable([[3.0], [4.0]], constraint=tf.keras.constraints.UnitNorm(axis=0))
    tf.keras.optimizers.SGD(0.0).apply([tf.ones_like(variable)], [variable])
    np.testing.assert_allclose(variable.numpy(), [[0.6], [0.8]], rtol=1e-6)
