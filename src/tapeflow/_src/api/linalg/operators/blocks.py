"""Base of block operators: arguments as one tensor or a list of blocks, and joining blocks."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.joining import concat, split
from tapeflow._src.api.arrays.shapes import expand_dims, squeeze
from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.linalg.operators.sizes import with_one_batch
from tapeflow._src.api.linalg.products import adjoint as adjoint_of
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike


class BlockOperator(LinearOperator):
    """An operator that is applied block by block.

    Its methods map a tensor to a tensor, and a list with a tensor per block to such a list.
    Subclasses define the sizes of the blocks and how blocks are multiplied and solved.
    """

    def _column_sizes(self) -> list[int]:
        raise NotImplementedError(f"{type(self).__name__} does not say the sizes of its blocks.")

    def _row_sizes(self) -> list[int]:
        raise NotImplementedError(f"{type(self).__name__} does not say the sizes of its blocks.")

    def _multiply_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__} does not multiply its blocks.")

    def _solve_blocks(self, parts: list[Any], adjoint: bool) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__} does not solve its blocks.")

    def matmul(
        self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Multiply matrices, passed as one tensor or as blocks of rows, by this operator.

        Args:
            x: `[..., columns, k]`, a list with a tensor per block, or another operator.
            adjoint: Whether to multiply by the adjoint.
            adjoint_arg: Whether to use the adjoint of `x`.
            name: Name of the op in a graph.

        Returns:
            A tensor, a list with a tensor per block, or an operator, as `x`.
        """
        sizes = self._row_sizes() if adjoint else self._column_sizes()
        parts = self._blocks(x, sizes, -1 if adjoint_arg else -2)
        if parts is None:
            return super().matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        parts = [adjoint_of(p) for p in parts] if adjoint_arg else parts
        return self._multiply_blocks(parts, adjoint)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """Multiply vectors, passed as one tensor or as blocks, by this operator.

        Args:
            x: `[..., columns]`, or a list with a tensor per block.
            adjoint: Whether to multiply by the adjoint.
            name: Name of the op in a graph.

        Returns:
            A tensor, or a list with a tensor per block, as `x`.
        """
        parts = self._blocks(x, self._row_sizes() if adjoint else self._column_sizes(), -1)
        if parts is None:
            return super().matvec(x, adjoint=adjoint)
        columns = self._multiply_blocks([expand_dims(p, -1) for p in parts], adjoint)
        return [squeeze(c, -1) for c in columns]

    def solve(
        self, rhs: TensorLike, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """Solve `operator @ x = rhs`, passed as one tensor or as blocks of rows.

        Args:
            rhs: `[..., rows, k]`, a list with a tensor per block, or another operator.
            adjoint: Whether to solve with the adjoint.
            adjoint_arg: Whether to use the adjoint of `rhs`.
            name: Name of the op in a graph.

        Returns:
            A tensor, a list with a tensor per block, or an operator, as `rhs`.
        """
        sizes = self._column_sizes() if adjoint else self._row_sizes()
        parts = self._blocks(rhs, sizes, -1 if adjoint_arg else -2)
        if parts is None:
            return super().solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        self._require_solvable("Exact solve")
        parts = [adjoint_of(p) for p in parts] if adjoint_arg else parts
        return self._solve_blocks(parts, adjoint)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Any:
        """Solve `operator @ x = rhs` for vectors, passed as one tensor or as blocks.

        Args:
            rhs: `[..., rows]`, or a list with a tensor per block.
            adjoint: Whether to solve with the adjoint.
            name: Name of the op in a graph.

        Returns:
            A tensor, or a list with a tensor per block, as `rhs`.
        """
        parts = self._blocks(rhs, self._column_sizes() if adjoint else self._row_sizes(), -1)
        if parts is None:
            return super().solvevec(rhs, adjoint=adjoint)
        self._require_solvable("Exact solve")
        columns = self._solve_blocks([expand_dims(p, -1) for p in parts], adjoint)
        return [squeeze(c, -1) for c in columns]

    def _matmul(self, x: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        parts = split(x, self._row_sizes() if adjoint else self._column_sizes(), axis=-2)
        return join_rows(self._multiply_blocks(parts, adjoint))

    def _solve(self, rhs: TensorLike, adjoint: bool, adjoint_arg: bool) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        parts = split(rhs, self._column_sizes() if adjoint else self._row_sizes(), axis=-2)
        return join_rows(self._solve_blocks(parts, adjoint))

    def _blocks(self, x: TensorLike, sizes: list[int], axis: int) -> list[Any] | None:
        """Return `x` as a list if it consists of one tensor per block, else None."""
        if not isinstance(x, (list, tuple)) or len(x) != len(sizes):
            return None
        parts = [convert(p, None, self.dtype) for p in x]
        if any(p.shape.rank is not None and p.shape.rank < -axis for p in parts):
            return None
        for part, size in zip(parts, sizes, strict=True):
            if part.shape[axis] not in (None, size):
                raise ValueError(f"Dimensions {size} and {part.shape[axis]} are not compatible")
        return [self._tpf_converted(p) for p in parts]


def join_rows(parts: list[Any]) -> Any:
    """Broadcast blocks of rows to one batch shape and concatenate them."""
    return concat(list(with_one_batch(*parts)), axis=-2)


def join_last(parts: list[Any]) -> Any:
    """Broadcast vectors to one batch shape and concatenate them."""
    return concat(list(with_one_batch(*parts, inner=1)), axis=-1)
