"""What optimizers accept and refuse, what they keep, and how they are described."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.optimizers.programs import OPTIMIZERS

optimizers = tf.keras.optimizers


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: optimizers.Adam(learning_rate=None),
            ValueError,
            "`learning_rate` must be a float",
        ),
        (lambda: optimizers.SGD(np.float32(0.1)), ValueError, "`learning_rate` must be a float"),
        (lambda: optimizers.Adam(foo=1), ValueError, r"Unrecognized .* Adam: \{'foo': 1\}"),
        (lambda: optimizers.SGD(clipnorm=1.0, clipvalue=1.0), ValueError, "clipped in one way"),
        (lambda: optimizers.SGD(gradient_accumulation_steps=1), ValueError, "2 or more"),
        (lambda: optimizers.SGD(use_ema=True, ema_momentum=2.0), ValueError, "between 0 and 1"),
        (
            lambda: optimizers.SGD(use_ema=True, ema_overwrite_frequency=0.5),
            ValueError,
            "`ema_overwrite_frequency`.*0.5",
        ),
        (lambda: optimizers.SGD(momentum=2.0), ValueError, r"a float between \[0, 1\]"),
        (lambda: optimizers.AdamW(weight_decay=None), ValueError, "`weight_decay` must be a float"),
        (lambda: optimizers.Lion(beta_1=0.0), ValueError, "beta_1=0.0"),
        (
            lambda: optimizers.Ftrl(learning_rate_power=1.0),
            ValueError,
            "`learning_rate_power`",
        ),
        (
            lambda: optimizers.Ftrl(l1_regularization_strength=-1.0),
            ValueError,
            "`l1_regularization_strength`",
        ),
        (lambda: optimizers.SGD().set_weights([]), ValueError, "before it is built"),
        (
            lambda: optimizers.SGD().apply([1.0]),
            ValueError,
            r"optimizer.build\(trainable_variables\)",
        ),
        (lambda: optimizers.SGD().apply_gradients([]), ValueError, "not enough values"),
        (lambda: optimizers.SGD().stateless_apply([], [], []), ValueError, "stateless_apply"),
        (lambda: optimizers.Optimizer(0.1).update_step(1, 2, 3), NotImplementedError, "step"),
        (lambda: optimizers.get("foo"), ValueError, "interpret optimizer identifier: 'foo'"),
        (lambda: optimizers.get(3), ValueError, "interpret optimizer identifier.*Received: 3"),
        (
            lambda: optimizers.LossScaleOptimizer(optimizers.SGD(), clipnorm=1.0),
            ValueError,
            "`clipnorm` to its `inner_optimizer`",
        ),
        (
            lambda: optimizers.LossScaleOptimizer(optimizers.SGD(), learning_rate=1.0),
            ValueError,
            "does not support arguments: `learning_rate`",
        ),
        (
            lambda: optimizers.LossScaleOptimizer(optimizers.SGD(), dynamic=False),
            ValueError,
            "always dynamic",
        ),
    ],
)
def test_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_a_forgotten_super_is_named() -> None:
    class Forgetful(optimizers.Optimizer):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            self.rate = 1.0

    with pytest.raises(RuntimeError, match="super"):
        Forgetful()


def test_missing_gradients() -> None:
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    optimizer = optimizers.SGD(0.5)
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, a), (None, b)])
    with pytest.warns(UserWarning, match=r"no gradient for the variables \['b:0'\]"):
        optimizer.apply_gradients([(tf.constant(1.0), a), (None, b)])
    assert (a.numpy(), b.numpy()) == (0.5, 1.0)


def test_other_variables_are_refused() -> None:
    optimizer = optimizers.SGD(0.5)
    optimizer.build([tf.Variable(1.0)])
    with pytest.raises(ValueError, match="Unknown variable"):
        optimizer.apply([tf.constant(1.0)], [tf.Variable(1.0)])
    with pytest.raises(ValueError, match="Received 2 gradients"):
        optimizer.apply([1.0, 2.0])


def test_no_gradients_are_no_step() -> None:
    optimizer = optimizers.SGD()
    optimizer.apply([])
    assert optimizer.iterations.numpy() == 0


def test_names_and_variables() -> None:
    optimizer = optimizers.Adam(name="mine")
    w = tf.Variable([1.0, 2.0], name="scope/w")
    k = tf.keras.Variable([1.0], name="k")
    result = optimizer.apply_gradients([(tf.ones(2), w), (tf.ones(1), k)])
    assert result is optimizer.iterations
    assert [v.path for v in optimizer.variables] == [
        "mine/iteration",
        "mine/learning_rate",
        "mine/scope_w_0_momentum",
        "mine/scope_w_0_velocity",
        "mine/k_momentum",
        "mine/k_velocity",
    ]
    assert repr(optimizer.iterations) == (
        "<Variable path=mine/iteration, shape=(), dtype=int64, value=1>"
    )


def test_the_learning_rate_can_be_set_unless_it_is_scheduled() -> None:
    optimizer = optimizers.SGD(0.5)
    optimizer.learning_rate = 0.25
    assert optimizer.learning_rate.numpy() == 0.25
    optimizer.learning_rate = optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)
    assert [v.name for v in optimizer.variables] == ["iteration"]
    w = tf.Variable(1.0)
    optimizer.apply([tf.constant(1.0)], [w])
    assert optimizer.learning_rate.numpy() == 0.25
    with pytest.raises(TypeError, match="is not settable"):
        optimizer.learning_rate = 0.1


def test_a_function_may_give_the_learning_rate() -> None:
    optimizer, w = optimizers.SGD(lambda: 0.25), tf.Variable(1.0)
    optimizer.apply([tf.constant(1.0)], [w])
    assert w.numpy() == 0.75


def test_weight_decay_spares_what_is_excluded() -> None:
    kernel, bias = tf.Variable(1.0, name="kernel"), tf.Variable(1.0, name="bias")
    table = tf.Variable(1.0, name="table")
    optimizer = optimizers.SGD(0.5, weight_decay=0.5)
    optimizer.exclude_from_weight_decay(var_list=[table], var_names=["bias"])
    optimizer.apply([tf.zeros([])] * 3, [kernel, bias, table])
    assert [v.numpy() for v in (kernel, bias, table)] == [0.75, 1.0, 1.0]


def test_constraints_hold_after_each_step() -> None:
    w = tf.Variable([1.0, 2.0], constraint=lambda x: tf.clip_by_value(x, 0.5, 10.0))
    optimizers.SGD(1.0).apply([tf.ones(2)], [w])
    assert w.numpy().tolist() == [0.5, 1.0]


def test_sparse_gradients_may_be_scaled() -> None:
    w = tf.Variable([[1.0], [2.0]])
    rows = tf.IndexedSlices(tf.constant([[4.0]]), tf.constant([1]), tf.constant([2, 1]))
    optimizer = optimizers.SGD(1.0, loss_scale_factor=4.0)
    assert optimizer.scale_loss(tf.constant(2.0)).numpy() == 8.0
    optimizer.apply([rows], [w])
    assert w.numpy().tolist() == [[1.0], [1.0]]


def test_gradients_that_are_not_finite_are_left_out() -> None:
    w = tf.Variable([3.0, 4.0])
    optimizer = optimizers.LossScaleOptimizer(
        optimizers.SGD(1.0), initial_scale=8.0, dynamic_growth_steps=2
    )
    assert optimizer.scale_loss(tf.constant(2.0)).numpy() == 16.0
    seen = []
    infinite, none = np.inf, np.nan
    for gradient in ([8, 8], [8, infinite], [8, 8], [4, 4], [none, 1], [2, 2]):
        optimizer.apply([tf.constant(gradient, tf.float32)], [w])
        scale, count = optimizer.dynamic_scale.numpy(), optimizer.step_counter.numpy()
        seen.append((w.numpy().tolist(), scale, count, optimizer.iterations.numpy()))
    assert seen == [
        ([2.0, 3.0], 8.0, 1, 1),
        ([2.0, 3.0], 4.0, 0, 1),
        ([0.0, 1.0], 4.0, 1, 2),
        ([-1.0, 0.0], 8.0, 0, 3),
        ([-1.0, 0.0], 4.0, 0, 3),
        ([-1.5, -0.5], 4.0, 1, 4),
    ]


def test_values_can_be_stored_and_set() -> None:
    w = tf.Variable([1.0, 2.0])
    optimizer, other = optimizers.Adam(0.1), optimizers.Adam(0.5)
    optimizer.apply([tf.ones(2)], [w])
    store: dict[str, Any] = {}
    optimizer.save_own_variables(store)
    assert list(store) == ["0", "1", "2", "3"]
    with pytest.warns(UserWarning, match="2 variables, the file has 4"):
        other.load_own_variables(store)
    other.build([w])
    other.load_own_variables(store)
    for have, want in zip(other.variables, optimizer.variables):
        np.testing.assert_array_equal(have, want)
    other.set_weights([v.numpy() * 2 for v in optimizer.variables])
    assert other.iterations.numpy() == 2
    with pytest.raises(ValueError, match="`set_weights` expected an array of shape"):
        other.set_weights([np.ones(3)])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_configs_make_equal_optimizers(name: str) -> None:
    optimizer = eval(f"k.optimizers.{OPTIMIZERS[name]}", {"k": tf.keras})
    config = optimizers.serialize(optimizer)
    assert config["module"] == "keras.optimizers"
    other = optimizers.deserialize(config)
    assert type(other) is type(optimizer)
    assert other.get_config() == optimizer.get_config()


def test_several_optimizers() -> None:
    default, other = optimizers.Adam(0.1), optimizers.SGD(0.5)
    chosen = optimizers.OptimizerMap(default, {"kernel": other})
    assert (len(chosen), list(chosen), chosen["x"]) == (1, ["kernel"], default)
    with pytest.raises(ValueError, match="OptimizerMap already has"):
        chosen["kernel"] = default
    with pytest.raises(ValueError, match="cannot be LossScaleOptimizer"):
        chosen["bias"] = optimizers.LossScaleOptimizer(default)
    with pytest.raises(TypeError, match="`default_optimizer`"):
        optimizers.OptimizerMap("adam")
    optimizer = optimizers.MultiOptimizer(chosen)
    w, b = tf.keras.Variable([1.0], name="kernel"), tf.Variable([1.0], name="bias")
    train = tf.function(lambda: optimizer.apply([tf.ones(1), tf.ones(1)], [w, b]))
    train()
    train()
    assert w.numpy().tolist() == [0.0]
    np.testing.assert_allclose(b.numpy(), [0.8], rtol=1e-5)
    with pytest.raises(AttributeError, match="no learning rate of its own"):
        _ = optimizer.learning_rate
    with pytest.raises(AttributeError, match="no learning rate of its own"):
        optimizer.learning_rate = 0.1
    with pytest.raises(ValueError, match=r"expected 2 gradients.*Received 1"):
        optimizer.apply([tf.ones(1)], [w])
    values = [variable.numpy() for variable in optimizer.variables]
    optimizer.set_weights([value * 2 for value in values])
    assert optimizer.iterations.numpy() == 4 and other.iterations.numpy() == 4
    again = optimizers.deserialize(optimizers.serialize(optimizer))
    assert [type(o) for o in again.optimizers] == [optimizers.SGD, optimizers.Adam]


def test_copies_start_anew() -> None:
    optimizer = optimizers.Adam(0.25, beta_1=0.5)
    optimizer.apply([tf.ones(2)], [tf.Variable([1.0, 2.0])])
    for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        assert type(other) is optimizers.Adam and other.beta_1 == 0.5
        assert [v.name for v in other.variables] == ["iteration", "learning_rate"]
        other.apply([tf.ones(1)], [tf.Variable([1.0])])


def test_optimizers_by_name() -> None:
    assert optimizers.get(None) is None
    assert type(optimizers.get("rmsprop")) is optimizers.RMSprop
    assert type(optimizers.get("AdamW")) is optimizers.AdamW
    given = optimizers.SGD()
    assert optimizers.get(given) is given
    config = {"class_name": "SGD", "config": {"learning_rate": 0.25}}
    assert optimizers.get(config).learning_rate.numpy() == 0.25


def test_an_optimizer_of_ones_own() -> None:
    @tf.keras.saving.register_keras_serializable("tests")
    class Rolling(optimizers.Optimizer):  # type: ignore[name-defined,misc]
        def __init__(self, learning_rate: Any = 0.5, friction: float = 0.5, **kwargs: Any) -> None:
            super().__init__(learning_rate, **kwargs)
            self.friction = friction
            self.seen = tf.Variable(0)

        def build(self, variables: Any) -> None:
            super().build(variables)
            self.speeds = [self.add_variable_from_reference(v, "speed") for v in variables]

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            speed = self.speeds[self._get_variable_index(variable)]
            rate = tf.cast(learning_rate, variable.dtype)
            self.assign(speed, speed * self.friction - rate * gradient)
            self.assign_add(variable, speed)
            self.seen.assign_add(1)

        def get_config(self) -> dict[str, Any]:
            return {**super().get_config(), "friction": self.friction}

    optimizer, w = Rolling(), tf.Variable([1.0, 2.0])
    train = tf.function(lambda: optimizer.apply_gradients([(tf.ones(2), w)]))
    train()
    train()
    assert w.numpy().tolist() == [-0.25, 0.75]
    assert len(optimizer.variables) == 4 and optimizer.seen.numpy() == 2
    again = optimizers.deserialize(optimizers.serialize(optimizer))
    assert type(again) is Rolling and again.friction == 0.5


def test_half_precision_follows_the_variable() -> None:
    w = tf.Variable([1.0, 2.0], dtype=tf.float16)
    optimizer = optimizers.RMSprop(0.1)
    optimizer.apply([tf.ones(2)], [w])
    assert [v.dtype for v in optimizer.variables[1:]] == [tf.float32, tf.float16]
    assert w.numpy()[0] < 1.0


def test_refused_schedules() -> None:
    schedules = optimizers.schedules
    with pytest.raises(ValueError, match="one value more than boundaries"):
        schedules.PiecewiseConstantDecay([1, 2], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"must be > 0\. Received: decay_steps=0"):
        schedules.CosineDecay(0.1, 0)
    with pytest.raises(ValueError, match="`first_decay_steps` must be > 0"):
        schedules.CosineDecayRestarts(0.1, 0)
    with pytest.raises(NotImplementedError, match="must define `__call__"):
        schedules.LearningRateSchedule()(0)


def test_schedules_by_config() -> None:
    schedules = optimizers.schedules
    schedule = schedules.CosineDecay(0.1, 10, warmup_target=0.5, warmup_steps=5)
    config = schedules.serialize(schedule)
    assert (config["module"], config["class_name"]) == ("keras.optimizers.schedules", "CosineDecay")
    assert schedules.deserialize(config).get_config() == schedule.get_config()
    bare = {"class_name": "CosineDecay", "config": schedule.get_config()}
    assert schedules.deserialize(bare)(3).numpy() == schedule(3).numpy()


@pytest.mark.parametrize(
    "config",
    [
        ("ExponentialDecay", {"decay_steps": 10, "decay_rate": 0.5}),
        ("InverseTimeDecay", {"decay_steps": 10, "decay_rate": 0.5}),
        ("PolynomialDecay", {"decay_steps": 10}),
        ("CosineDecay", {"decay_steps": 10}),
        ("CosineDecayRestarts", {"first_decay_steps": 10}),
    ],
    ids=lambda config: config[0],
)
def test_schedules_of_keras_2_have_no_name(config: tuple[str, dict[str, Any]]) -> None:
    """Its files have None there."""
    cls = getattr(tf.keras.optimizers.schedules, config[0])
    schedule, named = (cls(0.1, **config[1], **name) for name in ({"name": None}, {}))
    assert schedule(3).numpy() == named(3).numpy()
