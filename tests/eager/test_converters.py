"""Classes of the user's own that become tensors by functions registered for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf


class Length:
    def __init__(self, metres: Any) -> None:
        self.metres = metres


class Width(Length):
    pass


def from_length(value: Length, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    return tf.constant(value.metres, dtype=dtype, name=name)


tf.register_tensor_conversion_function(Length, from_length)


def answering(answer: Any) -> Any:
    return lambda value, dtype=None, name=None, as_ref=False: answer


PROGRAMS = {
    "convert": lambda: tf.convert_to_tensor(Length(3)),
    "of a dtype": lambda: tf.convert_to_tensor(Length(3), tf.float32),
    "of a preferred dtype": lambda: tf.convert_to_tensor(Length(3), dtype_hint=tf.float64),
    "a subclass": lambda: tf.convert_to_tensor(Width(3)),
    "operators": lambda: 2.0 * tf.constant([1.0]) + Length(2) - Width([3.0]),
    "reflected operators": lambda: Length(5) - tf.constant(1),
    "both operands": lambda: tf.add(Length(1), Length(2)),
    "lists": lambda: tf.concat([Length([4]), Width([5])], 0),
    "reductions": lambda: tf.reduce_sum(Length([1, 2])),
}
EXPECTED = {
    "convert": np.int32(3),
    "of a dtype": np.float32(3),
    "of a preferred dtype": np.float64(3),
    "a subclass": np.int32(3),
    "operators": np.float32([1.0]),
    "reflected operators": np.int32(4),
    "both operands": np.int32(3),
    "lists": np.int32([4, 5]),
    "reductions": np.int32(3),
}


@pytest.mark.parametrize("jit", [None, False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_ops_take_values_that_can_be_converted(name: str, jit: bool | None) -> None:
    program = PROGRAMS[name]
    if jit is not None:
        program = tf.function(program, jit_compile=jit, autograph=False)
    result = program()
    np.testing.assert_array_equal(result, EXPECTED[name])
    assert result.dtype == EXPECTED[name].dtype


def test_variables_and_results_of_functions_are_converted() -> None:
    assert float(tf.Variable(Length(3.0))) == 3.0
    assert int(tf.function(lambda: Length(4))()) == 4


def test_a_tensor_given_back_is_not_copied() -> None:
    kept = tf.constant([1.0, 2.0])

    class Holder:
        pass

    tf.register_tensor_conversion_function(Holder, answering(kept))
    assert tf.convert_to_tensor(Holder()) is kept
    for square in (tf.square, tf.function(lambda holder: tf.square(holder))):
        with tf.GradientTape() as tape:
            tape.watch(kept)
            result = square(Holder())
        np.testing.assert_array_equal(tape.gradient(result, kept), [2.0, 4.0])


def test_the_smallest_priority_is_asked_first() -> None:
    class Base:
        pass

    class Derived(Base):
        pass

    tf.register_tensor_conversion_function(Base, answering(tf.constant(1)))
    tf.register_tensor_conversion_function(Derived, answering(tf.constant(2)))
    assert int(tf.convert_to_tensor(Derived())) == 1
    tf.register_tensor_conversion_function(Derived, answering(tf.constant(3)), priority=10)
    assert int(tf.convert_to_tensor(Derived())) == 3
    tf.register_tensor_conversion_function(Derived, answering(NotImplemented), priority=5)
    assert int(tf.convert_to_tensor(Derived())) == 3
    assert int(tf.convert_to_tensor(Base())) == 1


def test_sequences_and_arrays_of_ones_own() -> None:
    class Row(list[int]):
        pass

    class Late(list[int]):
        pass

    class Arrayed:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.arange(2)

    tf.register_tensor_conversion_function(Row, answering(tf.constant(-1)), priority=99)
    tf.register_tensor_conversion_function(Late, answering(tf.constant(-1)))
    np.testing.assert_array_equal(tf.convert_to_tensor(Row([1, 2])), -1)
    np.testing.assert_array_equal(tf.convert_to_tensor(Late([1, 2])), [1, 2])
    np.testing.assert_array_equal(tf.convert_to_tensor(Arrayed()), [0, 1])
    tf.register_tensor_conversion_function(Arrayed, answering(tf.constant(-1)))
    np.testing.assert_array_equal(tf.convert_to_tensor(Arrayed()), -1)


def test_wrong_answers_are_refused() -> None:
    class Wrong:
        pass

    tf.register_tensor_conversion_function(Wrong, answering(NotImplemented))
    with pytest.raises(ValueError, match="Cannot convert"):
        tf.convert_to_tensor(Wrong())
    tf.register_tensor_conversion_function(Wrong, answering(tf.constant(5.0)))
    with pytest.raises(RuntimeError, match="expected int32: it must"):
        tf.convert_to_tensor(Wrong(), tf.int32)
    with pytest.raises(RuntimeError, match="expected int32: it must"):
        tf.convert_to_tensor(Wrong(), dtype_hint=tf.int32)
    tf.register_tensor_conversion_function(Wrong, answering(5), priority=1)
    with pytest.raises(RuntimeError, match=r"returned 5 .* expected a Tensor"):
        tf.convert_to_tensor(Wrong())


@pytest.mark.parametrize("base", [int, float, np.ndarray, np.float32, (Length, int)])
def test_numbers_and_arrays_are_converted_as_they_are(base: Any) -> None:
    with pytest.raises(TypeError, match="cannot be registered"):
        tf.register_tensor_conversion_function(base, answering(NotImplemented))


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="base_type must be a"):
        tf.register_tensor_conversion_function(5, answering(NotImplemented))
    with pytest.raises(TypeError, match="`conversion_func` must be callable"):
        tf.register_tensor_conversion_function(Length, 5)


def test_symbolic_tensors() -> None:
    variable = tf.Variable(1.0)
    seen = []

    @tf.function
    def function(x: Any) -> Any:
        made = [x, x + 1, tf.constant(1.0), variable, [x], tf.IndexedSlices(x, [0]), 1.0]
        seen.extend(tf.is_symbolic_tensor(value) for value in made)
        return x

    function(tf.constant([1.0]))
    assert seen == [True, True, True, False, False, False, False]
    assert not tf.is_symbolic_tensor(tf.constant(1.0))
