"""Gradients of and by extension types: of what a type says that counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf

ExtensionType = tf.experimental.ExtensionType


class ByValues:
    """Values count."""

    def get_gradient_components(self, value: Any) -> Any:
        return value.values

    def replace_gradient_components(self, value: Any, component_grads: Any) -> Any:
        return type(value)(component_grads, value.mask)


class Plain(ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Masked(Plain):
    __composite_gradient__ = ByValues()


class ByBoth:
    """Both fields count."""

    def get_gradient_components(self, value: Any) -> Any:
        return value.a, value.b

    def replace_gradient_components(self, value: Any, component_grads: Any) -> Any:
        return Pair(*component_grads)


class Pair(ExtensionType):
    a: tf.Tensor
    b: tf.Tensor

    __composite_gradient__ = ByBoth()


class Nested(ExtensionType):
    pair: Pair
    label: str

    class ByPair:
        def get_gradient_components(self, value: Any) -> Any:
            return value.pair

        def replace_gradient_components(self, value: Any, component_grads: Any) -> Any:
            return Nested(component_grads, value.label)

    __composite_gradient__ = ByPair()


def gradient(target: Callable[[Any], Any], source: Any, **options: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(source)
        found = target(source)
    return tape.gradient(found, source, **options)


MASKED = Masked([1.0, 2.0], [1.0, 0.0])


def values(found: Any) -> Any:
    return [leaf.numpy().tolist() for leaf in tf.nest.flatten(found, expand_composites=True)]


def test_by_a_type() -> None:
    found = gradient(lambda m: m.values**2, MASKED)
    assert isinstance(found, Masked)
    assert values(found) == [[2.0, 4.0], [1.0, 0.0]]


def test_of_a_type() -> None:
    assert gradient(lambda x: Masked(x * 3, x), tf.constant([2.0, 1.0])).numpy().tolist() == [3, 3]
    assert values(gradient(lambda m: Masked(m.values * 3, m.mask), MASKED))[0] == [3.0, 3.0]


def test_several_parts() -> None:
    assert values(gradient(lambda p: p.a * p.b, Pair(1.0, 3.0))) == [3.0, 1.0]
    weighted = gradient(
        lambda p: Pair(p.a * 2, p.b * p.a), Pair(1.0, 2.0), output_gradients=Pair(5.0, 7.0)
    )
    assert values(weighted) == [24.0, 7.0]


def test_parts_that_say_themselves_what_counts() -> None:
    found = gradient(lambda n: n.pair.a * n.pair.b, Nested(Pair(2.0, 5.0), "x"))
    assert isinstance(found, Nested) and found.label == "x"
    assert values(found) == [5.0, 2.0]


def test_among_other_sources() -> None:
    sources = {"m": MASKED, "x": tf.constant(2.0)}
    found = gradient(lambda s: tf.reduce_sum(s["m"].values) * s["x"], sources)
    assert values(found["m"])[0] == [2.0, 2.0] and found["x"].numpy() == 3.0


def test_unconnected() -> None:
    assert gradient(lambda m: tf.constant(1.0), MASKED) is None
    zero = gradient(lambda m: tf.constant(1.0), MASKED, unconnected_gradients="zero")
    assert values(zero)[0] == [0.0, 0.0]


def test_a_type_that_says_nothing_has_no_gradient() -> None:
    plain = Plain([1.0], [1.0])
    with pytest.raises(ValueError, match="Plain"):
        gradient(lambda m: m.values, plain)
    with pytest.raises(ValueError, match="Plain"):
        gradient(lambda x: Plain(x, x), tf.constant(1.0))
    assert gradient(lambda x: plain.values * x, tf.constant(2.0)).numpy() == 1.0


@pytest.mark.parametrize("jit", [False, True])
def test_in_functions(jit: bool) -> None:
    function = tf.function(lambda m: gradient(lambda m: m.values**2, m), jit_compile=jit)
    assert values(function(MASKED))[0] == [2.0, 4.0]
    (symbolic,) = tf.function(lambda m: tf.gradients(m.values * 2, m))(MASKED)
    assert isinstance(symbolic, Masked) and values(symbolic)[0] == [2.0, 2.0]


def test_through_functions() -> None:
    function = tf.function(lambda m: Masked(m.values**3, m.mask))
    assert values(gradient(function, MASKED))[0] == [3.0, 12.0]
