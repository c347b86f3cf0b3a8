"""The modules that register ragged implementations of ops: loading this one loads them all."""

from __future__ import annotations

from tapeflow._src.composite.ragged import (
    along_rows,
    elementwise,
    gathering,
    joining,
    products,
    reductions,
    reshaping,
    splitting,
    with_shape,
)

MODULES = (
    along_rows,
    elementwise,
    gathering,
    joining,
    products,
    reductions,
    reshaping,
    splitting,
    with_shape,
)
