"""`tensor[...]` and `StridedSlice`: against NumPy, in what it refuses, and compiled."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow._src.backends import jax as jax_backend
from tapeflow._src.core import dispatch
from tapeflow._src.core.registry import OPS
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.slicing import get_item, slice_arguments
from tapeflow._src.ops.array.strided import numpy_key
from tests.ops.hidden import Hidden, hidden

X = np.arange(60, dtype=np.float32).reshape(3, 4, 5)

bounds = st.none() | st.integers(-7, 7)
slices = st.builds(slice, bounds, bounds, st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3]))
entries = st.one_of(slices, st.integers(-3, 2), st.none())


@st.composite
def keys(draw: Any) -> tuple[Any, ...]:
    """Keys of a tensor of rank 3: at most three entries name an axis, one may be an ellipsis."""
    chosen = draw(st.lists(entries, max_size=5))
    while sum(entry is not None for entry in chosen) > 3:
        chosen.pop()
    if draw(st.booleans()):
        chosen.insert(draw(st.integers(0, len(chosen))), Ellipsis)
    return tuple(chosen)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(key=keys())
def test_slicing_is_numpys(key: tuple[Any, ...]) -> None:
    result = tf.constant(X)[key]
    np.testing.assert_array_equal(result, X[key])
    # What the rule says of it, when it knows everything, and when it knows only the masks.
    where, masks = slice_arguments(key)
    data = Spec(X.shape, tf.float32)
    known = [Spec(w.shape, w.dtype, w._array) for w in where]
    unknown = [Spec(w.shape, w.dtype) for w in where]
    (exact,) = OPS["StridedSlice"].infer_outputs((data, *known), masks)
    (partial,) = OPS["StridedSlice"].infer_outputs((data, *unknown), masks)
    assert exact.shape == result.shape
    assert len(partial.shape) == len(result.shape)
    assert all(a in (None, b) for a, b in zip(partial.shape, result.shape, strict=True))


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(key=keys())
def test_gradient_puts_back_what_was_taken(key: tuple[Any, ...]) -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        part = x[key]
    expected = np.zeros_like(X)
    expected[key] = 1
    np.testing.assert_array_equal(tape.gradient(part, x), expected)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (3, r"slice index 3 is out of bounds"),
        (-4, r"slice index -1 is out of bounds"),
        ((0, 0, 7), r"slice index 7 is out of bounds"),
        ((0, 0, 0, 0), "Index out of range using input dim 3; input has only 3 dims"),
        (slice(None, None, 0), r"strides\[0\] must be non-zero"),
        ((..., ...), "Multiple ellipses in slice spec not allowed"),
        ([True, False], "attr 'Index' of bool"),
    ],
    ids=range(7),
)
def test_keys_out_of_range(key: Any, message: str) -> None:
    x = tf.constant(X)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        x[key]


@pytest.mark.parametrize(
    "key",
    [1.0, "a", 1j, {}, range(2), np.True_, np.array([0, 1]), np.float32(1), ([0, 1], 0)],
    ids=str,
)
def test_keys_of_other_kinds(key: Any) -> None:
    with pytest.raises(TypeError, match="indexed by integers, slices"):
        tf.constant(X)[key]


@pytest.mark.parametrize(
    "index", [np.int64(1), np.array(1), tf.constant(1, tf.int64), tf.Variable(1)], ids=range(4)
)
def test_integers_of_every_make(index: Any) -> None:
    np.testing.assert_array_equal(tf.constant(X)[index], X[1])
    np.testing.assert_array_equal(tf.constant(X)[:, index:], X[:, 1:])


def test_slices_of_more_than_int32() -> None:
    where, _ = slice_arguments((slice(0, 2**40), 1))
    assert {w.dtype for w in where} == {tf.int64}
    np.testing.assert_array_equal(tf.constant(X)[0 : 2**40, 1], X[:, 1])


def test_the_same_key_on_another_shape_is_checked_again() -> None:
    assert tf.constant(X)[2].shape == (4, 5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 2"):
        tf.constant(X[:2])[2]


def test_a_mask_must_fit() -> None:
    with pytest.raises(ValueError, match="mask cannot be scalar"):
        tf.constant(X)[True]
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are incompatible"):
        tf.constant(X)[np.array([True, False])]


def test_an_index_yet_to_be_computed() -> None:
    x = tf.constant(X)
    np.testing.assert_array_equal(get_item(x, (hidden(1), slice(1, 3))), X[1, 1:3])
    np.testing.assert_array_equal(
        get_item(x, (None, slice(0, 2), hidden(-1), ..., 0)), X[None, 0:2, -1, 0]
    )
    np.testing.assert_array_equal(get_item(x, slice(hidden(1), None)), X[1:])


def test_known_slices_are_taken_before_computed_indices() -> None:
    """So that `x[i, 1:3]` has a known size although `i` is not known."""
    calls: list[Any] = []

    class Listener:
        def record(self, op: Any, inputs: Any, attrs: Any, outputs: Any) -> None:
            calls.append((op.name, attrs))

        def variable_accessed(self, variable: Any) -> None: ...

    with dispatch.use_recorders((Listener(),)):
        get_item(tf.constant(X), (hidden(1), slice(1, 3)))
    first, *_, last = [attrs for name, attrs in calls if name == "StridedSlice"]
    assert first["shrink_axis_mask"] == 0
    assert last["begin_mask"] == last["end_mask"] == 0b10


# -- compiled ----------------------------------------------------------------------------------


def compiled(op: str, *arguments: Any, **attrs: Any) -> Any:
    """The body with its second input traced: a `begin` that the compiled code computes."""
    body = OPS[op].body
    attrs = {**OPS[op].defaults, **attrs}
    first, begin, *rest = arguments

    def call(first: Any, begin: Any) -> Any:
        with jax_backend.collect_failures() as failures:
            result = body(jax_backend, first, begin, *rest, **attrs)
        return result, jax.numpy.any(jax.numpy.stack(failures))

    return jax.jit(call)(first, begin)


def i32(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def test_compiled_single_index() -> None:
    arguments = (i32(0, 0), i32(1, 1))
    for index, failed in ((2, False), (-1, False), (3, True)):
        result, flag = compiled(
            "StridedSlice",
            X,
            i32(index, 0),
            *arguments,
            shrink_axis_mask=1,
            begin_mask=2,
            end_mask=2,
        )
        assert bool(flag) is failed
        if not failed:
            np.testing.assert_array_equal(result, X[index])


def test_compiled_box() -> None:
    result, flag = compiled("Slice", X, i32(1, 0, 2), i32(2, 4, 3))
    np.testing.assert_array_equal(result, X[1:3, :, 2:])
    assert not flag
    assert compiled("Slice", X, i32(2, 0, 2), i32(2, 4, 3))[1]


# -- as an op ----------------------------------------------------------------------------------


def test_numpy_key_of_other_lengths() -> None:
    with pytest.raises(ValueError, match=r"got shapes \[2\], \[1\], and \[2\] instead"):
        numpy_key((3,), i32(0, 0), i32(1), i32(1, 1), (0, 0, 0, 0, 0))


def test_slice_update_is_broadcast() -> None:
    result = tf.raw_ops.TensorStridedSliceUpdate(
        input=[1, 2, 3], begin=[0], end=[2], strides=[1], value=8
    )
    assert result.numpy().tolist() == [8, 8, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Cannot broadcast input shape \[3\]"):
        tf.raw_ops.TensorStridedSliceUpdate(
            input=[1, 2, 3], begin=[0], end=[2], strides=[1], value=[8, 9, 1]
        )


def test_boolean_mask_of_unknown_sizes() -> None:
    mask = Hidden(np.array([True, False, True]))
    np.testing.assert_array_equal(tf.boolean_mask(Hidden(X), mask), X[[0, 2]])
    mask = Hidden(np.array([True, False, True, True]))
    np.testing.assert_array_equal(tf.boolean_mask(Hidden(X), mask, axis=1), X[:, [0, 2, 3]])
