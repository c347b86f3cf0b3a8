"""`Einsum` and `tf.einsum`: against NumPy's, equations that are wrong, unknown shapes."""

from __future__ import annotations

import math
import re
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow._src.api.linalg.einsum import _at_most_two
from tapeflow._src.backends import jax as jax_backend
from tapeflow._src.backends import numpy as np_backend
from tapeflow._src.core.registry import OPS
from tapeflow._src.core.spec import Spec
from tests.ops.hidden import Formless, Hidden

EINSUM = OPS["Einsum"]
SIZES = {"a": 2, "b": 3, "c": 4, "d": 1, "e": 5}


def values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


# -- values ------------------------------------------------------------------------------------


@st.composite
def equations(draw: Any) -> tuple[str, list[np.ndarray]]:
    """Any equation of one or two operands, and operands for it."""
    letters = "abcde"
    operands = [
        draw(st.lists(st.sampled_from(letters), max_size=4)) for _ in range(draw(st.integers(1, 2)))
    ]
    present = sorted({letter for operand in operands for letter in operand})
    output = draw(st.lists(st.sampled_from(present), unique=True)) if present else []
    arrays = [
        values(*(SIZES[letter] for letter in operand), seed=i) for i, operand in enumerate(operands)
    ]
    return f"{','.join(map(''.join, operands))}->{''.join(output)}", arrays


@settings(max_examples=300, deadline=None)
@given(equations())
def test_any_equation_gives_what_numpy_gives(case: tuple[str, list[np.ndarray]]) -> None:
    equation, arrays = case
    expected = np.einsum(equation, *arrays)
    np.testing.assert_allclose(tf.einsum(equation, *arrays), expected, atol=1e-9)
    generic = EINSUM.body(np_backend, arrays, equation=equation)
    np.testing.assert_allclose(generic, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("abde,abc->cde", [(2, 3, 4, 5), (2, 3, 7)]),  # the gradient of a dense layer's kernel
        ("abde,cde->abc", [(2, 3, 4, 5), (6, 4, 5)]),
        ("aqc,aqde->acde", [(2, 3, 4), (2, 3, 5, 6)]),
        ("acdq,aeq->acde", [(2, 3, 4, 5), (2, 6, 5)]),
    ],
)
def test_products_take_operands_as_they_lie_in_memory(
    equation: str, shapes: list[tuple[int, ...]]
) -> None:
    """XLA takes a matrix that is transposed; other axes in another order it copies first."""
    arrays = [values(*shape, seed=i) for i, shape in enumerate(shapes)]
    with jax.enable_x64(True):
        compiled = jax.jit(lambda *arrays: EINSUM.body(jax_backend, arrays, equation=equation))
        program = compiled.lower(*arrays).compile().as_text()
        product = compiled(*arrays)
    np.testing.assert_allclose(product, np.einsum(equation, *arrays), atol=1e-9)
    moved = re.findall(r"f64\[([0-9,]+)\]\S* (?:copy|transpose)\(", program)
    sizes = [math.prod(map(int, dims.split(","))) for dims in moved]
    assert not {array.size for array in arrays} & set(sizes), program


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("...ij,...jk->...ik", [(2, 3, 4), (5, 1, 4, 2)]),
        ("...ij,...jk", [(2, 3, 4), (5, 1, 4, 2)]),
        ("i...,i...->...", [(3, 2), (3, 1)]),
        ("...,...->...", [(2, 1), (3,)]),
        ("...a,b...->ab...", [(2, 3), (4, 2)]),
        ("...ii->...i", [(2, 3, 3)]),
        ("...->...", [(2, 3)]),
        ("ij...", [(2, 3, 4)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ba,cb", [(2, 3), (4, 2)]),
        ("ii", [(3, 3)]),
        ("", [()]),
        (",", [(), ()]),
        (" ij , jk -> ik ", [(2, 3), (3, 4)]),
    ],
)
def test_dots_and_implicit_outputs(equation: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [values(*shape, seed=i) for i, shape in enumerate(shapes)]
    explicit = equation
    if equation == "...ij,...jk":
        explicit += "->...ik"
    np.testing.assert_allclose(tf.einsum(equation, *arrays), np.einsum(explicit, *arrays))


@pytest.mark.parametrize("optimize", ["greedy", "optimal", "auto", "branch-2"])
@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("...a,...b,...c->...abc", [(2, 2), (2, 3), (1, 4)]),
        ("ab,bc,ca->", [(2, 3), (3, 4), (4, 2)]),
        ("a,a,a,a->a", [(3,), (3,), (3,), (3,)]),
        ("a,b,c,d,e->edcba", [(2,), (3,), (4,), (1,), (5,)]),
        ("aab,bc,cd->d", [(2, 2, 3), (3, 4), (4, 1)]),
    ],
)
def test_many_operands(equation: str, shapes: list[tuple[int, ...]], optimize: str) -> None:
    arrays = [values(*shape, seed=i) for i, shape in enumerate(shapes)]
    found = tf.einsum(equation, *arrays, optimize=optimize)
    np.testing.assert_allclose(found, np.einsum(equation, *arrays), atol=1e-12)


