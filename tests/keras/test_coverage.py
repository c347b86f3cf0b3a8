"""Every public layer, loss, metric, optimizer and so on has a case recorded from Keras."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import tapeflow as tf
from tests.keras.oracle import programs, recorded

keras = tf.keras

# Where the constructors of a namespace are recorded, and the base of its classes.
TABLES: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    "layers": (keras.layers, keras.layers.Layer, ("layer_steps", "layer_steps_keras_2")),
    "losses": (keras.losses, keras.losses.Loss, ("losses",)),
    "metrics": (keras.metrics, keras.metrics.Metric, ("metrics", "layer_steps_keras_2")),
    "optimizers": (keras.optimizers, keras.optimizers.Optimizer, ("optimizers",)),
    "schedules": (
        keras.optimizers.schedules,
        keras.optimizers.schedules.LearningRateSchedule,
        ("optimizers",),
    ),
    "initializers": (
        keras.initializers,
        keras.initializers.Initializer,
        ("initializers", "corner_cases"),
    ),
    "regularizers": (keras.regularizers, keras.regularizers.Regularizer, ("regularizers",)),
    "constraints": (
        keras.constraints,
        keras.constraints.Constraint,
        ("constraints", "layer_steps_keras_2"),
    ),
}
# Classes without a case of their own, and why.
EXEMPT = {
    "Layer": "the base class",
    "Loss": "the base class",
    "Metric": "the base class",
    "Optimizer": "the base class",
    "LearningRateSchedule": "the base class",
    "Initializer": "the base class",
    "Regularizer": "the base class",
    "Constraint": "the base class",
    "AbstractRNNCell": "a base class, whose cells run in the table recurrent_keras_2",
    "Wrapper": "a base class",
    "InputLayer": "computes nothing; its arguments are in the table behaviour",
    "DenseFeatures": "needs feature columns: the table feature_columns",
    "TFSMLayer": "needs a SavedModel: tests/keras/files/test_export.py",
    "TorchModuleWrapper": "needs PyTorch on both sides: tests/keras/test_keras_2_extras.py",
    "JaxLayer": "needs JAX on the other side, too: tests/keras/test_jax_layer.py",
    "FlaxLayer": "needs Flax on the other side, too: tests/keras/test_jax_layer.py",
}


def classes(namespace: Any, base: Any) -> dict[str, list[str]]:
    """The public classes by name, each with its aliases."""
    found: dict[Any, list[str]] = {}
    for name in dir(namespace):
        member = getattr(namespace, name)
        if inspect.isclass(member) and issubclass(member, base):
            found.setdefault(member, []).append(name)
    return {cls.__name__: sorted({cls.__name__, *names}) for cls, names in found.items()}


@pytest.mark.parametrize("kind", TABLES)
def test_every_class_has_a_recorded_case(kind: str) -> None:
    namespace, base, tables = TABLES[kind]
    code = "\n".join(program for table in tables for program in programs(table).values())
    missing = [
        name
        for name, names in classes(namespace, base).items()
        if name not in EXEMPT and not re.search(rf"\b({'|'.join(names)})\(", code)
    ]
    assert not missing


def test_exemptions_are_of_classes_that_exist() -> None:
    public = {name for namespace, base, _ in TABLES.values() for name in classes(namespace, base)}
    assert set(EXEMPT) <= public


@pytest.mark.parametrize("table", ["layer_steps", "layer_steps_keras_2"])
def test_no_layer_is_recorded_as_an_error(table: str) -> None:
    for name, result in recorded(table).items():
        assert "error" not in result, name


def test_configs_of_layers_make_equal_layers() -> None:
    unequal = [name for name, result in recorded("layer_steps").items() if result[-2] is not True]
    assert not unequal
