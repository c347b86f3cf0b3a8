"""`BoundedTensorSpec`: a TensorSpec with the smallest and largest values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.spec import TensorSpec


class BoundedTensorSpec(TensorSpec):
    """A TensorSpec whose values lie between `minimum` and `maximum`."""

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError(
                f"Expected both bounds, received minimum={minimum!r}, maximum={maximum!r}."
            )
        self._minimum = self._bound(minimum)
        self._maximum = self._bound(maximum)

    def _bound(self, value: Any) -> np.ndarray:
        bound = np.array(value, dtype=self.dtype.as_numpy_dtype)
        if not self.shape.is_compatible_with(np.broadcast_shapes(bound.shape, _known(self.shape))):
            raise ValueError(f"The bound {value!r} does not broadcast to the shape {self.shape}.")
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """Return a bounded spec like another spec, by default with the bounds of its dtype."""
        dtype = as_dtype(spec.dtype)
        minimum = spec.minimum if hasattr(spec, "minimum") else dtype.min
        maximum = spec.maximum if hasattr(spec, "maximum") else dtype.max
        return cls(spec.shape, dtype, minimum, maximum, name or spec.name)

    @property
    def minimum(self) -> np.ndarray:
        """The smallest values."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray:
        """The largest values."""
        return self._maximum

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and super().__eq__(other)
            and np.array_equal(self._minimum, other._minimum)
            and np.array_equal(self._maximum, other._maximum)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __reduce__(self) -> Any:
        arguments = (self.shape, self.dtype, self._minimum, self._maximum, self.name)
        return BoundedTensorSpec, arguments


def _known(shape: Any) -> tuple[int, ...]:
    return tuple(1 if size is None else size for size in shape) if shape.rank is not None else ()
