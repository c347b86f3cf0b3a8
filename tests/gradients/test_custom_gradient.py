"""Gradients written by users: for functions, and for ops by name."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.infer import same_as
from tapeflow._src.core.registry import OPS, op
from tests.gradients.helpers import Wrapped, numbers


def run(f: Any, *args: Any, sources: Any = None, **kwargs: Any) -> tuple[Any, Any]:
    """The result of `f`, and its gradients by the arguments or by `sources`."""
    with tf.GradientTape() as tape:
        tape.watch([a for a in args if isinstance(a, tf.Tensor)])
        y = f(*args, **kwargs)
    return y, tape.gradient(y, list(args) if sources is None else sources)


X, Y = tf.constant(3.0), tf.constant(2.0)

# -- custom_gradient ----------------------------------------------------------------------------


def test_the_gradient_function_is_used() -> None:
    @tf.custom_gradient
    def clip_gradients(y: Any) -> Any:
        return y, lambda dy: tf.clip_by_norm(dy, 0.5)

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        output = clip_gradients(v * v)
    assert output.numpy() == 4.0
    assert tape.gradient(output, v).numpy() == 2.0


def test_the_result_is_a_tensor_of_its_own() -> None:
    @tf.custom_gradient
    def through(x: Any) -> Any:
        return x, lambda dy: 10.0 * dy

    y, (gradient,) = run(through, X)
    assert y is not X
    assert gradient.numpy() == 10.0


def test_a_stable_function() -> None:
    @tf.custom_gradient
    def log1pexp(x: Any) -> Any:
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    y, (gradient,) = run(log1pexp, tf.constant(100.0))
    assert np.isinf(y.numpy())
    assert gradient.numpy() == 1.0


def test_several_arguments_and_results() -> None:
    @tf.custom_gradient
    def f(x: Any, y: Any) -> Any:
        return (x * y, {"sum": x + y}), lambda product, total: (10 * product, 100 * total)

    (product, rest), gradients = run(f, X, Y)
    assert numbers([product, rest]) == [6.0, {"sum": 5.0}]
    assert numbers(gradients) == [10.0, 100.0]


def test_a_result_that_nothing_depends_on_has_zeros_upstream() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return [x, tf.stack([x, x])], lambda a, b: a + tf.reduce_sum(b) + 0.0 * b[0]

    with tf.GradientTape() as tape:
        tape.watch(X)
        first, _ = f(X)
    assert tape.gradient(first, X).numpy() == 1.0


def test_structures_as_arguments() -> None:
    @tf.custom_gradient
    def f(d: Any) -> Any:
        return d["a"] * d["b"], lambda dy: {"a": 10 * dy, "b": 100 * dy}

    with tf.GradientTape() as tape:
        tape.watch([X, Y])
        z = f({"a": X, "b": Y})
    assert numbers(tape.gradient(z, [X, Y])) == [10.0, 100.0]


def test_keywords_are_not_differentiated() -> None:
    @tf.custom_gradient
    def f(x: Any, scale: Any = 1.0) -> Any:
        return x * scale, lambda dy: dy * scale

    assert numbers(run(f, X, scale=5.0)) == (15.0, [5.0])
    factor = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([X, factor])
        y = f(X, scale=factor)
    assert numbers(tape.gradient(y, [X, factor])) == [5.0, None]


def test_none_for_an_argument_without_gradient() -> None:
    @tf.custom_gradient
    def f(x: Any, y: Any) -> Any:
        return x * y, lambda dy: (dy, None)

    assert numbers(run(f, X, Y)[1]) == [1.0, None]


def test_a_number_for_a_gradient() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return 2.0 * x, lambda dy: 5.0

    (gradient,) = run(f, tf.constant(1.0, tf.float64))[1]
    assert gradient.numpy() == 5.0
    assert gradient.dtype is tf.float64


def test_as_a_method() -> None:
    class Scaled:
        factor = 7.0

        @tf.custom_gradient
        def call(self, x: Any) -> Any:
            """Scale it."""
            return x * self.factor, lambda dy: dy * 9.0

    scaled = Scaled()
    assert numbers(run(scaled.call, X)) == (21.0, [9.0])
    assert Scaled.call.__doc__ == "Scale it."
    assert scaled.call.__name__ == "call"


def test_as_a_decorator_with_parentheses() -> None:
    @tf.custom_gradient()
    def f(x: Any) -> Any:
        """Twice."""
        return 2.0 * x, lambda dy: dy * 11.0

    assert numbers(run(f, X)) == (6.0, [11.0])
    assert (f.__name__, f.__doc__) == ("f", "Twice.")
    assert list(inspect.signature(f).parameters) == ["x"]


def test_without_a_tape() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return {"y": 2.0 * x}, lambda dy: dy

    assert numbers(f(3.0)) == {"y": 6.0}


def test_under_several_tapes() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * x, lambda dy: dy * x * 10.0

    with tf.GradientTape() as a, tf.GradientTape() as b:
        a.watch(X)
        b.watch(X)
        y = f(X)
    assert a.gradient(y, X).numpy() == 30.0
    assert b.gradient(y, X).numpy() == 30.0


def test_second_order_goes_through_the_gradient_function() -> None:
    @tf.custom_gradient
    def log1pexp(x: Any) -> Any:
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = log1pexp(X)
        first = inner.gradient(y, X)
    sigmoid = 1 / (1 + np.exp(-3.0))
    np.testing.assert_allclose(first, sigmoid, rtol=1e-6)
    np.testing.assert_allclose(outer.gradient(first, X), sigmoid * (1 - sigmoid), rtol=1e-5)


def test_a_gradient_function_with_a_gradient_of_its_own() -> None:
    @tf.custom_gradient
    def square(x: Any) -> Any:
        @tf.custom_gradient
        def first(dy: Any) -> Any:
            return dy * 2 * x, lambda ddy: ddy * 100.0

        return x * x, first

    with tf.GradientTape(persistent=True) as outer:
        outer.watch([X, Y])
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = square(X)
        first = inner.gradient(y, X, output_gradients=Y)
    assert first.numpy() == 12.0
    # By the upstream gradient, which is what the inner function is given.
    assert outer.gradient(first, Y).numpy() == 100.0


def test_a_tape_that_follows_no_argument_sees_through_the_function() -> None:
    factor = tf.constant(4.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * factor, lambda dy: dy * 100.0

    with tf.GradientTape() as tape:
        tape.watch(factor)
        y = f(X)
    assert tape.gradient(y, factor).numpy() == 3.0


# -- with variables -----------------------------------------------------------------------------


def test_variables_are_passed_to_the_gradient_function() -> None:
    v, w = tf.Variable(2.0), tf.Variable(4.0)
    given = []

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(dy: Any, variables: Any = None) -> Any:
            given.extend(variables)
            return dy * 7.0, [dy * 10.0, dy * 100.0]

        return x * w * v, grad

    y, gradients = run(f, X, sources=[X, v, w])
    assert y.numpy() == 24.0
    assert numbers(gradients) == [7.0, 10.0, 100.0]
    assert given[0] is v and given[1] is w


def test_a_variable_that_is_an_argument_is_one() -> None:
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * 3.0, lambda dy: dy * 7.0

    assert numbers(run(f, v)[1]) == [7.0]


def test_variables_that_are_not_trainable_do_not_count() -> None:
    v = tf.Variable(2.0, trainable=False)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * v, lambda dy: dy

    assert numbers(run(f, X)) == (6.0, [1.0])


def test_any_keywords_will_do() -> None:
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * v, lambda dy, **keywords: (dy, [None] * len(keywords["variables"]))

    assert numbers(run(f, X, sources=[X, v])[1]) == [1.0, None]


def test_variables_without_the_keyword_are_refused() -> None:
    v = tf.Variable(2.0, name="weight")

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * v, lambda dy: dy

    with pytest.raises(TypeError, match=r"must accept the keyword 'variables'"):
        f(X)


def test_the_keyword_without_variables_is_left_out() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * x, lambda dy, variables: (dy, [])

    with pytest.raises(TypeError, match="variables"):
        run(f, X)


def test_wrong_numbers_of_gradients() -> None:
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def one_too_many(x: Any) -> Any:
        return x * x, lambda dy: (dy, dy)

    @tf.custom_gradient
    def no_variables(x: Any) -> Any:
        return x * v, lambda dy, variables: (dy, [])

    with pytest.raises(ValueError, match="expected 1, received 2"):
        run(one_too_many, X)
    with pytest.raises(ValueError, match="one gradient for each"):
        run(no_variables, X)


@pytest.mark.parametrize("returned", [X, (X, None), (X, 1, 2)])
def test_a_function_without_a_gradient_function(returned: Any) -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return returned

    with pytest.raises(TypeError, match="return y, grad"):
        f(X)


# -- recompute_grad and grad_pass_through -------------------------------------------------------


def test_recompute_grad_computes_again() -> None:
    v, calls = tf.Variable(2.0), []

    def f(x: Any, scale: float = 1.0) -> Any:
        """Some function."""
        calls.append(scale)
        return x * x * v * scale

    g = tf.recompute_grad(f)
    assert (g.__name__, g.__doc__) == ("f", "Some function.")
    assert g.__wrapped__ is f
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = g(X, scale=10.0)
    assert y.numpy() == 180.0
    assert len(calls) == 1
    assert numbers(tape.gradient(y, [X, v])) == [120.0, 90.0]
    assert len(calls) == 2


def test_recompute_grad_with_structures() -> None:
    g = tf.recompute_grad(lambda x, y: {"product": x * y, "sum": [x + y]})
    with tf.GradientTape() as tape:
        tape.watch([X, Y])
        result = g(X, Y)
    assert numbers(tape.gradient(result["product"], [X, Y])) == [2.0, 3.0]


def test_recompute_grad_twice() -> None:
    g = tf.recompute_grad(lambda x: x**3)
    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = g(X)
        first = inner.gradient(y, X)
    assert first.numpy() == 27.0
    assert outer.gradient(first, X).numpy() == 18.0


def test_grad_pass_through() -> None:
    v, w = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        floored = tf.grad_pass_through(lambda x: tf.floor(x) * 7.0)(X)
        assigned = tf.grad_pass_through(w.assign)(v * v)
        both = tf.grad_pass_through(lambda a, b: (a * 5.0, b * 6.0))(X, v)
    assert numbers([floored, tape.gradient(floored, X)]) == [21.0, 1.0]
    assert numbers([assigned, tape.gradient(assigned, v)]) == [9.0, 6.0]
    assert w.numpy() == 9.0
    assert numbers(tape.gradient(both[1], [X, v])) == [0.0, 1.0]


# -- by the name of the op ----------------------------------------------------------------------


@pytest.fixture
def undeclared() -> Any:
    """An op without gradient, for the length of a test."""

    @op("TestCube", infer=same_as("x"))
    def cube(xp, x, *, times: int = 1):
        return times * x**3

    yield cube
    del OPS["TestCube"]


def test_an_op_without_gradient_is_named(undeclared: Any) -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = undeclared(X)
        z = X * tf.stop_gradient(y)
    with pytest.raises(LookupError, match=r"no entry for: TestCube.*tf\.RegisterGradient"):
        tape.gradient(y, X)
    # It stands in nobody's way who does not go through it.
    assert tape.gradient(z, X).numpy() == 27.0


def test_register_gradient(undeclared: Any) -> None:
    seen = []

    @tf.RegisterGradient("TestCube")
    def _cube_grad(call: Any, dy: Any) -> Any:
        seen.append(call)
        (x,) = call.inputs
        return dy * 3.0 * call.get_attr("times") * x**2

    assert numbers(run(lambda x: undeclared(x, times=2), X)) == (54.0, [54.0])
    (call,) = seen
    assert call.type == "TestCube"
    assert numbers(call.outputs) == [54.0]
    assert call.get_attr("T") is tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError, match="'nothing'"):
        call.get_attr("nothing")
    with pytest.raises(KeyError, match="TestCube"):
        tf.RegisterGradient("TestCube")(_cube_grad)


def test_a_registered_gradient_has_higher_orders(undeclared: Any) -> None:
    tf.RegisterGradient("TestCube")(lambda call, dy: dy * 3.0 * call.outputs[0] / call.inputs[0])
    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = undeclared(X)
        first = inner.gradient(y, X)
    assert numbers([first, outer.gradient(first, X)]) == [27.0, 18.0]


def test_a_registered_gradient_of_the_wrong_length(undeclared: Any) -> None:
    tf.RegisterGradient("TestCube")(lambda call, dy: (dy, dy))
    with pytest.raises(ValueError, match=r"'TestCube' gave 2 gradients.* 1 inputs"):
        run(undeclared, X)


def test_no_gradient(undeclared: Any) -> None:
    tf.no_gradient("TestCube")
    assert numbers(run(undeclared, X)) == (27.0, [None])
    with pytest.raises(KeyError, match="TestCube"):
        tf.RegisterGradient("TestCube")(lambda call, dy: dy)


@pytest.mark.parametrize("name", ["Sin", "Floor"])
def test_an_op_with_a_gradient_takes_no_other(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        tf.RegisterGradient(name)(lambda call, dy: dy)
    with pytest.raises(KeyError, match=name):
        tf.no_gradient(name)


def test_names_of_ops_are_text() -> None:
    with pytest.raises(TypeError, match="must be a string"):
        tf.RegisterGradient(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a string"):
        tf.no_gradient(3)  # type: ignore[arg-type]


def test_a_name_of_no_op_is_registered_once() -> None:
    tf.RegisterGradient("TestNowhere")(lambda call, dy: dy)
    with pytest.raises(KeyError, match="TestNowhere"):
        tf.no_gradient("TestNowhere")


# -- composites ---------------------------------------------------------------------------------


@tf.custom_gradient
def doubled(x: Any, y: Any) -> Any:
    """Gradients that are not those of the function, to be told apart."""
    return (x * x, 2.0 * y), lambda dx, dy: (3.0 * dx, 4.0 * dy)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_ragged_arguments_and_results(wrap: Any) -> None:
    x, y = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.constant([4.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch([x.values, y])
        result = wrap(doubled)(x, y)
    by_x, by_y = tape.gradient(result, [x, y])
    assert result[0].to_list() == [[1.0, 4.0], [9.0]]
    assert result[1].numpy().tolist() == [8.0, 10.0]
    assert by_x.to_list() == [[3.0, 3.0], [3.0]]
    assert by_y.numpy().tolist() == [4.0, 4.0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_sparse_arguments_and_results(wrap: Any) -> None:
    @tf.custom_gradient
    def same(x: Any) -> Any:
        return x, lambda dx: dx * 5.0

    x = tf.sparse.from_dense([[0.0, 2.0], [3.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        total = tf.sparse.reduce_sum(wrap(same)(x))
    assert tape.gradient(total, x.values).numpy().tolist() == [5.0, 5.0]


def test_what_is_computed_again_may_be_keyed_by_variables() -> None:
    @tf.recompute_grad
    def squared(x: Any) -> Any:
        return {key: value * value for key, value in x.items()}

    a, b = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        result = squared({a.ref(): a, b.ref(): b})
        total = tf.reduce_sum(result[a.ref()]) + result[b.ref()]
    by_a, by_b = tape.gradient(total, [a, b])
    assert numbers(by_a) == [2.0, 4.0]
    assert numbers(by_b) == 6.0


def test_custom_gradients_in_functions_called_in_graphs() -> None:
    @tf.function
    def doubled(x: Any) -> Any:
        @tf.custom_gradient
        def with_own_gradient(x: Any) -> Any:
            return x * 2.0, lambda upstream: upstream * x

        return with_own_gradient(x)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = doubled(x)
        assert session.run([*tf.gradients(doubled(x), x), tape.gradient(y, x)]) == [3.0, 3.0]


def test_wrapped_variables_that_are_arguments_are_not_passed_again() -> None:
    @tf.custom_gradient
    def scaled(x: Any, v: Any) -> Any:
        def grad(dy: Any, variables: Any = None) -> Any:
            return dy, dy * 5.0

        return x * tf.convert_to_tensor(v), grad

    v = Wrapped(3.0)

    def gradients() -> Any:
        with tf.GradientTape() as tape:
            y = scaled(X, v)
        return tape.gradient(y, v)

    assert gradients().numpy() == 5.0
    assert tf.function(gradients)().numpy() == 5.0
