"""Structured tensors: tensors whose elements are dictionaries, stored as one tensor per field.

Loaded when `tf.experimental.StructuredTensor` is first used: only then the functions of `tf` that
take structured tensors are registered.
"""

from tapeflow._src.composite.structured import functions as _functions  # noqa: F401  lets `tf` take them
from tapeflow._src.composite.structured.tensor import StructuredTensor as StructuredTensor

__all__ = ["StructuredTensor"]
