"""Comparisons in the corners: shapes that do not fit, and shapes of which little is known."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

# Recorded from TensorFlow 2.21: the shape of `x == y` for what is known of `x` and `y`.
SHAPES: list[tuple[Any, Any, Any]] = [
    (None, [], None),
    (None, [None, 2], None),
    ([], [None], [None]),
    ([None], [None], [None]),
    ([None], [1], [None]),
    ([None], [3], None),
    ([None], [None, 1], [None, None]),
    ([None], [None, 2], None),
    ([None, 2], [1], [None, 2]),
    ([None, 2], [3], []),
    ([None, 2], [2, 2], None),
    ([None, 1], [3], [None, 3]),
    ([None, 2], [None, 1], [None, 2]),
]


@pytest.mark.parametrize(("x", "y", "expected"), SHAPES)
def test_the_shape_of_equality(x: Any, y: Any, expected: Any) -> None:
    traced = tf.function(lambda x, y: (x == y, y != x)).get_concrete_function(
        tf.TensorSpec(x), tf.TensorSpec(y)
    )
    for output in traced.outputs:
        assert output.shape.rank == tf.TensorShape(expected).rank
        assert expected is None or output.shape.as_list() == expected


@pytest.mark.parametrize("options", [{}, {"jit_compile": True}], ids=["function", "compiled"])
@pytest.mark.parametrize("told", [[None], [2]])
def test_shapes_that_do_not_fit_are_unequal(
    options: dict[str, Any], told: list[int | None]
) -> None:
    def compare(x: tf.Tensor, y: tf.Tensor) -> Any:
        return x == y, x != y

    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])
    signature = [tf.TensorSpec(told), tf.TensorSpec([size and 3 for size in told])]
    traced = tf.function(compare, input_signature=signature, **options)
    for equal, unequal in (compare(x, y), traced(x, y)):
        assert equal.shape == unequal.shape == ()
        assert not equal and unequal


def test_a_mask_of_an_unknown_number_of_comparisons() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    def where_equal(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return tf.boolean_mask(x, x == y)

    assert where_equal([1, 2, 3], [1, 5, 3]).numpy().tolist() == [1, 3]
    assert where_equal.get_concrete_function().output_shapes.as_list() == [None]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", ["__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"])
def test_integers_are_not_compared_with_fractions(name: str, traced: bool) -> None:
    def compare(x: Any) -> Any:
        return getattr(x, name)(1.5)

    with pytest.raises(TypeError):
        (tf.function(compare) if traced else compare)(tf.constant(1))
