"""Types for `isinstance` and for classes that behave as tensors."""

from __future__ import annotations

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.core.tensor import TensorBase as Tensor

__all__ = ["Tensor"]

_explain_missing(__name__)
