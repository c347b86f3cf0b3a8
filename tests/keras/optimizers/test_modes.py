"""Optimizers work eagerly, in functions, compiled, and in checkpoints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.optimizers.checkpoint import PREFIX, RESULTS, Training
from tests.keras.optimizers.programs import OPTIMIZERS

INPUTS = tf.constant([[1.0, -1.0], [0.5, 2.0], [-0.3, 0.2]])
IDS = tf.constant([1, 0, 1])


def make(code: str) -> Any:
    return eval(f"k.optimizers.{code}", {"k": tf.keras})


def fresh() -> list[Any]:
    return [
        tf.keras.Variable([[0.5, -1.0], [2.0, 0.1]], name="matrix"),
        tf.Variable([1.0, -2.0]),
        tf.Variable(0.5),
        tf.keras.Variable([[0.5, 1.0], [-0.5, 0.25], [1.0, 1.0]], name="embedding"),
    ]


def step(optimizer: Any, variables: list[Any]) -> Any:
    matrix, bias, scale, table = variables
    with tf.GradientTape() as tape:
        rows = tf.gather(table, IDS)
        loss = tf.reduce_sum((tf.tanh(INPUTS @ matrix + bias) * scale + rows - 0.3) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
    return loss


def values(optimizer: Any, variables: list[Any]) -> list[Any]:
    return [variable.numpy() for variable in (*variables, *optimizer.variables)]


# To compile takes a second: one of each kind.
COMPILED = (
    *("sgd momentum", "sgd accumulation averages", "adam", "adam amsgrad", "adamw averages"),
    *("nadam", "rmsprop all", "adafactor", "ftrl", "lamb", "muon", "loss scale"),
)


def agrees_with_eager(name: str, compiled: bool) -> None:
    eager, traced = make(OPTIMIZERS[name]), make(OPTIMIZERS[name])
    theirs, ours = fresh(), fresh()
    train = tf.function(lambda: step(traced, ours), jit_compile=compiled)
    for _ in range(4):
        expected = step(eager, theirs)
        np.testing.assert_allclose(train(), expected, rtol=1e-4, atol=1e-5)
    for have, want in zip(values(traced, ours), values(eager, theirs)):
        np.testing.assert_allclose(have, want, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_interpreted(name: str) -> None:
    agrees_with_eager(name, compiled=False)


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name: str) -> None:
    agrees_with_eager(name, compiled=True)


def test_variables_may_be_arguments() -> None:
    for built in (False, True):
        eager, traced = tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.Adam(0.1)
        theirs, ours = fresh(), fresh()
        if built:
            traced.build(ours)
        train = tf.function(step, jit_compile=False)
        for _ in range(3):
            train(traced, ours)
            step(eager, theirs)
        for have, want in zip(values(traced, ours), values(eager, theirs)):
            np.testing.assert_allclose(have, want, rtol=2e-4, atol=2e-5)


def test_a_value_that_is_not_known_yet_cannot_be_started_from() -> None:
    optimizer, variables = tf.keras.optimizers.ScheduleFreeAdamW(), fresh()
    with pytest.raises(ValueError, match="starts from the value of"):
        tf.function(step)(optimizer, variables)


def test_the_state_is_created_in_the_first_trace_only() -> None:
    optimizer, variables = tf.keras.optimizers.Adam(0.1), fresh()
    assert len(optimizer.variables) == 2
    train = tf.function(step)
    train(optimizer, variables)
    assert optimizer.built and len(optimizer.variables) == 2 + 2 * len(variables)
    train(optimizer, variables)
    assert optimizer.iterations.numpy() == 2


def test_what_was_traced_with_arguments_goes_on_without(tmp_path: Path) -> None:
    optimizer, variables = tf.keras.optimizers.Adam(0.1), fresh()
    tf.function(step)(optimizer, variables)
    tf.train.Checkpoint(optimizer=optimizer).save(tmp_path / "c")
    step(optimizer, variables)
    other, others = tf.keras.optimizers.Adam(0.1), fresh()
    step(other, others)
    step(other, others)
    for have, want in zip(values(optimizer, variables), values(other, others)):
        np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="Unknown variable"):
        optimizer.apply([tf.ones(4)], [tf.Variable(tf.ones(4))])


def test_another_optimizer_in_the_same_function_is_refused() -> None:
    @tf.function
    def train(w: Any, optimizer: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.square(w - 1.0)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))

    w = tf.Variable(2.0)
    train(w, tf.keras.optimizers.Adam(1e-2))
    with pytest.raises(ValueError, match="singletons"):
        train(w, tf.keras.optimizers.Adam(1e-3))


def test_a_module_holds_its_optimizer() -> None:
    class TrainStep(tf.Module):
        def __init__(self, optimizer: Any) -> None:
            self.optimizer = optimizer

        @tf.function
        def __call__(self, w: Any) -> None:
            with tf.GradientTape() as tape:
                loss = tf.square(w - 1.0)
            self.optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))

    w = tf.Variable(2.0)
    for rate in (1e-2, 1e-3):
        module = TrainStep(tf.keras.optimizers.Adam(rate))
        module(w)
        # The optimizer is no module: its state is not the module's.
        assert module.variables == ()
    assert w.numpy() == pytest.approx(2.0 - 1e-2 - 1e-3, abs=1e-5)


def test_the_learning_rate_of_a_traced_step_can_be_changed() -> None:
    optimizer, w = tf.keras.optimizers.SGD(0.5), tf.Variable(1.0)

    @tf.function
    def train() -> None:
        optimizer.apply([tf.constant(1.0)], [w])

    train()
    optimizer.learning_rate = 0.125
    train()
    assert w.numpy() == 1.0 - 0.5 - 0.125


@pytest.mark.parametrize("name", ["sgd momentum", "adam amsgrad", "nadam", "adafactor", "muon"])
def test_checkpoints_bring_back_the_state(name: str, tmp_path: Path) -> None:
    optimizer, variables = make(OPTIMIZERS[name]), fresh()
    for _ in range(2):
        step(optimizer, variables)
    path = tf.train.Checkpoint(optimizer=optimizer, variables=variables).save(tmp_path / "c")
    step(optimizer, variables)
    # One that is built already, and one whose variables come after the restoration.
    for early in (True, False):
        other, others = make(OPTIMIZERS[name]), fresh()
        if early:
            other.build(others)
        status = tf.train.Checkpoint(optimizer=other, variables=others).restore(path)
        step(other, others)
        status.assert_existing_objects_matched()
        for have, want in zip(values(other, others), values(optimizer, variables)):
            np.testing.assert_allclose(have, want, rtol=1e-6)


@pytest.mark.parametrize("built", [True, False], ids=["built", "not built yet"])
def test_checkpoints_of_keras_are_restored(built: bool) -> None:
    training = Training(tf)
    if built:
        training.build()
    status = training.checkpoint().read(str(PREFIX))
    training.step()
    status.assert_consumed()
    wanted = json.loads(RESULTS.read_text(encoding="utf-8"))
    for name, values in training.values().items():
        for have, want in zip(values, wanted[name], strict=True):
            np.testing.assert_allclose(have, want, rtol=2e-5, err_msg=name)


def test_saved_models_go_on_training(tmp_path: Path) -> None:
    class Trained(tf.Module):
        def __init__(self) -> None:
            self.w = tf.Variable([1.0, 2.0])
            self.optimizer = tf.keras.optimizers.Adam(0.1)
            self.mean = tf.keras.metrics.Mean()

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def step(self, x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(self.w - x))
            self.optimizer.apply_gradients(zip(tape.gradient(loss, [self.w]), [self.w]))
            return self.mean(loss)

    module = Trained()
    module.step(tf.zeros(2))
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for _ in range(2):
        np.testing.assert_allclose(loaded.step(tf.zeros(2)), module.step(tf.zeros(2)), rtol=1e-6)
    np.testing.assert_allclose(loaded.w, module.w, rtol=1e-6)


def test_the_names_in_checkpoints_are_those_of_keras(tmp_path: Path) -> None:
    optimizer, w = tf.keras.optimizers.Adam(), tf.Variable([1.0, 2.0])
    optimizer.build([w])
    path = tf.train.Checkpoint(optimizer=optimizer).save(tmp_path / "c")
    names = {name.split("/.ATTRIBUTES")[0] for name, _ in tf.train.list_variables(path)}
    assert names == {
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "save_counter",
        "optimizer/_iterations",
        "optimizer/_learning_rate",
        "optimizer/_trainable_variables/0",
        "optimizer/_variables/2",
        "optimizer/_variables/3",
    }
