"""`Function`, the scopes of state and rematerialization, and configs of own operations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.symbolic_scope import in_symbolic_scope

K = tf.keras


def test_a_function_computes_what_lies_between_tensors() -> None:
    x, y = K.KerasTensor((2, 3)), K.KerasTensor((2, 3))
    total = x + y
    function = K.Function({"x": x, "y": y}, {"triple": total * 3, "square": total**2})
    ones = np.ones((2, 3))
    result = function({"x": ones, "y": ones})
    np.testing.assert_allclose(result["triple"], 6 * ones)
    np.testing.assert_allclose(result["square"], 4 * ones)
    inferred = function({"x": K.KerasTensor((2, 3)), "y": K.KerasTensor((2, 3))})
    assert inferred["square"].shape == (2, 3)
    with pytest.raises(ValueError, match="structure"):
        function([ones, ones])
    with pytest.raises(ValueError, match="shape"):
        function({"x": ones, "y": np.ones((4, 3))})


def test_a_function_starts_at_its_inputs_even_inside_a_model() -> None:
    x = K.Input((3,))
    middle = x * 2
    function = K.Function(middle, middle + 1)
    assert [type(operation).__name__ for operation in function.operations] == ["Add"]
    np.testing.assert_allclose(function(np.ones((1, 3))), [[2, 2, 2]])
    assert function.compute_output_shape((None, 3)) == (None, 3)


@pytest.mark.parametrize(("inputs", "outputs"), [([], 1), (1, [])])
def test_a_function_needs_inputs_and_outputs(inputs: Any, outputs: Any) -> None:
    tensor = K.KerasTensor((2,))
    with pytest.raises(ValueError, match="empty"):
        K.Function(inputs and tensor, outputs and tensor)


def test_a_stateless_scope_keeps_reads_and_writes_from_variables() -> None:
    layer = K.layers.BatchNormalization()
    x = np.array([[1.0, 2.0], [3.0, 6.0]], "float32")
    layer(x)
    before = layer.moving_mean.numpy()
    with K.StatelessScope([(layer.gamma, [0.0, 0.0]), (layer.beta, [5.0, 7.0])]) as scope:
        output = layer(x, training=True)
        np.testing.assert_allclose(layer.beta.numpy(), [5, 7])
    np.testing.assert_allclose(output, [[5, 7], [5, 7]])
    np.testing.assert_array_equal(layer.moving_mean, before)
    np.testing.assert_allclose(scope.get_current_value(layer.moving_mean), [0.02, 0.04], rtol=1e-5)
    assert scope.get_current_value(K.Variable(1.0)) is None


@pytest.mark.parametrize("mapping", [[("no variable", 1.0)], [(K.Variable([1.0]), [1.0, 2.0])]])
def test_a_stateless_scope_refuses_what_does_not_fit(mapping: Any) -> None:
    with pytest.raises(ValueError, match="Received"):
        K.StatelessScope(mapping)


def test_inference_runs_in_a_symbolic_scope() -> None:
    seen = []

    class Layer(K.layers.Layer):
        def call(self, x: Any) -> Any:
            seen.append(in_symbolic_scope())
            return x

    layer = Layer()
    layer(K.Input((2,)))
    layer(np.ones((1, 2)))
    assert seen == [True, False]
    with K.SymbolicScope():
        assert in_symbolic_scope()


@pytest.mark.parametrize("mode", ["full", "activations", "larger_than", "list_of_layers"])
def test_rematerialized_layers_have_the_same_gradients(mode: str) -> None:
    calls = []

    def activation(x: Any) -> Any:
        calls.append(1)
        return tf.nn.tanh(x)

    x = tf.constant([[1.0, -2.0, 0.5]])
    kwargs = {"activation": activation, "kernel_initializer": "ones"}
    with K.RematScope(mode, output_size_threshold=2, layer_names=["chosen"]):
        ours = K.layers.Dense(4, name="chosen", **kwargs)
    plain = K.layers.Dense(4, **kwargs)
    found = []
    for layer in (plain, ours):
        layer.build((None, 3))
        calls.clear()
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(layer(x) ** 2)
        found.append([*tape.gradient(loss, [x, *layer.trainable_variables]), len(calls)])
    for theirs, mine in zip(found[0][:-1], found[1][:-1], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    assert found[0][-1] < found[1][-1]


def test_remat_takes_keyword_arguments() -> None:
    function = K.remat(lambda x, scale=1.0: x * scale)
    np.testing.assert_allclose(function(tf.constant([2.0]), scale=3.0), [6.0])
    with pytest.raises(ValueError, match="mode"):
        K.RematScope("unheard of")


class Scaled(K.Operation):
    def __init__(self, factor: Any, *, shift: float = 1.0, name: str | None = None) -> None:
        super().__init__(name=name)
        self.factor, self.shift = factor, shift

    def call(self, x: Any) -> Any:
        return x * self.factor + self.shift


def test_the_config_of_an_own_operation_is_what_it_was_made_with() -> None:
    operation = Scaled(0.5, name="half")
    config = operation.get_config()
    assert config == {"name": "half", "factor": 0.5, "shift": 1.0}
    assert Scaled.from_config(config).get_config() == config
    with pytest.raises(NotImplementedError, match="get_config"):
        Scaled(object()).get_config()
