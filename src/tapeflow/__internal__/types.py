"""Types for `isinstance` and for classes that behave as tensors."""

from __future__ import annotations

from abc import ABCMeta

from tapeflow.core.tensor import Tensor as _Tensor
from tapeflow.eager.variable import Variable as _Variable


class Tensor(metaclass=ABCMeta):  # noqa: B024  a name for isinstance
    """Tensors, and what stands for one, such as variables of other libraries."""


Tensor.register(_Tensor)
Tensor.register(_Variable)