def test_a_step_with_many_operands_becomes_steps_with_two() -> None:
    """Each result stands last, as those of NumPy's path do."""
    names = list("abcd")
    for first, second in _at_most_two((0, 1, 3), 4):
        x, y = names[first], names[second]
        names = [n for i, n in enumerate(names) if i not in (first, second)] + [f"({x}{y})"]
    assert names == ["c", "(d(ab))"]


def test_operands_take_the_dtype_of_a_tensor_among_them() -> None:
    found = tf.einsum("i,i->", [1, 2], tf.constant([0.5, 1.5]))
    assert found.dtype is tf.float32
    assert found.numpy() == 3.5


def test_repeated_letters_of_an_output_are_diagonals() -> None:
    found = EINSUM([tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])], equation="a,b->aab")
    np.testing.assert_array_equal(found, [[[3, 4], [0, 0]], [[0, 0], [6, 8]]])


# -- unknown shapes ----------------------------------------------------------------------------


def spec(*sizes: int | None) -> Spec:
    return Spec(sizes, tf.float32)


def test_sizes_are_put_together_from_all_operands() -> None:
    (found,) = EINSUM.infer_outputs(((spec(None, 3), spec(None, 4)),), {"equation": "ij,jk->kij"})
    assert found.shape == (4, None, 3)
    (found,) = EINSUM.infer_outputs(
        ((spec(5, None, 2), Spec(None, tf.float32)),), {"equation": "...ij,jk->...ik"}
    )
    assert found.shape is None


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("...ij,...jk->...ik", [(2, 3, 4), (5, 1, 4, 2)]),
        ("i...j,j->i...", [(2, 3, 5, 4), (4,)]),
        ("iaib,b->a", [(2, 3, 2, 4), (4,)]),
        ("ij->i", [(2, 3)]),
        ("ij...->...i", [(2, 3, 4)]),
        ("ij,k...->j...", [(2, 3), (4, 2, 2)]),
    ],
)
@pytest.mark.parametrize("kind", [Hidden, Formless])
def test_gradients_of_unknown_shapes(equation: str, shapes: Any, kind: Any) -> None:
    arrays = [values(*shape, seed=i) for i, shape in enumerate(shapes)]
    rule = EINSUM.gradient_rule.fn
    seed = tf.constant(values(*np.einsum(equation, *arrays).shape, seed=7))
    needed = [True] * len(arrays)
    known = rule(seed, inputs=[tf.constant(a) for a in arrays], equation=equation, needed=needed)
    found = rule(seed, inputs=[kind(a) for a in arrays], equation=equation, needed=needed)
    for a, b in zip(known, found, strict=True):
        np.testing.assert_allclose(a, b)


# -- errors ------------------------------------------------------------------------------------

INVALID = tf.errors.InvalidArgumentError
M = np.ones((2, 3), np.float32)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: tf.einsum("ij,jk->ik", M), ValueError, "Got 1 inputs .* expecting 2"),
        (lambda: tf.einsum("ij"), ValueError, "Got 0 inputs"),
        (lambda: tf.einsum("ij->i->j", M), ValueError, "incorrect format"),
        (lambda: tf.einsum("i1->i", M), ValueError, "incorrect format"),
        (lambda: tf.einsum("..ij->ij", M), ValueError, "incorrect format"),
        (lambda: tf.einsum("ij->ik", M), ValueError, "label 'k' does not occur"),
        (lambda: tf.einsum("ij->iij", M), ValueError, "only once in the"),
        (lambda: tf.einsum("ij,jk->ik", M, M), INVALID, r"dimension 3 at axis 0 .*\[2,3\]"),
        (lambda: tf.einsum("ij,jk->ik", M, M[0]), INVALID, "Expected input 1 to have rank 2"),
        (lambda: tf.einsum("...ijk->...", M), INVALID, "rank at least 3 but got: 2"),
        (lambda: tf.einsum("...j->j", M), INVALID, "no ellipsis"),
        (lambda: tf.einsum("......->...", M), INVALID, "incorrect format"),
        (lambda: tf.einsum("i,i->", ["a"], ["b"]), INVALID, "string"),
        (lambda: tf.einsum("i,i->", M[0], M[0], foo=1), TypeError, "foo"),
        (lambda: tf.einsum("i,i,i->", M[0], M[0], M[0], optimize="x"), KeyError, "'x' not found"),
        (lambda: EINSUM([M, M, M], equation="a,b,c->"), INVALID, "1 or 2 input subscripts"),
        (lambda: EINSUM([M], equation="ij"), INVALID, "exactly one '->'"),
        (lambda: EINSUM([M, M], equation="ij->i"), INVALID, "Expecting 1 inputs"),
    ],
)
def test_errors(call: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
