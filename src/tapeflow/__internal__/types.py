"""Types for `isinstance` and for classes that behave as tensors."""

from __future__ import annotations

from tapeflow._src.core.tensor import TensorBase as Tensor

__all__ = ["Tensor"]
