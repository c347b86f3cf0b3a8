"""Circulant operators: diagonal in the Fourier basis, with blocks nested up to three deep.

The operator is defined by its spectrum `H`. A vector is viewed as a block with as many axes as
`H`; the operator multiplies its Fourier transform by `H` and transforms back.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tapeflow._src.api.arrays.joining import concat
from tapeflow._src.api.arrays.shapes import broadcast_to, expand_dims, reshape
from tapeflow._src.api.linalg.operators.assertions import (
    require,
    require_nonzero,
    require_positive,
    require_real,
)
from tapeflow._src.api.linalg.operators.base import LinearOperator, log_of_absolute
from tapeflow._src.api.linalg.operators.references import hold
from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.api.linalg.products import matrix_transpose
from tapeflow._src.api.math.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype, complex64, complex128, float64
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import shape_of
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import absolute, conj_of, mul, real_div
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import less_equal
from tapeflow._src.ops.math.complex_parts import imag
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.signal import fft

_FORWARD = {1: fft.fft, 2: fft.fft2d, 3: fft.fft3d}
_INVERSE_TRANSFORMS = {1: fft.ifft, 2: fft.ifft2d, 3: fft.ifft3d}


class _Circulant(LinearOperator):
    """Base class of circulant operators of any depth."""

    _depth: ClassVar[int]

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._held = hold(spectrum)
        rank = self._held.shape.rank
        if rank is not None and rank < self._depth:
            raise ValueError(
                f"`spectrum` of {type(self).__name__} must have rank {self._depth} or more, "
                f"received shape {self._held.shape}."
            )
        if not self._held.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "is_self_adjoint=False contradicts the real `spectrum`, which makes the "
                    "operator self-adjoint: leave the hint out, or pass a complex spectrum."
                )
            is_self_adjoint = True
        if is_square is False:
            raise ValueError(
                f"is_square=False is not possible: the matrices of {type(self).__name__} are "
                "square."
            )
        super().__init__(
            as_dtype(input_output_dtype),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    # -- what it is --------------------------------------------------------------------------

    @property
    def spectrum(self) -> Any:
        return self._held

    @property
    def block_depth(self) -> int:
        """How deep blocks are nested: 1 is a circulant matrix."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of the blocks, the outermost first."""
        return self._held.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """Compute the sizes of the blocks as a tensor."""
        return get_item(shape_of(self._spectrum), slice(-self._depth, None))

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Compute the convolution kernel: the inverse transform of the spectrum."""
        return cast(_INVERSE_TRANSFORMS[self._depth](self._numbers), DstT=self.dtype)

    @property
    def _spectrum(self) -> Any:
        return convert(self._held)

    @property
    def _complex(self) -> Any:
        """Return the dtype of the transforms."""
        return complex128 if self.dtype in (float64, complex128) else complex64

    @property
    def _numbers(self) -> Any:
        return cast(self._spectrum, DstT=self._complex)

    def _flat(self) -> Any:
        """Return the spectrum with the block axes flattened."""
        spectrum = self._spectrum
        return spectrum if self._depth == 1 else reshape(spectrum, self._flat_shape())

    def _flat_shape(self) -> Any:
        batch = get_item(shape_of(self._spectrum), slice(None, -self._depth))
        return concat([batch, [-1]], 0)

    def _shape(self) -> TensorShape:
        shape = self._held.shape
        if shape.rank is None:
            return TensorShape(None)
        sizes = shape.as_list()[-self._depth :]
        count = None if None in sizes else int(np.prod(sizes))
        return TensorShape([*shape.as_list()[: -self._depth], count, count])

    # -- what it does ------------------------------------------------------------------------

    def _by_spectrum(self, x: Any, combine: Any, spectrum: Any) -> Any:
        """Transform the columns of `x`, combine them with the spectrum and transform back."""
        rows = matrix_transpose(cast(x, DstT=self._complex))
        outer = get_item(shape_of(rows), slice(None, -1))
        blocks = reshape(rows, concat([outer, self.block_shape_tensor()], 0))
        transformed = _FORWARD[self._depth](blocks)
        result = _INVERSE_TRANSFORMS[self._depth](
            combine(transformed, expand_dims(spectrum, -self._depth - 1))
        )
        flat = get_item(shape_of(result), slice(None, -self._depth))
        back = matrix_transpose(reshape(result, concat([flat, [-1]], 0)))
        back.set_shape([*back.shape[:-2], self.shape[-1], x.shape[-1]])
        return cast(back, DstT=self.dtype)

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        spectrum = conj_of(self._numbers) if adjoint else self._numbers
        return self._by_spectrum(adjoint_of(x) if adjoint_arg else x, mul, spectrum)

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        spectrum = conj_of(self._numbers) if adjoint else self._numbers
        return self._by_spectrum(adjoint_of(rhs) if adjoint_arg else rhs, real_div, spectrum)

    def _shape_tensor(self) -> Any:
        flat = shape_of(self._flat())
        return concat([flat, get_item(flat, slice(-1, None))], 0)

    def _determinant(self) -> Any:
        return cast(reduce_prod(self._flat(), -1), DstT=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return cast(log_of_absolute(self._flat()), DstT=self.dtype)

    def _trace(self) -> Any:
        return cast(reduce_sum(self._flat(), -1), DstT=self.dtype)

    def _diag_part(self) -> Any:
        # All elements of the diagonal are the same.
        flat = self._flat()
        count = cast(get_item(shape_of(flat), -1), DstT=self.dtype)
        one = expand_dims(real_div(self._trace(), count), -1)
        return broadcast_to(one, shape_of(flat))

    def _eigvals(self) -> Any:
        return self._flat()

    def _cond(self) -> Any:
        sizes = absolute(self._flat())
        return real_div(reduce_max(sizes, -1), reduce_min(sizes, -1))

    # -- assertions --------------------------------------------------------------------------

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Raise InvalidArgumentError unless the operator is a real matrix."""
        kernel = _INVERSE_TRANSFORMS[self._depth](self._numbers)
        kind = self._complex.real_dtype
        step = convert(5 * np.finfo(kind.np).eps, kind)
        largest = maximum(convert(1, kind), reduce_max(absolute(kernel)))
        return require(
            less_equal(absolute(imag(kernel)), mul(step, largest)),
            kernel,
            "The spectrum is not Hermitian, as that of a real matrix is.",
        )

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        message = "Singular operator: zero values in the spectrum."
        return require_nonzero(self._spectrum, message)

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        message = (
            "The operator is not positive definite: the real part of its spectrum must be above 0 "
            "everywhere."
        )
        return require_positive(self._spectrum, message)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        message = (
            "The operator is not self-adjoint: the imaginary part of its spectrum must be 0 "
            "everywhere."
        )
        return require_real(self._spectrum, message)


