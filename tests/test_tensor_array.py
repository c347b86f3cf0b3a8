"""`tf.TensorArray`: what each method gives, what is refused, and that tapes see through it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ROWS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)


def array(size: int = 3, dtype: Any = tf.float32, **options: Any) -> Any:
    return tf.TensorArray(dtype, size, **options)


# -- values -----------------------------------------------------------------------------------


def test_written_elements_are_read_and_stacked() -> None:
    ta = array().write(0, 1).write(tf.constant(2), 3.0)
    assert ta.stack().numpy().tolist() == [1, 0, 3]
    assert ta.write(0, 5.0).read(0).numpy() == 5
    assert ta.size().numpy() == 3 and ta.size().dtype is tf.int32


def test_an_element_not_written_is_zeros_of_a_known_shape() -> None:
    assert array(element_shape=[2]).read(0).numpy().tolist() == [0, 0]
    assert array().write(1, [1.0, 2.0]).read(0).numpy().tolist() == [0, 0]
    assert array(2, tf.string).write(0, "a").stack().numpy().tolist() == [b"a", b""]
    assert array(0, element_shape=[2]).stack().shape == (0, 2)
    assert array(0).stack().shape == (0,)


def test_reading_clears() -> None:
    ta = array().unstack([1.0, 2.0, 3.0])
    ta.gather([0])
    ta.stack()
    assert ta.read(0).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="element 0 has been read"):
        ta.read(0)
    assert ta.write(0, 4.0).read(0).numpy() == 4
    kept = array(clear_after_read=False).unstack([1.0, 2.0, 3.0])
    assert kept.read(1).numpy() == kept.read(1).numpy() == 2


def test_a_dynamic_array_grows() -> None:
    ta = array(dynamic_size=True).write(4, 1.0)
    assert ta.stack().numpy().tolist() == [0, 0, 0, 0, 1]
    assert array(1, dynamic_size=True).unstack([1.0, 2.0]).size().numpy() == 2
    scattered = array(dynamic_size=True).scatter([4, 0], ROWS[:2]).stack()
    assert scattered.numpy().tolist() == [[3, 4], [0, 0], [0, 0], [0, 0], [1, 2]]


def test_rows_are_spread_collected_and_joined() -> None:
    ta = array().unstack(ROWS)
    assert ta.stack().numpy().tolist() == ROWS.tolist()
    assert ta.gather([2, 0]).numpy().tolist() == [[5, 6], [1, 2]]
    assert ta.concat().numpy().tolist() == [1, 2, 3, 4, 5, 6]
    assert array().scatter([2, 0], ROWS[:2]).stack().numpy().tolist() == [[3, 4], [0, 0], [1, 2]]
    pieces = array(2).split([1.0, 2.0, 3.0], [1, 2])
    assert pieces.read(1).numpy().tolist() == [2, 3]
    loose = array(2, infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0])
    assert loose.concat().numpy().tolist() == [1, 1, 2]


def test_what_it_says_of_itself() -> None:
    ta = array(dynamic_size=True)
    assert ta.dtype is tf.float32 and ta.dynamic_size is True and ta.handle is None
    assert ta.element_shape == tf.TensorShape(None)
    assert ta.write(0, [1.0, 2.0]).element_shape == [2]
    assert array(infer_shape=False).write(0, [1.0]).element_shape == tf.TensorShape(None)
    assert ta.identity() is ta
    assert ta.flow.dtype is tf.int32
    ta.close()
    assert ta.size().numpy() == 0


# -- errors -----------------------------------------------------------------------------------

REFUSED = {
    (tf.errors.OutOfRangeError, "read from index 3 but array size is: 3"): lambda: array().read(3),
    (tf.errors.OutOfRangeError, "Reading from negative"): lambda: array().read(-1),
    (tf.errors.OutOfRangeError, "cannot write to index 3"): lambda: array().write(3, 1.0),
    (tf.errors.OutOfRangeError, "Writing to negative"): lambda: array().write(-1, 1.0),
    (tf.errors.OutOfRangeError, "write to index 4"): lambda: array().scatter([4], [1.0]),
    (tf.errors.InvalidArgumentError, "expected values of dtype float32, received int32"): (
        lambda: array().write(0, tf.constant(1))
    ),
    (tf.errors.InvalidArgumentError, "element 0 is a scalar"): (
        lambda: array().unstack([1.0, 2.0, 3.0]).concat()
    ),
    (tf.errors.InvalidArgumentError, "lengths add up to 2"): (
        lambda: array(2).split([1.0, 2.0, 3.0], [1, 1])
    ),
    (tf.errors.InvalidArgumentError, r"2 lengths do not fit"): (
        lambda: array().split([1.0, 2.0, 3.0], [1, 2])
    ),
    (ValueError, "must be fully known"): lambda: array().stack(),
    (ValueError, r"Incompatible shape for value \(\(1,\)\), expected \(\(2,\)\)"): (
        lambda: array(element_shape=[2]).write(0, [1.0])
    ),
    (ValueError, "Incompatible shape for value"): lambda: (
        array().write(0, [1.0]).write(1, [1.0, 2.0])
    ),
    (ValueError, "cannot unstack 4 tensors into an array of size 3"): (
        lambda: array().unstack([1.0, 2.0, 3.0, 4.0])
    ),
    (ValueError, "not in range"): lambda: array().unstack(1.0),
    (ValueError, "needs a size outside"): lambda: tf.TensorArray(tf.float32),
    (ValueError, "no handle outside of"): lambda: array(handle=1),
    (TypeError, "cannot be interpreted as an integer"): lambda: array().write(1.0, 1.0),
    (IndexError, "out of range"): lambda: array().unstack(ROWS).gather([3]),
    (NotImplementedError, "GradientTape"): lambda: array().grad("x"),
}


@pytest.mark.parametrize(("kind", "message"), REFUSED)
def test_what_is_refused(kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        REFUSED[kind, message]()


# -- as a value -------------------------------------------------------------------------------


def test_its_spec() -> None:
    spec = tf.TensorArraySpec([2], tf.float32, True, False)
    assert repr(spec) == "TensorArraySpec(TensorShape([2]), tf.float32, True, False)"
    assert spec.value_type is tf.TensorArray
    same = array(element_shape=[2], infer_shape=False, dynamic_size=True)
    assert spec.is_compatible_with(same) and tf.TensorArraySpec.from_value(same) == spec
    assert not spec.is_compatible_with(tf.TensorArraySpec([2], tf.float32))
    assert spec.is_subtype_of(tf.TensorArraySpec([None], tf.float32, True, False))
    with pytest.raises(TypeError, match="TensorArray"):
        tf.TensorArraySpec.from_value(1)


def test_it_is_carried_as_one_variant() -> None:
    ta = array().write(0, [1.0, 2.0]).write(2, [3.0, 4.0])
    (flow,) = tf.nest.flatten(ta, expand_composites=True)
    assert flow.dtype is tf.variant
    again = tf.nest.pack_sequence_as(ta, [flow], expand_composites=True)
    assert again.stack().numpy().tolist() == [[1, 2], [0, 0], [3, 4]]
    older = again.write(1, [5.0, 6.0])
    newer = again.write(1, [7.0, 8.0])
    assert older.read(1).numpy().tolist() == [5, 6]
    assert newer.read(1).numpy().tolist() == [7, 8]
    assert again.read(1).numpy().tolist() == [0, 0]


def cumulative(x: Any, ta: Any) -> Any:
    """Products of the rows up to each, collected in an array."""
    inputs = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    state = tf.ones([2])
    for i in range(3):
        state = state * inputs.read(i)
        ta = ta.write(i, tf.sin(state))
    return tf.reduce_sum(ta.stack() * inputs.concat()[0])


def test_tapes_see_through_it() -> None:
    x = tf.constant(ROWS)
    plain = array()
    carried = tf.nest.pack_sequence_as(
        plain, tf.nest.flatten(plain, expand_composites=True), expand_composites=True
    )
    found = []
    for ta in (plain, carried):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                loss = cumulative(x, ta)
            first = inner.gradient(loss, x)
        found.append((loss.numpy(), first.numpy(), outer.gradient(first, x).numpy()))
    products = tf.math.cumprod(x)
    expected = tf.reduce_sum(tf.sin(products)) * x[0, 0]
    np.testing.assert_allclose(found[0][0], expected, rtol=1e-5)
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-5)


def test_lengths_of_a_split_are_a_vector() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be a vector, received"):
        tf.TensorArray(tf.float32, 3).split([1.0, 2.0, 3.0], 1)
