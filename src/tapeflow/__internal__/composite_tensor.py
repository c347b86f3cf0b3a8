"""The base class of values that consist of several tensors."""

from tapeflow.core.composite import Composite as CompositeTensor

__all__ = ["CompositeTensor"]
