"""`tf.explain.gradient` names the cause of a missing gradient: reason, op, line and repair."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def here() -> int:
    """The line of the caller."""
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


@pytest.fixture(params=["unused tape", "used tape", "persistent tape"])
def explained(request: pytest.FixtureRequest) -> Any:
    """Explain a gradient before it is taken, after it, and of a persistent tape."""

    def explain(tape: Any, target: Any, source: Any) -> Any:
        if request.param == "used tape":
            assert tape.gradient(target, source) is None
        return tf.explain.gradient(tape, target, source)

    explain.persistent = request.param == "persistent tape"  # type: ignore[attr-defined]
    return explain


def new_tape(explained: Any) -> Any:
    return tf.GradientTape(persistent=explained.persistent)


def test_an_op_with_integer_results(explained: Any) -> None:
    w = tf.Variable([1.0, 2.0])
    with new_tape(explained) as tape:
        y = tf.cast(tf.argmax(w * 2.0), tf.float32) * 3.0
        line = here() - 1
    why = explained(tape, y, w)
    assert (why.reason, why.op, why.location.line) == ("integer", "ArgMax", line)
    assert [step.op for step in why.path] == ["ReadVariableOp", "Mul", "ArgMax"]
    assert "int64" in why.message
    assert "softmax" in why.repair
    assert why.line.endswith(f"test_gradient.py:{line}")


def test_a_cast_to_integers(explained: Any) -> None:
    w = tf.Variable(2.0)
    with new_tape(explained) as tape:
        y = tf.cast(tf.cast(w, tf.int32), tf.float32)
        line = here() - 1
    why = explained(tape, y, w)
    assert (why.reason, why.op, why.location.line) == ("integer", "Cast", line)


def test_integer_results_beside_others(explained: Any) -> None:
    w = tf.Variable([3.0, 1.0, 2.0])
    with new_tape(explained) as tape:
        _, indices = tf.nn.top_k(w, 2)
        y = tf.reduce_sum(tf.cast(indices, tf.float32))
    why = explained(tape, y, w)
    assert (why.reason, why.op) == ("integer", "TopKV2")
    assert "values" in why.repair


def test_stop_gradient(explained: Any) -> None:
    w = tf.Variable(2.0)
    with new_tape(explained) as tape:
        y = tf.stop_gradient(w * w) * 2.0
        line = here() - 1
    why = explained(tape, y, w)
    assert (why.reason, why.location.line) == ("stop_gradient", line)


def test_stop_gradient_on_one_of_two_ways(explained: Any) -> None:
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with new_tape(explained) as tape:
        y = a * tf.stop_gradient(b)
    assert explained(tape, y, b).reason == "stop_gradient"


def test_assignments(explained: Any) -> None:
    x0, x1 = tf.Variable(3.0, name="x0"), tf.Variable(0.0, name="x1")
    with new_tape(explained) as tape:
        x1.assign_add(x0)
        line = here() - 1
        y = x1**2
    why = explained(tape, y, x0)
    assert (why.reason, why.location.line) == ("assignment", line)
    assert "assign_add() to variable 'x1'" in why.message


@pytest.mark.parametrize(
    ("leave", "how"),
    [
        (lambda x: x.numpy(), ".numpy()"),
        (np.square, "NumPy"),
        (float, "float()"),
        (lambda x: np.mean(x), "NumPy"),
    ],
)
def test_numpy_and_python(explained: Any, leave: Any, how: str) -> None:
    w = tf.Variable(2.0)
    with new_tape(explained) as tape:
        y = tf.constant(leave(w * w)) * 2.0
    why = explained(tape, y, w)
    assert why.reason == "python"
    assert how in why.message
    assert why.location.file == __file__


def test_a_target_computed_outside(explained: Any) -> None:
    w = tf.Variable(2.0)
    with new_tape(explained) as tape:
        y = w * w
    loss = y + 1.0
    line = here() - 1
    why = tf.explain.gradient(tape, loss, w)
    assert (why.reason, why.location.line) == ("outside", line)
    assert tape.gradient(loss, w) is None
    why = tf.explain.gradient(tape, loss, w)
    assert (why.reason, why.location.line) == ("outside", line)


def test_a_tensor_that_is_not_watched(explained: Any) -> None:
    x = tf.constant(2.0)
    with new_tape(explained) as tape:
        y = x * x
    why = explained(tape, y, x)
    assert why.reason == "not watched"
    assert "tape.watch" in why.repair


def test_a_name_that_held_a_variable() -> None:
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x * 3.0
        why = tf.explain.gradient(tape, y, x)
        x = x - 0.1 * y
        line = here() - 1
    assert (why.reason, why.location.line) == ("overwritten", line)
    assert "x.assign_sub(0.1 * y)" in why.repair


def test_variables_that_are_not_watched(explained: Any) -> None:
    frozen = tf.Variable(2.0, trainable=False)
    with new_tape(explained) as tape:
        y = frozen * 2.0
    assert explained(tape, y, frozen).reason == "not trainable"


def test_a_tape_that_watches_no_variables() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = w * 2.0
    assert tf.explain.gradient(tape, y, w).reason == "not watched"


def test_sources_that_the_target_does_not_depend_on(explained: Any) -> None:
    a, b, c = (tf.Variable(2.0) for _ in range(3))
    with new_tape(explained) as tape:
        side = b * 3.0
        y = a * 2.0
    why = explained(tape, y, b)
    assert why.reason == "unused"
    assert "Mul" in why.message
    assert float(side) == 6.0
    if explained.persistent:
        assert tf.explain.gradient(tape, y, c).reason == "not read"


def test_dtypes() -> None:
    count, w = tf.Variable(3), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.cast(count, tf.float32)
        position = tf.argmax(w)
        line = here() - 1
    assert tf.explain.gradient(tape, y, count).reason == "source dtype"
    why = tf.explain.gradient(tape, position, w)
    assert (why.reason, why.location.line) == ("target dtype", line)


@pytest.mark.parametrize("returns", ["float", "integer"])
def test_inside_a_called_function(explained: Any, returns: str) -> None:
    @tf.function
    def choose(v: Any) -> Any:
        at = tf.argmax(v * 2.0)
        return tf.cast(at, tf.float32) * 3.0 if returns == "float" else at

    line = here() - 3
    w = tf.Variable([1.0, 2.0])
    with new_tape(explained) as tape:
        y = tf.cast(choose(w), tf.float32) + 1.0
    why = explained(tape, y, w)
    assert (why.reason, why.op, why.location.line) == ("integer", "ArgMax", line)


def test_a_custom_gradient_that_returns_none(explained: Any) -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * 2.0, lambda dy: None

    w = tf.Variable(1.0)
    with new_tape(explained) as tape:
        y = f(w)
    assert explained(tape, y, w).reason == "rule"


def traced(body: Any) -> Any:
    """Run a function that returns an explanation while it is traced."""
    answers: list[Any] = []
    tf.function(lambda: answers.append(body()))()
    return answers[0]


def test_in_a_traced_function() -> None:
    w, u, z = tf.Variable([1.0, 2.0]), tf.Variable(1.0), tf.Variable(3.0)

    def body() -> Any:
        with tf.GradientTape() as tape:
            u.assign(z * 2.0)
            y = tf.cast(tf.argmax(w * 2.0), tf.float32) * u
        return tf.explain.gradient(tape, y, [w, u, z])

    of_w, of_u, of_z = traced(body)
    assert (of_w.reason, of_w.op) == ("integer", "ArgMax")
    assert of_u.reason == "connected"
    assert [step.op for step in of_u.path] == ["ReadVariableOp", "Mul"]
    assert of_z.reason == "assignment"
    assert all(step.location is not None for step in of_w.path)


def test_in_a_branch_of_a_traced_function() -> None:
    w = tf.Variable([1.0, 2.0])

    def body() -> Any:
        with tf.GradientTape() as tape:
            h = w * 2.0
            y = tf.cond(
                tf.reduce_sum(h) > 0.0,
                lambda: tf.cast(tf.argmax(h), tf.float32),
                lambda: 1.0,
            )
        return tf.explain.gradient(tape, y, w)

    why = traced(body)
    assert (why.reason, why.op) == ("integer", "ArgMax")


def test_in_a_loop_of_a_traced_function() -> None:
    w = tf.Variable([1.0, 2.0])

    def body() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            h = w * 2.0
            _, through, around = tf.while_loop(
                lambda i, a, b: i < 3,
                lambda i, a, b: (i + 1, a + h, tf.stop_gradient(b * h)),
                (0, tf.zeros(2), tf.zeros(2)),
            )
        return [tf.explain.gradient(tape, y, w) for y in (through, around)]

    connected, ended = traced(body)
    assert connected.reason == "connected"
    assert ended.reason == "stop_gradient"


def test_a_traced_target_outside_the_tape() -> None:
    w = tf.Variable(1.0)

    def body() -> Any:
        with tf.GradientTape() as tape:
            h = w * 2.0
        loss = h * 3.0
        return tf.explain.gradient(tape, loss, w), here() - 1

    why, line = traced(body)
    assert (why.reason, why.location.line) == ("outside", line)


def test_the_path_of_a_gradient() -> None:
    @tf.function
    def total(v: Any) -> Any:
        return tf.reduce_sum(tf.sin(v))

    x = tf.constant([1.0, 2.0])
    with tf.explain.record(), tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x * x) + 1.0
    why = tf.explain.gradient(tape, y, x)
    assert why.reason == "connected"
    assert not why.is_none
    assert [s.op for s in why.path] == ["Mul", "tf.function 'total'", "Sin", "Sum", "AddV2"]
    assert all(step.location is not None for step in why.path)
    # The tape is still unused.
    np.testing.assert_allclose(tape.gradient(y, x), 2.0 * x * tf.cos(x * x), rtol=1e-6)
    assert tf.explain.gradient(tape, y, x).reason == "used"


def test_a_gradient_of_zeros() -> None:
    w = tf.Variable([1.0, 2.0])
    with tf.explain.record(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.relu(-w) * 2.0)
        line = here() - 1
    why = tf.explain.gradient(tape, y, w)
    assert (why.reason, why.op, why.location.line) == ("zero", "Relu", line)


def test_explaining_changes_nothing() -> None:
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * w
    tf.explain.gradient(tape, y, w)
    assert float(tape.gradient(y, w)) == 6.0


def test_sources_keep_their_structure() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = a * 2.0
    why = tf.explain.gradient(tape, y, {"a": a, "b": b})
    assert (why["a"].reason, why["b"].reason) == ("connected", "not read")


def test_text_and_html() -> None:
    w = tf.Variable([1.0, 2.0], name="<w>")
    with tf.GradientTape() as tape:
        y = tf.cast(tf.argmax(w), tf.float32)
    why = tf.explain.gradient(tape, y, w)
    assert str(why).startswith("no gradient for variable '<w>:0': its path to the target ends at")
    assert "y = tf.cast(tf.argmax(w), tf.float32)" in str(why)
    assert "Path: source → ReadVariableOp → ArgMax" in str(why)
    assert "&lt;w&gt;" in why._repr_html_()


def test_sources_that_are_no_tensors() -> None:
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
    with pytest.raises(TypeError, match="expects tensors or variables"):
        tf.explain.gradient(tape, y, "w")


def test_endings_keep_no_records_alive() -> None:
    w = tf.Variable(tf.ones([4]))
    with tf.GradientTape(persistent=True) as tape:
        positions = [tf.argmax(w * 2.0 + 1.0) for _ in range(5)]
    assert tape._ledger is not None
    assert len(positions) == 5
    assert len(tape._ledger.entries) == 0


def test_optimizers_say_why() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="only")])
    model.build((None, 3))
    with tf.GradientTape() as tape:
        chosen = tf.argmax(model(tf.ones([2, 3])), axis=-1)
        loss = tf.reduce_sum(tf.cast(chosen, tf.float32))
    gradients = tape.gradient(loss, model.trainable_variables)
    with pytest.raises(ValueError, match=r"sequential\S*/only/kernel.*ends at ArgMax"):
        tf.keras.optimizers.SGD().apply(gradients, model.trainable_variables)
