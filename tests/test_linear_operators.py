"""Linear operators: each does what its dense matrix does, and combines as TensorFlow's do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.linalg
Full, Diag, Lower = (
    L.LinearOperatorFullMatrix,
    L.LinearOperatorDiag,
    L.LinearOperatorLowerTriangular,
)
Identity, Scaled, Zeros = (
    L.LinearOperatorIdentity,
    L.LinearOperatorScaledIdentity,
    L.LinearOperatorZeros,
)
INVALID = tf.errors.InvalidArgumentError


def values(*shape: int, seed: int = 0, dtype: Any = np.float64) -> np.ndarray:
    generator = np.random.default_rng(seed)
    array = generator.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * generator.normal(size=shape)
    return array.astype(dtype)


def positive(size: int) -> np.ndarray:
    a = values(size, size)
    return a @ a.T + size * np.eye(size)


def adjoint(a: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(a, -1, -2))


C = complex
OPERATORS: dict[str, Callable[[], Any]] = {
    "full": lambda: Full(values(3, 3)),
    "full batch": lambda: Full(values(2, 3, 3)),
    "full complex": lambda: Full(values(3, 3, dtype=C)),
    "full wide": lambda: Full(values(3, 4)),
    "full positive": lambda: Full(positive(3), is_self_adjoint=True, is_positive_definite=True),
    "diag": lambda: Diag(values(3)),
    "diag batch": lambda: Diag(values(2, 3)),
    "diag complex": lambda: Diag(values(3, dtype=C)),
    "diag positive": lambda: Diag([1.0, 2.0, 3.0], is_positive_definite=True),
    "lower": lambda: Lower(values(2, 3, 3)),
    "lower complex": lambda: Lower(values(3, 3, dtype=C)),
    "identity": lambda: Identity(3, dtype=tf.float64),
    "identity batch": lambda: Identity(3, batch_shape=[2], dtype=tf.float64),
    "scaled": lambda: Scaled(3, tf.constant(2.0)),
    "scaled batch": lambda: Scaled(3, tf.constant([2.0, -1.0])),
    "scaled complex": lambda: Scaled(3, tf.constant(2 + 1j)),
    "zeros wide": lambda: Zeros(3, 4, batch_shape=[2], is_square=False, is_self_adjoint=False),
    "householder": lambda: L.LinearOperatorHouseholder(values(2, 3)),
    "householder complex": lambda: L.LinearOperatorHouseholder(values(3, dtype=C)),
    "permutation": lambda: L.LinearOperatorPermutation([[2, 0, 1], [0, 2, 1]], dtype=tf.float64),
    "toeplitz": lambda: L.LinearOperatorToeplitz(values(2, 3), [1.0, 2.0, 3.0]),
    "circulant": lambda: L.LinearOperatorCirculant(values(3, dtype=C), tf.complex128),
    "circulant batch": lambda: L.LinearOperatorCirculant(values(2, 4, dtype=C), tf.complex128),
    "circulant real": lambda: L.LinearOperatorCirculant([6.0, 4.0, 4.0], tf.float64),
    "circulant 2D": lambda: L.LinearOperatorCirculant2D(values(2, 3, dtype=C), tf.complex128),
    "circulant 3D": lambda: L.LinearOperatorCirculant3D(values(2, 2, 1, 3, dtype=C), tf.complex128),
    "tridiag": lambda: L.LinearOperatorTridiag(values(2, 3, 4)),
    "tridiag complex": lambda: L.LinearOperatorTridiag(values(3, 4, dtype=C)),
    "tridiag sequence": lambda: L.LinearOperatorTridiag(list(values(3, 4)), "sequence"),
    "tridiag matrix": lambda: L.LinearOperatorTridiag(values(4, 4), "matrix"),
    "adjoint": lambda: L.LinearOperatorAdjoint(Full(values(3, 3, dtype=C))),
    "adjoint wide": lambda: L.LinearOperatorAdjoint(Full(values(3, 4))),
    "inversion": lambda: L.LinearOperatorInversion(Full(values(3, 3), is_non_singular=True)),
    "composition": lambda: L.LinearOperatorComposition(
        [Full(values(2, 3, 3)), Lower(values(3, 3, seed=1)), Diag(values(3, seed=2))]
    ),
    "composition wide": lambda: L.LinearOperatorComposition(
        [Full(values(3, 4)), Full(values(4, 2, seed=1))]
    ),
    "block diag": lambda: L.LinearOperatorBlockDiag([Full(values(2, 3, 3)), Diag(values(2))]),
    "block lower": lambda: L.LinearOperatorBlockLowerTriangular(
        [[Full(values(3, 3))], [Full(values(2, 3, seed=1)), Lower(values(2, 2, 2, seed=2))]]
    ),
    "kronecker": lambda: L.LinearOperatorKronecker([Full(values(2, 3, 3)), Diag(values(2))]),
    "kronecker wide": lambda: L.LinearOperatorKronecker(
        [Full(values(2, 3)), Full(values(4, 2, seed=1)), Diag(values(2))]
    ),
    "low rank": lambda: L.LinearOperatorLowRankUpdate(
        Full(values(2, 4, 4)), values(4, 2, seed=1), values(2, seed=2), values(4, 2, seed=3)
    ),
    "low rank complex": lambda: L.LinearOperatorLowRankUpdate(
        Diag(values(4, dtype=C)), values(4, 2, seed=1, dtype=C), v=values(4, 2, seed=3, dtype=C)
    ),
    "low rank positive": lambda: L.LinearOperatorLowRankUpdate(
        Diag([1.0, 2.0, 3.0, 4.0], is_positive_definite=True),
        values(4, 2, seed=1).astype(np.float32),
        diag_update=[1.0, 2.0],
        is_diag_update_positive=True,
    ),
}
DENSE: dict[str, np.ndarray] = {
    "householder complex": np.eye(3)
    - 2
    * np.outer(values(3, dtype=C), values(3, dtype=C).conj())
    / np.sum(abs(values(3, dtype=C)) ** 2),
    "inversion": np.linalg.inv(values(3, 3)),
    "kronecker wide": np.kron(np.kron(values(2, 3), values(4, 2, seed=1)), np.diag(values(2))),
    "tridiag matrix": np.triu(np.tril(values(4, 4), 1), -1),
    "low rank complex": np.diag(values(4, dtype=C))
    + values(4, 2, seed=1, dtype=C) @ adjoint(values(4, 2, seed=3, dtype=C)),
}

every_operator = pytest.mark.parametrize("name", OPERATORS)


def close(found: Any, expected: Any) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    tolerance = 1e-4 if found.dtype.itemsize <= 4 or found.dtype == np.complex64 else 1e-8
    np.testing.assert_allclose(
        found, np.broadcast_to(expected, found.shape), rtol=tolerance, atol=tolerance
    )


# -- what each does ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", DENSE)
def test_dense_matrices(name: str) -> None:
    close(OPERATORS[name]().to_dense(), DENSE[name])


@every_operator
def test_shapes_say_what_the_dense_matrix_is(name: str) -> None:
    operator = OPERATORS[name]()
    dense = operator.to_dense()
    assert operator.shape == dense.shape
    assert operator.dtype is dense.dtype
    assert operator.batch_shape == dense.shape[:-2]
    assert operator.tensor_rank == dense.shape.rank
    np.testing.assert_array_equal(operator.shape_tensor(), dense.shape)
    np.testing.assert_array_equal(operator.batch_shape_tensor(), dense.shape[:-2])
    assert int(operator.range_dimension) == operator.range_dimension_tensor() == dense.shape[-2]
    assert int(operator.domain_dimension) == operator.domain_dimension_tensor() == dense.shape[-1]
    assert operator.is_square is (dense.shape[-1] == dense.shape[-2]) or operator.is_square is None


@every_operator
def test_products_are_those_of_the_dense_matrix(name: str) -> None:
    operator = OPERATORS[name]()
    dense = operator.to_dense().numpy()
    x = values(dense.shape[-1], 2, seed=5).astype(dense.dtype)
    y = values(dense.shape[-2], 2, seed=6).astype(dense.dtype)
    close(operator.matmul(x), dense @ x)
    close(operator @ x, dense @ x)
    close(operator.matmul(adjoint(x), adjoint_arg=True), dense @ x)
    close(operator.matmul(y, adjoint=True), adjoint(dense) @ y)
    close(operator.matvec(x[:, 0]), dense @ x[:, 0])
    close(operator.matvec(y[:, 0], adjoint=True), adjoint(dense) @ y[:, 0])
    close(operator.add_to_tensor(np.ones(dense.shape, dense.dtype)), dense + 1)
    close(operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1))
    close(operator.H.to_dense(), adjoint(dense))
    close(operator.adjoint().matmul(y), adjoint(dense) @ y)


SOLVABLE = [name for name in OPERATORS if "wide" not in name]


@pytest.mark.parametrize("name", SOLVABLE)
def test_solutions_are_those_of_the_dense_matrix(name: str) -> None:
    operator = OPERATORS[name]()
    dense = operator.to_dense().numpy()
    inverse = np.linalg.inv(dense)
    x = values(dense.shape[-1], 2, seed=5).astype(dense.dtype)
    close(operator.solve(x), inverse @ x)
    close(operator.solve(x, adjoint=True), adjoint(inverse) @ x)
    close(operator.solve(adjoint(x), adjoint_arg=True), inverse @ x)
    close(operator.solvevec(x[:, 0]), inverse @ x[:, 0])
    close(operator.inverse().to_dense(), inverse)
    close(operator.inverse().matmul(x), inverse @ x)
    close(operator.determinant(), np.linalg.det(dense))
    close(operator.log_abs_determinant(), np.linalg.slogdet(dense)[1])
    close(operator.trace(), np.trace(dense, axis1=-2, axis2=-1))
    close(operator.cond(), np.linalg.cond(dense))
    operator.assert_non_singular()


@pytest.mark.parametrize("name", [n for n in OPERATORS if OPERATORS[n]().is_self_adjoint])
def test_eigenvalues_of_self_adjoint_operators(name: str) -> None:
    operator = OPERATORS[name]()
    if operator.is_square:
        dense = operator.to_dense().numpy()
        close(np.sort(operator.eigvals().numpy().real), np.linalg.eigvalsh(dense))
        assert operator.adjoint() is operator


@pytest.mark.parametrize(
    "name", ["full positive", "diag positive", "identity", "low rank positive"]
)
def test_cholesky_factors(name: str) -> None:
    operator = OPERATORS[name]()
    close(operator.cholesky().to_dense(), np.linalg.cholesky(operator.to_dense()))
    operator.assert_positive_definite()
    operator.assert_self_adjoint()


def test_cholesky_factors_of_structured_operators() -> None:
    parts = [
        Full(positive(3), is_self_adjoint=True, is_positive_definite=True),
        Diag(np.array([1.0, 2.0]), is_positive_definite=True),
    ]
    for kind in (L.LinearOperatorBlockDiag, L.LinearOperatorKronecker):
        operator = kind(parts)
        factor = operator.cholesky()
        assert type(factor) is kind
        close(factor.to_dense(), np.linalg.cholesky(operator.to_dense()))
    root = Scaled(3, tf.constant(4.0), is_positive_definite=True).cholesky()
    assert type(root) is Scaled and root.multiplier.numpy() == 2


# -- blocks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["block diag", "block lower"])
def test_arguments_in_blocks(name: str) -> None:
    operator = OPERATORS[name]()
    whole = values(5, 2, seed=5)
    parts = [whole[:3], whole[3:]]
    for method in ("matmul", "solve"):
        for flip in (False, True):
            found = getattr(operator, method)(parts, adjoint=flip)
            expected = getattr(operator, method)(whole, adjoint=flip).numpy()
            for part, wanted in zip(found, np.split(expected, [3], axis=-2), strict=True):
                close(np.broadcast_to(part, wanted.shape), wanted)
    for method in ("matvec", "solvevec"):
        expected = getattr(operator, method)(whole[:, 0]).numpy()
        found = getattr(operator, method)([p[:, 0] for p in parts])
        for part, wanted in zip(found, np.split(expected, [3], axis=-1), strict=True):
            close(np.broadcast_to(part, wanted.shape), wanted)
    with pytest.raises(ValueError, match="Dimensions 3 and 2 are not compatible"):
        operator.matmul(parts[::-1])


# -- how they combine --------------------------------------------------------------------------

THREE: dict[str, Callable[[], Any]] = {
    "zeros": lambda: Zeros(3, dtype=tf.float64),
    "identity": lambda: Identity(3, dtype=tf.float64),
    "scaled": lambda: Scaled(3, tf.constant(2.0, tf.float64)),
    "diag": lambda: Diag(values(3)),
    "full": lambda: Full(values(3, 3)),
    "lower": lambda: Lower(values(3, 3)),
    "householder": lambda: L.LinearOperatorHouseholder(values(3)),
    "blocks": lambda: L.LinearOperatorBlockDiag([Diag(values(1)), Full(values(2, 2))]),
    "inversion": lambda: L.LinearOperatorInversion(Full(values(3, 3), is_non_singular=True)),
}


@pytest.mark.parametrize("left", THREE)
@pytest.mark.parametrize("right", THREE)
def test_products_of_operators(left: str, right: str) -> None:
    a, b = THREE[left](), THREE[right]()
    dense_a, dense_b = a.to_dense().numpy(), b.to_dense().numpy()
    close((a @ b).to_dense(), dense_a @ dense_b)
    close(a.matmul(b, adjoint=True, adjoint_arg=True).to_dense(), dense_a.T @ dense_b.T)
    if left != "zeros":
        close(a.solve(b).to_dense(), np.linalg.solve(dense_a, dense_b))


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        ("zeros", "full", "Zeros"),
        ("full", "zeros", "Zeros"),
        ("identity", "full", "FullMatrix"),
        ("lower", "identity", "LowerTriangular"),
        ("identity", "identity", "Identity"),
        ("scaled", "scaled", "ScaledIdentity"),
        ("scaled", "diag", "Diag"),
        ("diag", "scaled", "Diag"),
        ("diag", "diag", "Diag"),
        ("diag", "lower", "LowerTriangular"),
        ("lower", "diag", "LowerTriangular"),
        ("blocks", "blocks", "BlockDiag"),
        ("full", "full", "Composition"),
        ("scaled", "full", "Composition"),
    ],
)
def test_what_products_of_operators_are(left: str, right: str, kind: str) -> None:
    product = THREE[left]().matmul(THREE[right]())
    assert type(product).__name__ == f"LinearOperator{kind}"


def test_adjoints_and_inverses_undo_themselves() -> None:
    full = Full(values(3, 3), is_non_singular=True)
    assert full.adjoint().adjoint() is full
    assert full.inverse().inverse() is full
    householder = L.LinearOperatorHouseholder(values(3))
    assert householder.inverse() is householder


# -- variables, gradients, slices --------------------------------------------------------------


def test_variables_are_read_when_they_are_used() -> None:
    variable = tf.Variable([1.0, 2.0])
    operator = Diag(variable)
    assert operator.trainable_variables == (variable,)
    variable.assign([3.0, 4.0])
    np.testing.assert_array_equal(operator.to_dense(), [[3, 0], [0, 4]])
    with tf.GradientTape() as tape:
        product = operator.matvec([10.0, 100.0])
    np.testing.assert_array_equal(tape.gradient(product, variable), [10, 100])


def test_gradients_reach_the_parts() -> None:
    lower, diag = tf.Variable(np.eye(2) + 1), tf.Variable([2.0, 4.0], dtype=tf.float64)
    operator = L.LinearOperatorComposition([Lower(lower), Diag(diag)])
    with tf.GradientTape() as tape:
        logarithm = operator.log_abs_determinant()
    of_lower, of_diag = tape.gradient(logarithm, [lower, diag])
    np.testing.assert_allclose(of_lower, [[0.5, 0], [0, 0.5]])
    np.testing.assert_allclose(of_diag, [0.5, 0.25])


def test_slices_of_the_batch() -> None:
    matrix = values(2, 4, 3, 3)
    close(Full(matrix)[1].to_dense(), matrix[1])
    close(Full(matrix)[:, 2].to_dense(), matrix[:, 2])
    close(Full(matrix)[..., 1:3].to_dense(), matrix[:, 1:3])
    composed = L.LinearOperatorComposition([Full(matrix), Diag(values(3))])
    close(composed[0, 1].to_dense(), matrix[0, 1] * values(3))
    close(
        L.LinearOperatorTridiag(list(values(3, 2, 4)), "sequence")[1].to_dense()[0, 0],
        values(3, 2, 4)[1, 1, 0],
    )


# -- hints and errors --------------------------------------------------------------------------


def test_hints_follow_from_each_other() -> None:
    operator = Full(np.eye(2), is_positive_definite=True)
    assert operator.is_non_singular and operator.is_square
    assert Diag([1.0]).is_self_adjoint is True
    assert Diag([1j]).is_self_adjoint is None
    assert Full(values(3, 4)).is_square is False
    assert Full(np.eye(2)).name == "LinearOperatorFullMatrix"
    assert sorted(Diag([1.0]).parameters) == [
        "diag",
        "is_non_singular",
        "is_positive_definite",
        "is_self_adjoint",
        "is_square",
        "name",
    ]


S = values(3, 3)
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: Full(S, is_positive_definite=True, is_non_singular=False),
        ValueError,
        "is_non_singular=False contradicts",
    ),
    (lambda: Full(S, is_self_adjoint=True, is_square=False), ValueError, "is_square=False"),
    (lambda: Full(S[0]), ValueError, "rank 2 or more"),
    (lambda: Full([[1]]), TypeError, "int32"),
    (lambda: Diag(1.0), ValueError, "rank 1 or more"),
    (lambda: Diag([1.0], is_self_adjoint=False), ValueError, "is_self_adjoint=False"),
    (lambda: Lower([1.0]), ValueError, "rank 2 or more"),
    (lambda: Identity(-1), ValueError, "non-negative"),
    (lambda: Identity(-1, assert_proper_shapes=True), INVALID, "non-negative"),
    (lambda: Identity([3]), ValueError, "0-D"),
    (lambda: Identity(3.0), TypeError, "integer"),
    (lambda: Identity(3, batch_shape=3), ValueError, "rank 1"),
    (lambda: Identity(3, is_self_adjoint=False), ValueError, "self adjoint"),
    (lambda: Zeros(3, 4), ValueError, "num_rows"),
    (lambda: Zeros(3).inverse(), ValueError, "singular"),
    (lambda: Zeros(3).assert_non_singular(), INVALID, "singular"),
    (lambda: Full(values(3, 4)).solve(S), NotImplementedError, "needs a square operator"),
    (lambda: Full(values(3, 4)).determinant(), NotImplementedError, "needs a square operator"),
    (lambda: Full(values(3, 4)).inverse(), ValueError, "needs a square"),
    (lambda: Full(S, is_non_singular=False).solve(S), NotImplementedError, "singular"),
    (lambda: Full(S).cholesky(), ValueError, "cholesky"),
    (lambda: Full(S).eigvals(), NotImplementedError, "self-adjoint"),
    (lambda: Full(S).matmul(np.ones((4, 2))), ValueError, "Dimensions 3 and 4"),
    (lambda: Full(S).matmul(tf.ones([3, 2])), TypeError, "float32"),
    (lambda: Full(S).matmul(Full(np.eye(4))), ValueError, "3 columns, .* 4 rows"),
    (lambda: Full(np.ones((3, 3))).assert_non_singular(), INVALID, "Singular"),
    (lambda: Full(S).assert_self_adjoint(), INVALID, "adjoint"),
    (lambda: Full(S).assert_positive_definite(), NotImplementedError, "self-adjoint"),
    (
        lambda: Full(-np.eye(2), is_self_adjoint=True).assert_positive_definite(),
        INVALID,
        "positive",
    ),
    (lambda: Diag([0.0]).assert_non_singular(), INVALID, "zero values"),
    (lambda: Diag([-1.0]).assert_positive_definite(), INVALID, "not positive definite"),
    (lambda: Diag([1j]).assert_self_adjoint(), INVALID, "imaginary"),
    (lambda: Scaled(2, tf.constant(0.0)).assert_non_singular(), INVALID, "singular"),
    (lambda: L.LinearOperatorPermutation([0, 0, 1]), ValueError, "exactly once"),
    (lambda: L.LinearOperatorPermutation([0.0, 1.0]), TypeError, "integer"),
    (lambda: L.LinearOperatorTridiag(S, "x"), ValueError, "diagonals_format must be"),
    (lambda: L.LinearOperatorComposition([]), ValueError, "one operator or more"),
    (lambda: L.LinearOperatorComposition([Full(S), Diag([1.0])]), TypeError, "one dtype"),
    (lambda: L.LinearOperatorKronecker([]), ValueError, "one operator or more"),
    (lambda: L.LinearOperatorInversion(Full(values(3, 4))), ValueError, "is_square"),
    (
        lambda: L.LinearOperatorBlockLowerTriangular([[Full(S)], [Full(S)]]),
        ValueError,
        "2 blocks",
    ),
    (
        lambda: L.LinearOperatorBlockLowerTriangular([[Full(S)], [Full(values(3, 2)), Full(S)]]),
        ValueError,
        "equally wide",
    ),
    (lambda: L.LinearOperatorLowRankUpdate(Full(S), values(2, 2)), ValueError, "3 and 2"),
    (
        lambda: L.LinearOperatorLowRankUpdate(Full(S), values(3, 2), values(3)),
        ValueError,
        "2 and 3",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


# -- circulant operators -----------------------------------------------------------------------


def test_circulant_matrices_are_convolutions() -> None:
    kernel = np.array([[1.0, 2.0, 1.0], [5.0, -1.0, 1.0]], np.float32)
    spectrum = tf.signal.fft2d(tf.cast(kernel, tf.complex64))
    operator = L.LinearOperatorCirculant2D(spectrum, input_output_dtype=tf.float32)
    operator.assert_hermitian_spectrum()
    assert operator.shape.as_list() == [6, 6]
    assert (operator.block_depth, operator.block_shape.as_list()) == (2, [2, 3])
    assert operator.block_shape_tensor().numpy().tolist() == [2, 3]
    np.testing.assert_allclose(operator.convolution_kernel(), kernel, atol=1e-5)
    # The first column of the matrix is the kernel, row by row.
    np.testing.assert_allclose(operator.to_dense()[:, 0], kernel.ravel(), atol=1e-5)
    np.testing.assert_allclose(operator.trace(), 6.0, rtol=1e-5)


def test_circulant_operators_combine() -> None:
    a = L.LinearOperatorCirculant(values(3, dtype=C), tf.complex128)
    b = L.LinearOperatorCirculant(values(3, seed=1, dtype=C), tf.complex128)
    product = a.matmul(b)
    assert isinstance(product, L.LinearOperatorCirculant)
    np.testing.assert_allclose(product.to_dense(), a.to_dense() @ b.to_dense())
    assert isinstance(a.inverse(), L.LinearOperatorCirculant)
    np.testing.assert_allclose(a.inverse().to_dense(), np.linalg.inv(a.to_dense()))
    np.testing.assert_allclose(a.adjoint().to_dense(), adjoint(a.to_dense().numpy()))
    real = L.LinearOperatorCirculant([6.0, 4.0, 2.0])
    assert real.is_self_adjoint and real.dtype == tf.complex64
    np.testing.assert_allclose(real.eigvals(), [6.0, 4.0, 2.0])
    np.testing.assert_allclose(real.cond(), 3.0)


def test_circulant_operators_in_functions() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.complex128)])
    def applied(spectrum: tf.Tensor) -> tf.Tensor:
        operator = L.LinearOperatorCirculant(spectrum, tf.complex128)
        return operator.solvevec(operator.matvec(tf.ones_like(spectrum))) * operator.trace()

    np.testing.assert_allclose(applied([1 + 1j, 2, 3]), [6 + 1j] * 3)


def test_what_circulant_operators_refuse() -> None:
    circulant = L.LinearOperatorCirculant
    with pytest.raises(ValueError, match="rank 2 or more"):
        L.LinearOperatorCirculant2D([1.0])
    with pytest.raises(ValueError, match="is_square=False"):
        circulant([1.0], is_square=False)
    with pytest.raises(ValueError, match="self-adjoint"):
        circulant([1.0], is_self_adjoint=False)
    for spectrum, method, message in [
        ([0j, 2, 3], "assert_non_singular", "zero values"),
        ([1j, 2, 3], "assert_self_adjoint", "imaginary part"),
        ([-1 + 0j, 2, 3], "assert_positive_definite", "not positive definite: the"),
        ([6 + 0j, 4, 2], "assert_hermitian_spectrum", "not Hermitian"),
    ]:
        with pytest.raises(INVALID, match=message):
            getattr(circulant(spectrum), method)()
        getattr(circulant([1 + 0j, 2, 2]), method)()


def test_products_with_adjoints_are_semi_definite() -> None:
    matrix = [[11.0, 0.0], [1.0, 8.0]]
    plain = tf.linalg.LinearOperatorFullMatrix(matrix)
    regular = tf.linalg.LinearOperatorFullMatrix(matrix, is_non_singular=True)
    other = tf.linalg.LinearOperatorFullMatrix(matrix, is_non_singular=True)
    mirror = tf.linalg.LinearOperatorFullMatrix(
        [[2.0, 1.0], [1.0, 2.0]], is_self_adjoint=True, is_non_singular=True
    )
    wide = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    compose = tf.linalg.LinearOperatorComposition
    for product in (
        compose([regular, other, other.H, regular.H]),
        regular.matmul(regular, adjoint_arg=True),
        regular.H @ regular,
        mirror @ mirror,
    ):
        assert product.is_self_adjoint
        assert product.is_positive_definite
    for product in (compose([plain, plain.H]), wide @ wide.H):
        assert (product.is_square, product.is_self_adjoint) == (True, True)
        assert product.is_positive_definite is None
    for product in (regular @ other, compose([regular, other.H]), regular @ regular):
        assert product.is_self_adjoint is None
    for hint in ("is_self_adjoint", "is_positive_definite", "is_non_singular", "is_square"):
        with pytest.raises(ValueError, match="False"):
            compose([regular, regular.H], **{hint: False})
    with pytest.raises(ValueError, match="is_square=False"):
        _ = tf.linalg.LinearOperatorFullMatrix(matrix, is_square=False).is_square


@pytest.mark.parametrize("plain", [True, False])
def test_assertions_in_graphs_are_operations_to_wait_for(plain: bool) -> None:
    diag = Diag([1.0, 2.0], is_self_adjoint=True, is_positive_definite=True)
    operators = [diag, Identity(2), L.LinearOperatorBlockDiag([diag, diag])]

    def collect() -> None:
        for operator in operators:
            for method in ("non_singular", "self_adjoint", "positive_definite"):
                assertion = getattr(operator, f"assert_{method}")()
                assert isinstance(assertion, tf.Operation)
                with tf.control_dependencies([assertion]):
                    tf.no_op()
        for sure in (tf.debugging.assert_less(tf.constant(1), 2), tf.debugging.assert_equal(1, 1)):
            assert isinstance(sure, tf.Operation)

    if plain:
        with tf.Graph().as_default():
            collect()
    else:
        tf.function(collect, autograph=False)()
    assert diag.assert_non_singular() is None


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("operator", "method", "bad"),
    [
        (L.LinearOperatorLowerTriangular, "non_singular", [[0.0, 0.0], [0.0, 0.0]]),
        (lambda m: Full(m, is_self_adjoint=True), "non_singular", [[1.0, 1.0], [1.0, 1.0]]),
        (Full, "self_adjoint", [[1.0, 2.0], [3.0, 1.0]]),
        (lambda m: Full(m, is_self_adjoint=True), "positive_definite", [[-1.0, 0.0], [0.0, 1.0]]),
        (lambda m: Diag(m[0] + m[1]), "positive_definite", [[-1.0, 1.0], [0.0, 1.0]]),
        (lambda m: Scaled(2, m[0, 0]), "non_singular", [[0.0, 0.0], [0.0, 0.0]]),
        (
            lambda m: L.LinearOperatorCirculant(tf.complex(m[0] + m[1], m[0] * 0)),
            "non_singular",
            [[0.0, 1.0], [0.0, 1.0]],
        ),
    ],
)
def test_assertions_fail_when_the_graph_runs(
    operator: Any, method: str, bad: Any, compiled: bool
) -> None:
    @tf.function(jit_compile=compiled)
    def asserted(matrix: Any) -> Any:
        assertion = getattr(operator(matrix), f"assert_{method}")()
        with tf.control_dependencies([assertion]):
            return tf.identity(matrix)

    np.testing.assert_array_equal(asserted(tf.eye(2)), np.eye(2))
    with pytest.raises(INVALID):
        asserted(tf.constant(bad))
