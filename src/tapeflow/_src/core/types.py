"""Names for the kinds of values that public functions accept, for annotations.

They describe what is converted, not what a function computes with: a parameter of one of these
types is converted first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.shape import TensorShape


class HasShapeAndDType(Protocol):
    """Tensors, variables, ragged and sparse tensors, arrays, and Keras' symbolic tensors."""

    @property
    def shape(self) -> Any: ...

    @property
    def dtype(self) -> Any: ...


class SupportsArray(Protocol):
    """Objects that NumPy can convert, data frames for instance."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


Array: TypeAlias = npt.NDArray[Any]

# A tensor, or what is converted to one.
TensorLike: TypeAlias = Union[  # noqa: UP007
    HasShapeAndDType, SupportsArray, bool, int, float, complex, str, bytes, Sequence[Any]
]

# A static shape, a list of dimensions, or a tensor of them.
ShapeLike: TypeAlias = Union[  # noqa: UP007
    TensorShape, HasShapeAndDType, SupportsArray, int, Sequence[Any]
]

# A dtype, its name, a NumPy dtype or scalar type, or a number of the DataType enum.
DTypeLike: TypeAlias = Union[DType, np.dtype[Any], type, str, int]  # noqa: UP007

# One axis, several, or a tensor of them.
Axis: TypeAlias = Union[int, Sequence[int], HasShapeAndDType, SupportsArray]  # noqa: UP007

# What Keras resolves to an object: the object, a function, a registered name, or a config.
Identifier: TypeAlias = Union[str, Mapping[str, Any], Callable[..., Any]]  # noqa: UP007
