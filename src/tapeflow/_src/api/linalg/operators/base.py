"""`LinearOperator`: one matrix or many, defined by how they act.

A subclass defines its shape and how it is applied to matrices (`_shape`, `_matmul`), and
overrides whatever it can do better than with a dense matrix. `algebra.py` registers the rules for
combining operators here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from tapeflow._src.api.arrays.creation import eye
from tapeflow._src.api.arrays.shapes import broadcast_to, expand_dims, squeeze
from tapeflow._src.api.arrays.shapes import shape as shape_of
from tapeflow._src.api.linalg import diagonals, factors, solvers
from tapeflow._src.api.linalg.operators.assertions import require, require_positive
from tapeflow._src.api.linalg.operators.sizes import with_one_batch
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.api.linalg.products import matmul
from tapeflow._src.api.math.reduction import reduce_max, reduce_min, reduce_sum
from tapeflow._src.api.module import Module
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.dimension import Dimension
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.common import size, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.solve import cholesky_solve, matrix_solve
from tapeflow._src.ops.math.arithmetic import absolute, add_v2, real_div, sub
from tapeflow._src.ops.math.comparison import equal, less
from tapeflow._src.ops.math.complex_parts import real
from tapeflow._src.ops.math.elementwise import exp, log

_RULES: dict[tuple[Any, ...], Callable[..., Any]] = {}
_NO_CHOLESKY = (
    "cholesky needs a self-adjoint, positive definite operator. If it is, pass "
    "is_self_adjoint=True and is_positive_definite=True when creating it."
)


def rule(kind: str, *operators: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the implementation of `kind` ("matmul", "adjoint", …) for operator classes."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        _RULES[(kind, *operators)] = function
        return function

    return declare


def apply_rule(kind: str, *operators: LinearOperator) -> Any:
    """Apply the rule registered for the classes of the operators, or their base classes."""
    first, *rest = ([c for c in type(o).__mro__ if c is not object] for o in operators)
    for key in [(a,) for a in first] if not rest else _by_distance(first, rest[0]):
        implementation = _RULES.get((kind, *key))
        if implementation is not None:
            return implementation(*operators)
    names = " and ".join(type(o).__name__ for o in operators)
    raise NotImplementedError(f"There is no rule for the {kind} of {names}.")


def _by_distance(first: list[type], second: list[type]) -> list[tuple[type, type]]:
    pairs = [(i + j, i, j) for i in range(len(first)) for j in range(len(second))]
    return [(first[i], second[j]) for _, i, j in sorted(pairs)]


class LinearOperator(Module, Composite):
    """A batch of matrices defined by how they act.

    Subclasses know the structure of their matrices and solve, multiply and compute determinants
    without creating them. Hints are promises of the caller: they choose quicker ways and are not
    checked, unless by `assert_non_singular` and the like.

    Args:
        dtype: The dtype of the matrices, and of what they are applied to.
        graph_parents: Accepted for compatibility.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.
        parameters: The constructor arguments of the subclass.

    Raises:
        ValueError: Hints contradict each other.

    Example:

        >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        >>> (operator @ [[1.0], [10.0]]).numpy().tolist()
        [[1.0], [20.0]]
        >>> operator.solvevec([3.0, 4.0]).numpy().tolist(), operator.determinant().numpy()
        ([3.0, 2.0], np.float32(2.0))
    """

    # For slicing the batch: parameters that hold tensors, and how many of their axes are no batch.
    _matrix_axes: ClassVar[dict[str, int]] = {}

    def __init__(
        self,
        dtype: DTypeLike,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError(
                    "is_non_singular=False contradicts is_positive_definite=True: no positive "
                    "definite matrix is singular."
                )
            is_non_singular = True
        for holds, kind in (
            (is_non_singular, "non-singular"),
            (is_self_adjoint, "self-adjoint"),
        ):
            if holds:
                if is_square is False:
                    raise ValueError(
                        f"is_square=False contradicts the hint: {kind} implies square."
                    )
                is_square = True
        super().__init__(name=name or type(self).__name__)
        self._dtype = as_dtype(dtype)
        self._graph_parents = list(graph_parents or [])
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._is_square_hint = is_square
        self._parameters = dict(parameters or {})

    # -- what it is --------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor arguments of this operator."""
        return dict(self._parameters)

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def graph_parents(self) -> list[Any]:
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether the operator is square, by its shape or else by the hint."""
        rows, columns = self.range_dimension.value, self.domain_dimension.value
        if rows is None or columns is None:
            return self._is_square_hint
        if self._is_square_hint is False and rows == columns:
            raise ValueError(
                f"The operator was created with is_square=False, but its matrices are {rows} x "
                f"{columns}."
            )
        return rows == columns if self._is_square_hint is None else self._is_square_hint

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._shape())

    @property
    def batch_shape(self) -> TensorShape:
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        return self.shape.rank

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns."""
        return Dimension(None if self.shape.rank is None else self.shape[-1])

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows."""
        return Dimension(None if self.shape.rank is None else self.shape[-2])

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Compute the shape as a tensor."""
        if self.shape.is_fully_defined():
            return static_ints(tuple(self.shape.as_list()))
        return self._shape_tensor()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Compute the shape of the batch as a tensor."""
        return get_item(self.shape_tensor(), slice(None, -2))

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """Compute the rank of the whole as a tensor."""
        return size(self.shape_tensor())

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """Compute the number of columns as a tensor."""
        return get_item(self.shape_tensor(), -1)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """Compute the number of rows as a tensor."""
        return get_item(self.shape_tensor(), -2)

    # -- applying it -------------------------------------------------------------------------

    def matmul(
        self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Multiply matrices by this operator; compose if `x` is an operator.

        Args:
            x: `[..., columns, k]` of the dtype of the operator, or another operator.
            adjoint: Whether to multiply by the adjoint.
            adjoint_arg: Whether to use the adjoint of `x`.
            name: Name of the op in a graph.

        Returns:
            A tensor of shape `[..., rows, k]`, or an operator.

        Raises:
            ValueError: The sizes do not match.
            TypeError: The dtypes differ.

        Example:

            >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [1.0, 4.0]])
            >>> operator.matmul([[1.0], [1.0]]).numpy().tolist()
            [[2.0], [5.0]]
        """
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            _require_compatible(left, right)
            return apply_rule("matmul", left, right)
        x = self._tpf_converted(x)
        self._require_size(x, -1 if adjoint_arg else -2, adjoint)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: TensorLike) -> Any:
        return self.matmul(other)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """Multiply vectors by this operator.

        Args:
            x: `[..., columns]` of the dtype of the operator.
            adjoint: Whether to multiply by the adjoint.
            name: Name of the op in a graph.

        Returns:
            A tensor of shape `[..., rows]`.

        Example:

            >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [1.0, 4.0]])
            >>> operator.matvec([1.0, 1.0]).numpy().tolist()
            [2.0, 5.0]
        """
        x = self._tpf_converted(x)
        self._require_size(x, -1, adjoint)
        return squeeze(self._matmul(expand_dims(x, -1), adjoint=adjoint, adjoint_arg=False), -1)

    def solve(
        self, rhs: TensorLike, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """Solve `operator @ x = rhs` for matrices.

        Args:
            rhs: `[..., rows, k]` of the dtype of the operator, or another operator.
            adjoint: Whether to solve with the adjoint.
            adjoint_arg: Whether to use the adjoint of `rhs`.
            name: Name of the op in a graph.

        Returns:
            A tensor of shape `[..., columns, k]`, or an operator.

        Raises:
            NotImplementedError: The operator is not square, or declared singular.

        Example:

            >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [1.0, 4.0]])
            >>> operator.solve([[2.0], [5.0]]).numpy().tolist()
            [[1.0], [1.0]]
        """
        self._require_solvable("Exact solve")
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = rhs.adjoint() if adjoint_arg else rhs
            _require_compatible(left, right)
            return apply_rule("matmul", left.inverse(), right)
        rhs = self._tpf_converted(rhs)
        self._require_size(rhs, -1 if adjoint_arg else -2, not adjoint)
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Any:
        """Solve `operator @ x = rhs` for vectors.

        Args:
            rhs: `[..., rows]` of the dtype of the operator.
            adjoint: Whether to solve with the adjoint.
            name: Name of the op in a graph.

        Returns:
            A tensor of shape `[..., columns]`.
        """
        self._require_solvable("Exact solve")
        rhs = self._tpf_converted(rhs)
        self._require_size(rhs, -1, not adjoint)
        return squeeze(self._solve(expand_dims(rhs, -1), adjoint=adjoint, adjoint_arg=False), -1)

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Any:
        """Add the dense matrix to `x`.

        Args:
            x: A tensor of the dtype of the operator, whose shape broadcasts with it.
            name: Name of the op in a graph.

        Returns:
            A tensor.
        """
        return self._add_to_tensor(self._tpf_converted(x))

    def to_dense(self, name: str = "to_dense") -> Any:
        """Return the dense matrix."""
        return self._to_dense()

    # -- numbers about it --------------------------------------------------------------------

    def determinant(self, name: str = "det") -> Any:
        """Compute the determinants.

        Example:

            >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [1.0, 4.0]])
            >>> operator.determinant().numpy()
            np.float32(8.0)
        """
        self._require_square("Determinant")
        return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """Compute the logarithms of the absolute values of the determinants."""
        self._require_square("Determinant")
        return self._log_abs_determinant()

    def trace(self, name: str = "trace") -> Any:
        """Compute the trace."""
        return self._trace()

    def diag_part(self, name: str = "diag_part") -> Any:
        """Return the main diagonals."""
        return self._diag_part()

    def eigvals(self, name: str = "eigvals") -> Any:
        """Compute the eigenvalues of a self-adjoint operator."""
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def cond(self, name: str = "cond") -> Any:
        """Compute the condition numbers: the largest singular value over the smallest."""
        return self._cond()

    # -- other operators ---------------------------------------------------------------------

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """Return the adjoint operator."""
        return self if self.is_self_adjoint is True else apply_rule("adjoint", self)

    @property
    def H(self) -> LinearOperator:
        """The adjoint operator."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Return the inverse operator.

        Example:

            >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [1.0, 4.0]])
            >>> operator.inverse().to_dense().numpy().tolist()
            [[0.5, 0.0], [-0.125, 0.25]]
        """
        if self.is_square is False:
            raise ValueError(
                "inverse needs a square matrix; this operator's matrices have shape "
                f"{self.shape[-2:]}."
            )
        if self.is_non_singular is False:
            raise ValueError(
                "inverse needs an invertible matrix; this operator was created with "
                "is_non_singular=False."
            )
        return apply_rule("inverse", self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Return the lower triangular Cholesky factor as an operator."""
        if not self._can_use_cholesky():
            raise ValueError(_NO_CHOLESKY)
        return apply_rule("cholesky", self)

    def __getitem__(self, slices: Any) -> LinearOperator:
        """Index the batch axes."""
        key = slices if isinstance(slices, tuple) else (slices,)
        return type(self)(**{n: self._sliced(n, v, key) for n, v in self._parameters.items()})

    def _sliced(self, name: str, value: TensorLike, key: tuple[Any, ...]) -> Any:
        if isinstance(value, LinearOperator):
            return value._with_batch(self.batch_shape)[key]
        if isinstance(value, (list, tuple)) and name == "operators":
            return [self._sliced(name, item, key) for item in value]
        if value is None or name not in self._matrix_axes:
            return value
        axes = self._matrix_axes[name]
        tensor = convert(value)
        matrix = tensor.shape.as_list()[tensor.shape.rank - axes :]
        whole = broadcast_to(tensor, [*self.batch_shape.as_list(), *matrix])
        rest = () if any(part is ... for part in key) else (...,)
        return get_item(whole, (*key, *rest, *(slice(None),) * axes))

    def _with_batch(self, batch: TensorShape) -> LinearOperator:
        """Broadcast the tensors of this operator to a batch shape."""
        if self.batch_shape.as_list() == batch.as_list():
            return self
        repeated = dict(self._parameters)
        for name, axes in self._matrix_axes.items():
            if repeated[name] is not None:
                tensor = convert(repeated[name])
                matrix = tensor.shape.as_list()[tensor.shape.rank - axes :]
                repeated[name] = broadcast_to(tensor, [*batch.as_list(), *matrix])
        return type(self)(**repeated)

    # -- assertions --------------------------------------------------------------------------

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Raise InvalidArgumentError if the matrix is singular up to rounding."""
        kind = self.dtype.real_dtype
        condition = self.cond()
        return require(
            less(condition, convert(1 / np.finfo(kind.np).eps, condition.dtype)),
            condition,
            "Singular matrix up to rounding: the condition number is too large.",
        )

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Raise InvalidArgumentError unless the matrix is its own adjoint."""
        dense = self.to_dense()
        difference = sub(dense, adjoint_of(dense))
        return require(
            equal(difference, convert(0, difference.dtype)),
            difference,
            "The operator is not self-adjoint: matrix - adjoint(matrix) has non-zero elements.",
        )

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Raise InvalidArgumentError unless the matrix is positive definite."""
        if self.is_self_adjoint is not True:
            raise NotImplementedError(
                "assert_positive_definite is not implemented for operators that are not "
                "self-adjoint."
            )
        diagonal = diagonals.diag_part(factors.cholesky(self.to_dense()))
        return require_positive(diagonal, "The matrix is not positive definite.")

    # -- what subclasses say, or say better --------------------------------------------------

    def _shape(self) -> TensorShape:
        raise NotImplementedError(f"{type(self).__name__} does not say its shape.")

    def _shape_tensor(self) -> Any:
        return shape_of(self.to_dense())

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        return matmul(self.to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        dense = self.to_dense()
        if self._can_use_cholesky():
            return cholesky_solve(factors.cholesky(dense), rhs)
        return matrix_solve(*with_one_batch(dense, rhs), adjoint=adjoint)

    def _to_dense(self) -> Any:
        columns = self.domain_dimension.value
        size = self.domain_dimension_tensor() if columns is None else columns
        batch = self.batch_shape_tensor()
        return self.matmul(eye(size, batch_shape=batch, dtype=self.dtype))

    def _add_to_tensor(self, x: TensorLike) -> Any:
        return add_v2(x, self.to_dense())

    def _determinant(self) -> Any:
        if self._can_use_cholesky():
            return exp(self.log_abs_determinant())
        return solvers.det(self.to_dense())

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            return solvers.logdet(self.to_dense())
        return solvers.slogdet(self.to_dense())[1]

    def _trace(self) -> Any:
        return reduce_sum(self.diag_part(), -1)

    def _diag_part(self) -> Any:
        return diagonals.diag_part(self.to_dense())

    def _eigvals(self) -> Any:
        values = factors.eigvalsh(self.to_dense())
        return real(values, Tout=values.dtype.real_dtype) if values.dtype.is_complex else values

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            values = absolute(self.eigvals())
        else:
            values = factors.svd(self.to_dense(), compute_uv=False)
        return real_div(reduce_max(values, -1), reduce_min(values, -1))

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    # -- checks ------------------------------------------------------------------------------

    def _tpf_converted(self, x: Any) -> Any:
        x = convert(x)
        if x.dtype is not self.dtype:
            raise TypeError(
                f"{type(self).__name__} expects arguments of its own dtype {self.dtype.name}, "
                f"received {x.dtype.name} of shape {x.shape}: use tf.cast(x, {self.dtype!r})."
            )
        return x

    def _require_size(self, x: Any, axis: int, of_range: bool) -> None:
        """Raise ValueError unless the axis of `x` fits the columns, or the rows,
        of this operator.
        """
        size = self.range_dimension if of_range else self.domain_dimension
        if x.shape.rank is not None:
            size.assert_is_compatible_with(x.shape[axis])

    def _require_solvable(self, what: str) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError(
                f"{what} needs an invertible operator; this one was created with "
                "is_non_singular=False."
            )
        self._require_square(what)

    def _require_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} needs a square operator; this one's matrices have shape {self.shape[-2:]}."
            )


def _require_compatible(left: LinearOperator, right: LinearOperator) -> None:
    columns, rows = left.domain_dimension.value, right.range_dimension.value
    if columns is not None and rows is not None and columns != rows:
        raise ValueError(
            f"The shapes are incompatible: the left operator has {columns} columns, the right one "
            f"{rows} rows; both numbers must be equal."
        )


def log_of_absolute(values: TensorLike) -> Any:
    """Sum the logarithms of absolute values along the last axis."""
    return reduce_sum(log(absolute(values)), -1)
