"""Types for `isinstance` and for classes that behave as tensors."""

from __future__ import annotations

from tapeflow.core.tensor import TensorLike as Tensor

__all__ = ["Tensor"]
