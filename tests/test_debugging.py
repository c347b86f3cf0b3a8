"""Assertions: what they say, and that they wait for values not known yet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import jax as jax_backend
from tapeflow._src.core.registry import OPS
from tests.ops.hidden import Formless, Hidden, hidden

Invalid = tf.errors.InvalidArgumentError
NAN, INF = float("nan"), float("inf")
check = tf.debugging


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: check.check_numerics([1.0, NAN], "msg"), "msg : Tensor had NaN values"),
        (lambda: check.check_numerics([1.0, -INF], "msg"), "msg : Tensor had Inf values"),
        (lambda: check.assert_all_finite([NAN, INF], "msg"), "msg : Tensor had Inf and NaN values"),
        (
            lambda: tf.raw_ops.CheckNumericsV2(tensor=[NAN, INF, -INF], message="msg"),
            "msg : Tensor had -Inf, +Inf, and NaN values",
        ),
        (
            lambda: check.assert_equal([1, 2, 3], [1, 3, 3], message="hello"),
            "hello\nCondition x == y did not hold.\nIndices of first 1 different values:\n[[1]]\n"
            "Corresponding x values:\n[2]\nCorresponding y values:\n[3]\n"
            "First 3 elements of x:\n[1 2 3]\nFirst 3 elements of y:\n[1 3 3]",
        ),
        (lambda: check.assert_equal(1, 2), "First 1 elements of x:\n[1]"),
        (
            lambda: check.assert_equal([1, 2], [2, 3], summarize=1),
            "first 1 different values:\n[[0]]",
        ),
        (lambda: check.assert_none_equal([1, 2], [3, 2]), "Condition x != y did not hold."),
        (lambda: check.assert_less([1, 5], [2, 3]), "Condition x < y did not hold."),
        (lambda: check.assert_less_equal([1, 5], [2, 3]), "Condition x <= y did not hold."),
        (lambda: check.assert_greater([1, 5], [0, 9]), "Condition x > y did not hold."),
        (lambda: check.assert_greater_equal([1, 5], [0, 9]), "Condition x >= y did not hold."),
        (
            lambda: check.assert_near([1.0, 2.0], [1.0, 2.1], message="hey", rtol=1e-3),
            "b'hey.  '\nb'x and y are not equal within the tolerance rtol = tf.Tensor(0.001,",
        ),
        (
            lambda: check.assert_positive([1, -1], message="hey"),
            "hey.  \nCondition x > 0 did not hold for all elements:\n"
            "x (shape=(2,) dtype=int32) = \n['1', '-1']",
        ),
        (lambda: check.assert_negative([0]), "Condition x < 0 did not hold"),
        (lambda: check.assert_non_negative([-1]), "Condition x >= 0 did not hold"),
        (lambda: check.assert_non_positive([1]), "Condition x <= 0 did not hold"),
        (
            lambda: check.Assert(False, [tf.constant([1, 2, 3, 4]), "b"]),
            "Expected 'False' to be true. Summarized data: 1, 2, 3, ...\nb'b'",
        ),
        (
            lambda: tf.raw_ops.Assert(condition=False, data=["hey", [1, 2, 3, 4]]),
            "assertion failed: [hey] [1 2 3...]",
        ),
    ],
    ids=range(19),
)
def test_what_is_said_of_values(call: Any, message: str) -> None:
    with pytest.raises(Invalid) as raised:
        call()
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: check.assert_rank([1, 2], 2, message="hey"),
            ValueError,
            "hey.  Tensor  must have rank 2.  Received rank 1, shape (2,)",
        ),
        (lambda: check.assert_rank([1], [1]), ValueError, "Rank must be a scalar."),
        (lambda: check.assert_rank_at_least([1], 2), ValueError, "must have rank at least 2."),
        (lambda: check.assert_rank_in([1], [0, 2]), ValueError, "must have rank in (0, 2)."),
        (lambda: check.assert_scalar([1]), ValueError, "Expected scalar shape, saw shape: (1,)."),
        (lambda: check.assert_type([1], tf.float32), TypeError, "tf.float32; got tf.int32"),
        (
            lambda: check.assert_integer([1.0]),
            TypeError,
            "Found: tensor of dtype <dtype: 'float32'>",
        ),
        (lambda: check.assert_proper_iterable("a"), TypeError, "another iterable of tensors"),
        (lambda: check.assert_proper_iterable(1), TypeError, "must be iterable"),
        (
            lambda: check.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0, tf.float64)]),
            ValueError,
            "must be of the same type (<dtype: 'float32'>) as tf.Tensor(1.0",
        ),
        (
            lambda: check.assert_shapes([(tf.ones([2, 3]), "NQ"), (tf.ones([3]), "N")]),
            ValueError,
            "Specified by tensor shape=(2, 3) dtype=float32 dimension 0.  Tensor shape=(3,) "
            "dtype=float32 dimension 0 must have size 2.  Received size 3, shape (3,)",
        ),
        (
            lambda: check.assert_shapes({"a": 1}),
            ValueError,
            "must be an iterable of sizes",
        ),
        (
            lambda: check.assert_shapes([(tf.ones([2, 3]), ("N", "*"))]),
            ValueError,
            "must come first",
        ),
    ],
    ids=range(13),
)
def test_what_is_said_of_structure(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)


def test_shapes_with_wildcards_and_symbols() -> None:
    image = tf.ones([5, 8, 6, 3])
    check.assert_shapes(
        [(image, ("*", "H", "W", 3)), (tf.ones([8, 6]), "HW"), (tf.ones([]), ()), (7, ("one",))]
    )
    with pytest.raises(ValueError, match="must have size 6"):
        check.assert_shapes([(image, (..., "W", None)), (tf.ones([4]), "W")])


@pytest.mark.parametrize(("value", "shown"), [(-2, "-2"), ([1.5, -2.5], "['1.5', '-2.5']")])
def test_what_has_the_wrong_sign_is_shown(value: Any, shown: str) -> None:
    with pytest.raises(Invalid) as raised:
        check.assert_positive(tf.constant(value), message="told")
    assert raised.value.message.endswith(f" = \n{shown}")


def test_sizes_are_shown_when_the_graph_runs() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None, None])])
    def product(x: Any, y: Any) -> Any:
        check.assert_shapes([(x, "ND"), (y, ("D", 2))], message="told")
        return x @ y

    assert product(tf.ones([1, 3]), tf.ones([3, 2])).shape == (1, 2)
    with pytest.raises(Invalid) as raised:
        product(tf.ones([1, 3]), tf.ones([4, 2]))
    said = "[Specified by tensor x:0 dimension 1] [Tensor y:0 dimension] [0] [must have size] [3] "
    assert f"{said}[Received shape: ] [4 2]" in str(raised.value)


def test_numeric_tensors() -> None:
    assert check.is_numeric_tensor(tf.constant(1j))
    assert not check.is_numeric_tensor(tf.constant("a"))
    assert not check.is_numeric_tensor(1)


def test_equal_to_itself() -> None:
    nan = tf.constant(NAN)
    assert check.assert_equal(nan, nan) is None
    with pytest.raises(Invalid):
        check.assert_equal(nan, tf.constant(NAN))


def test_tolerance_follows_the_dtype() -> None:
    near = np.float16(1) + np.float16(0.005)
    check.assert_near(tf.constant(1, tf.float16), tf.constant(near))
    with pytest.raises(Invalid):
        check.assert_near(1.0, 1.005)
    with pytest.raises(ValueError, match="compares floats"):
        check.assert_near([1], [1])


@pytest.mark.parametrize("jit_compile", [None, True])
def test_what_is_as_far_as_the_tolerance_is_not_near(jit_compile: bool | None) -> None:
    @tf.function(jit_compile=jit_compile)
    def traced(x: Any) -> None:
        check.assert_near(x, 1.5, rtol=0.0, atol=0.5)

    for near in (traced, traced.python_function):
        near(tf.constant([1.25]))
        with pytest.raises(Invalid):
            near(tf.constant([1.0]))


def test_gradients_are_checked_too() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = check.check_numerics(x, "m")
    with pytest.raises(Invalid, match="The gradient contains NaN"):
        tape.gradient(y, x, output_gradients=tf.constant([NAN, 1.0]))


# -- values not known yet ----------------------------------------------------------------------


def test_assertions_wait_for_values() -> None:
    condition = Hidden(np.array(False))
    with pytest.raises(Invalid, match=r"assertion failed: \[told\]"):
        check.Assert(condition, ["told"])
    assert check.Assert(Hidden(np.array(True)), ["told"]) is None


def test_ranks_wait_for_shapes() -> None:
    x = Formless(np.ones((2, 3), np.float32))
    check.assert_rank(x, 2)
    check.assert_rank_at_least(x, 1)
    with pytest.raises(Invalid, match="must have rank"):
        check.assert_rank_in(x, [0, 1])


def test_sizes_wait_for_shapes() -> None:
    x = Hidden(np.ones((2, 3), np.float32))
    check.assert_shapes([(x, "NM"), (tf.ones([3]), "M")])
    with pytest.raises(Invalid, match="must have size"):
        check.assert_shapes([(x, "NM"), (tf.ones([4]), "M")])
    assert hidden([1]).static_value is None


@pytest.mark.parametrize(
    ("op", "wrong"), [("Assert", np.array(False)), ("CheckNumerics", np.array([NAN]))]
)
def test_compiled_code_raises_a_flag(op: str, wrong: Any) -> None:
    arguments = (wrong, [np.array(1)]) if op == "Assert" else (wrong,)
    attrs = {"summarize": 3} if op == "Assert" else {"message": "m"}
    with jax_backend.collect_failures() as failures:
        OPS[op].body(jax_backend, *arguments, **attrs)
    assert bool(failures[0])


# -- graphs ------------------------------------------------------------------------------------


def test_assertions_of_a_plain_graph_are_operations_to_run() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, None, "x")
        n = tf.compat.v1.placeholder(tf.int32, [], "n")
        rank, sign = check.assert_rank(x, n), check.assert_positive(x)
        session.run([rank, sign, check.assert_rank(n, 0)], {x: [[1.0]], n: 2})
        with pytest.raises(Invalid, match=r"\[\] \[Tensor x:0 must have rank\] \[1\]"):
            session.run(rank, {x: [[1.0]], n: 1})
        with pytest.raises(Invalid, match=r"did not hold.*:\] \[x \(x:0\) = \]"):
            session.run(sign, {x: [[-1.0]]})


def test_what_is_compared_in_a_graph_is_named() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def traced(v: Any) -> None:
        check.assert_less(v, [1.0, 2.0], message="told")

    said = "[told] [Condition x < y did not hold element-wise:] [x (v:0) = ] [3.0 1.0] "
    with pytest.raises(Invalid) as raised:
        traced(tf.constant([3.0, 1.0]))
    assert f"{said}[y (assert_less/y:0) = ] [1.0 2.0]" in str(raised.value)


def test_a_scalar_is_known_to_be_one() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def traced(v: Any) -> None:
        check.assert_scalar(v)

    with pytest.raises(ValueError, match="scalar shape for v:0, saw shape: <unknown>"):
        traced(1.0)


SPARSE = {"indices": [[5, 6], [7, 8]], "values": [2.0, 3.0], "dense_shape": [30, 40]}


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ([None, 41], "Specified explicitly.*dimension 1 must have size 41.  Received size 40"),
        ("DD", "Specified by tensor .* dimension 0.*dimension 1 must have size 30"),
        ([None, None, 40], "must have rank 3.  Received rank 2"),
    ],
)
def test_shapes_of_sparse_tensors(wanted: Any, message: str) -> None:
    sparse = tf.SparseTensor(**SPARSE)
    check.assert_shapes([(sparse, "ND"), (tf.ones([40]), "D")])
    check.assert_rank(sparse, 2)
    check.assert_rank_in(sparse, (1, 2))
    with pytest.raises(ValueError, match=message):
        check.assert_shapes([(sparse, wanted)])
    with pytest.raises(TypeError, match="received a single"):
        check.assert_proper_iterable(sparse)


def test_shapes_of_sparse_tensors_when_the_graph_runs() -> None:
    @tf.function(input_signature=[tf.SparseTensorSpec(None), tf.TensorSpec(None)])
    def traced(sparse: Any, dense: Any) -> Any:
        check.assert_shapes([(sparse, ("N", 40)), (dense, "N")])
        return dense

    sparse = tf.SparseTensor(**SPARSE)
    assert traced(sparse, tf.ones([30])).shape == (30,)
    with pytest.raises(Invalid, match="must have size"):
        traced(sparse, tf.ones([31]))
    with pytest.raises(Invalid, match="must have size"):
        traced(tf.SparseTensor(SPARSE["indices"], SPARSE["values"], [30, 41]), tf.ones([30]))


@pytest.mark.parametrize("wanted", ["23", [2, 3], np.array([2, 3]), (..., "2", 3)])
def test_sizes_are_explicit_as_numbers_or_digits(wanted: Any) -> None:
    axis = -2 if wanted[0] is ... else 0
    with pytest.raises(
        ValueError, match=f"Specified explicitly.*dimension {axis} must have size 2"
    ):
        check.assert_shapes([(tf.ones([1, 3]), wanted), (tf.ones([4]), None)])


def test_a_rank_is_known_to_be_a_scalar_when_the_graph_runs() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec(None, tf.int32)])
    def traced(x: Any, rank: Any) -> Any:
        check.assert_rank(x, rank)
        return x

    assert traced([1.0], 1).shape == (1,)
    with pytest.raises(Invalid, match="must have rank"):
        traced([1.0], 2)
    with pytest.raises(Invalid, match="Rank must be a scalar"):
        traced([1.0], [1, 1])
