"""Linear operators are values made of tensors: of functions, loops, datasets and structures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.internal.composite_tensor import CompositeTensor
from tapeflow._src.standin.modules import linear_operators, type_spec_registry
from tests.test_linear_operators import OPERATORS

Diag = tf.linalg.LinearOperatorDiag


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_go_through_functions_and_structures(name: str) -> None:
    operator = OPERATORS[name]()
    returned = tf.function(lambda each: each)(operator)
    again = tf.nest.map_structure(tf.identity, operator, expand_composites=True)
    for other in (returned, again):
        assert type(other) is type(operator)
        np.testing.assert_allclose(other.to_dense(), operator.to_dense())
        assert other._type_spec.is_compatible_with(operator)
        assert other.is_self_adjoint == operator.is_self_adjoint


def test_functions_are_traced_once_per_type_of_operator() -> None:
    traces = []

    @tf.function
    def applied(operator: Any) -> Any:
        traces.append(operator)
        return operator.matvec([1.0, 1.0])

    np.testing.assert_allclose(applied(Diag([1.0, 2.0])), [1, 2])
    np.testing.assert_allclose(applied(Diag([3.0, 4.0], name="other")), [3, 4])
    assert len(traces) == 1
    applied(Diag([3.0, 4.0], is_positive_definite=True))
    assert len(traces) == 2


def test_operators_in_loops_and_datasets() -> None:
    def doubled(i: Any, operator: Any) -> Any:
        return i + 1, Diag(operator.diag * 2.0)

    _, last = tf.while_loop(lambda i, _: i < 3, doubled, (tf.constant(0), Diag([1.0, 2.0])))
    np.testing.assert_allclose(last.diag_part(), [8, 16])
    (element,) = tf.data.Dataset.from_tensors(Diag([1.0, 2.0]))
    np.testing.assert_allclose(element.diag_part(), [1, 2])


def test_gradients_reach_the_tensors_of_operators() -> None:
    diagonal = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(diagonal)
        total = tf.reduce_sum(tf.function(lambda each: each)(Diag(diagonal)).matvec([5.0, 7.0]))
    np.testing.assert_allclose(tape.gradient(total, diagonal), [5, 7])


class Scaled(tf.linalg.LinearOperator):
    """An operator as libraries define them."""

    def __init__(self, factor: Any, size: int, name: str = "scaled") -> None:
        self.factor = tf.convert_to_tensor(factor)
        parameters = {"factor": factor, "size": size, "name": name}
        super().__init__(self.factor.dtype, is_square=True, name=name, parameters=parameters)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("factor",)

    def _shape(self) -> Any:
        return tf.TensorShape([self.parameters["size"]] * 2)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.factor * x


def test_operators_of_libraries_are_declared() -> None:
    plain = Scaled(3.0, 2)
    assert isinstance(plain, CompositeTensor)
    with pytest.raises(TypeError, match="cannot be taken apart"):
        tf.nest.flatten(plain, expand_composites=True)
    declared = linear_operators.make_composite_tensor(
        type("Declared", (Scaled,), {}), module_name="tests"
    )
    operator = tf.function(lambda each: each)(declared(3.0, 2))
    assert type(operator) is declared
    np.testing.assert_allclose(operator.matvec([1.0, 2.0]), [3, 6])
    assert type_spec_registry.get_name(type(operator._type_spec)) == "tests.DeclaredSpec"
