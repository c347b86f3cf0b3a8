"""Optimizers written for Keras 2, of both kinds; values recorded from tf_keras 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
legacy = keras.optimizers.legacy


class Momentum(legacy.Optimizer):  # type: ignore[misc, name-defined]
    """As optimizers of the first Keras 2 are written."""

    def __init__(
        self, learning_rate: Any = 0.1, momentum: float = 0.9, name: str = "Momentum", **kwargs: Any
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("momentum", momentum)

    def _create_slots(self, var_list: Any) -> None:
        for variable in var_list:
            self.add_slot(variable, "momentum")

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        momentum = tf.identity(self._get_hyper("momentum", var_dtype))
        apply_state[(var_device, var_dtype)]["momentum"] = momentum

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        key = (var.device, var.dtype.base_dtype)
        state = (apply_state or {}).get(key) or self._fallback_apply_state(*key)
        slot = self.get_slot(var, "momentum")
        slot.assign(state["momentum"] * slot - state["lr_t"] * grad)
        return var.assign_add(slot)

    def _resource_apply_sparse(
        self, grad: Any, var: Any, indices: Any, apply_state: Any = None
    ) -> Any:
        return self._resource_scatter_add(var, indices, -self._decayed_lr(var.dtype) * grad)

    def get_config(self) -> dict[str, Any]:
        names = ("learning_rate", "momentum")
        return {
            **super().get_config(),
            **{name: self._serialize_hyperparameter(name) for name in names},
        }


class Summing(keras.optimizers.Optimizer):  # type: ignore[misc, name-defined]
    """As optimizers of the later Keras 2 are written."""

    def __init__(self, learning_rate: Any = 0.1, name: str = "Summing", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self._learning_rate = self._build_learning_rate(learning_rate)

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        if getattr(self, "_built", False):
            return
        self._sums = [
            self.add_variable_from_reference(model_variable=variable, variable_name="sum")
            for variable in var_list
        ]
        self._built = True

    def update_step(self, gradient: Any, variable: Any) -> None:  # type: ignore[override]
        total = self._sums[self._index_dict[self._var_key(variable)]]
        total.assign_add(gradient)
        variable.assign_sub(tf.cast(self.learning_rate, variable.dtype) * total)

    def get_config(self) -> dict[str, Any]:
        rate = self._serialize_hyperparameter(self._learning_rate)
        return {**super().get_config(), "learning_rate": rate}


def after_steps(optimizer: Any, steps: int = 3) -> np.ndarray:
    weight = tf.Variable([1.0, 2.0])
    for _ in range(steps):
        optimizer.apply_gradients([(tf.constant([1.0, -2.0]), weight)])
    assert int(optimizer.iterations) == steps
    return weight.numpy()


def doubled(pairs: Any) -> Any:
    return [(2.0 * gradient, variable) for gradient, variable in pairs]


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        (lambda: Momentum(), [0.43899998, 3.122]),
        (lambda: Momentum(0.05, decay=0.5, clipnorm=1.0), [0.8998987, 2.2002025]),
        (lambda: Summing(), [0.39999998, 3.2000003]),
        (
            lambda: Summing(keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)),
            [0.72499996, 2.5500002],
        ),
        (lambda: legacy.SGD(0.1, gradient_transformers=[doubled]), [0.40000004, 3.2000003]),
        (lambda: legacy.SGD(0.1, gradient_aggregator=doubled), [0.40000004, 3.2000003]),
        (lambda: keras.optimizers.Adam(0.1, epsilon=1.0), [0.9874647, 2.0240247]),
        (
            lambda: keras.optimizers.Adam(0.1, epsilon=1.0, adaptive_epsilon=True),
            [0.85000056, 2.199999],
        ),
    ],
)
def test_steps_are_those_of_keras_2(optimizer: Any, expected: list[float]) -> None:
    np.testing.assert_allclose(after_steps(optimizer()), expected, rtol=2e-6)


def test_hyperparameters_are_attributes() -> None:
    optimizer = Momentum()
    assert float(optimizer.momentum) == pytest.approx(0.9)
    optimizer.momentum, optimizer.lr = 0.5, 0.3
    config = optimizer.get_config()
    assert config == {"name": "Momentum", "learning_rate": pytest.approx(0.3), "momentum": 0.5}
    assert Momentum.from_config(config).get_config() == config
    assert Summing.from_config(Summing(0.25).get_config()).learning_rate.numpy() == 0.25
    with pytest.raises(AttributeError, match="rho"):
        _ = optimizer.rho


@pytest.mark.parametrize("optimizer", [Momentum, Summing])
def test_models_are_trained(optimizer: Any) -> None:
    keras.utils.set_random_seed(0)
    first = keras.layers.Embedding(5, 2) if optimizer is Momentum else keras.layers.Rescaling(1.0)
    model = keras.Sequential(
        [keras.Input((2,)), first, keras.layers.Flatten(), keras.layers.Dense(1)]
    )
    model.compile(optimizer(0.01), "mse")
    x, y = np.array([[1, 1], [2, 3]]), np.ones((2, 1))
    history = model.fit(x, y, epochs=10, verbose=0).history["loss"]
    assert history[-1] < history[0]


def test_a_legacy_subclass_says_what_is_missing() -> None:
    class Nothing(legacy.Optimizer):  # type: ignore[misc, name-defined]
        pass

    with pytest.raises(NotImplementedError, match="_resource_apply_dense"):
        after_steps(Nothing("nothing"))
    sparse = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    with pytest.raises(NotImplementedError, match="_resource_apply_sparse"):
        Nothing("nothing").apply_gradients([(sparse, tf.Variable(tf.ones([3, 2])))])


def test_slots_and_weights_are_added() -> None:
    optimizer, weight = legacy.Adam(), tf.Variable([1.0, 2.0])
    slot = optimizer.add_slot(weight, "extra", initializer="ones")
    assert slot.numpy().tolist() == [1.0, 1.0]
    assert optimizer.get_slot(weight, "extra") is slot
    assert optimizer.add_slot(weight, "extra") is slot
    assert optimizer.add_slot(weight, "wide", shape=(3,)).shape == (3,)
    assert optimizer.get_slot_names() == ["extra", "wide"]
    assert optimizer.add_weight("count", [2]).shape == (2,)
    assert isinstance(optimizer, legacy.Optimizer)
    assert not isinstance(keras.optimizers.Lion(), legacy.Optimizer)


def test_transformers_exclude_clipping() -> None:
    with pytest.raises(ValueError, match="clipnorm"):
        legacy.SGD(0.1, clipnorm=1.0, gradient_transformers=[doubled])


@pytest.mark.parametrize("name", ["Adadelta", "Adagrad", "Adam", "AdamW", "Ftrl", "Lion", "SGD"])
def test_jit_compile_is_accepted(name: str) -> None:
    assert getattr(keras.optimizers, name)(jit_compile=False).name


def test_iterations_are_replaced_before_the_first_step() -> None:
    optimizer = keras.optimizers.SGD()
    steps = tf.Variable(5, dtype=tf.int64)
    optimizer.iterations = steps
    weight = tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(1.0), weight)])
    assert int(steps) == int(optimizer.iterations) == 6
    with pytest.raises(RuntimeError, match="first step"):
        optimizer.iterations = tf.Variable(0, dtype=tf.int64)


def test_updates_of_a_graph() -> None:
    with tf.Graph().as_default():
        weight = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0])
        other = tf.compat.v1.get_variable("w", initializer=[1.0])
        loss = tf.reduce_sum(weight * weight)
        optimizer = legacy.SGD(0.1)
        assert [g.shape for g in optimizer.get_gradients(loss, [weight])] == [(2,)]
        with pytest.raises(ValueError, match="w"):
            optimizer.get_gradients(loss, [other])
        updates = optimizer.get_updates(loss, [weight])
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(updates)
            session.run(updates)
            np.testing.assert_allclose(session.run(weight), [0.64, 1.28], rtol=1e-6)


def test_a_slot_is_restored_from_a_checkpoint(tmp_path: Any) -> None:
    weight, optimizer = tf.Variable([1.0, 2.0]), Momentum()
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant([1.0, -2.0]), weight)])
    path = tf.train.Checkpoint(weight=weight, optimizer=optimizer).save(str(tmp_path / "c"))
    again, other = tf.Variable([0.0, 0.0]), Momentum(momentum=0.1)
    other.build([again])
    tf.train.Checkpoint(weight=again, optimizer=other).restore(path)
    np.testing.assert_allclose(
        other.get_slot(again, "momentum"), optimizer.get_slot(weight, "momentum")
    )
    assert float(other.momentum) == pytest.approx(0.9)