@composite
class LinearOperatorCirculant(_Circulant):
    """A circulant matrix: each row is the previous one shifted by one position.

    Applied with Fourier transforms, in `n log n` steps.

    Args:
        spectrum: The eigenvalues `[..., n]`: the discrete Fourier transform of the kernel.
        input_output_dtype: The dtype of the matrices and of what they are applied to. For a real
            dtype the spectrum should be Hermitian.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> spectrum = tf.signal.fft(tf.constant([1.0, 2.0, 3.0], tf.complex64))
        >>> operator = tf.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float32)
        >>> operator.to_dense().numpy().round(3).tolist()
        [[1.0, 3.0, 2.0], [2.0, 1.0, 3.0], [3.0, 2.0, 1.0]]
    """

    _depth = 1
    _matrix_axes: ClassVar[dict[str, int]] = {"spectrum": 1}


@composite
class LinearOperatorCirculant2D(_Circulant):
    """A block circulant matrix whose blocks are circulant.

    Applied to images that are flattened to vectors of `n0 * n1` elements.

    Args:
        spectrum: The eigenvalues `[..., n0, n1]`: the discrete Fourier transform of the kernel.
        input_output_dtype: The dtype of the matrices and of what they are applied to. For a real
            dtype the spectrum should be Hermitian.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> tf.linalg.LinearOperatorCirculant2D(tf.ones((2, 3), tf.complex64)).shape
        TensorShape([6, 6])
    """

    _depth = 2
    _matrix_axes: ClassVar[dict[str, int]] = {"spectrum": 2}

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, input_output_dtype, *hints, name)


@composite
class LinearOperatorCirculant3D(_Circulant):
    """A block circulant matrix whose blocks are block circulant, with circulant blocks.

    Args:
        spectrum: The eigenvalues `[..., n0, n1, n2]`: the discrete Fourier transform of the kernel.
        input_output_dtype: The dtype of the matrices and of what they are applied to. For a real
            dtype the spectrum should be Hermitian.
        is_non_singular: Whether the caller promises that it is invertible; None says nothing.
        is_self_adjoint: Whether the caller promises that it equals its adjoint.
        is_positive_definite: Whether the caller promises that it is positive definite.
        is_square: Whether the caller promises that it is square.
        name: A name for the operator.

    Example:

        >>> tf.linalg.LinearOperatorCirculant3D(tf.ones((2, 3, 2), tf.complex64)).shape
        TensorShape([12, 12])
    """

    _depth = 3
    _matrix_axes: ClassVar[dict[str, int]] = {"spectrum": 3}

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, input_output_dtype, *hints, name)
