"""`tf.type_spec_from_value`, and the spec of None."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.variable import Variable
from tapeflow._src.function.variable_type import VariableSpec

_CONVERTIBLE = (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)


class NoneTensorSpec(TypeSpec):
    """The type spec of None.

    Example:
        >>> tf.NoneTensorSpec().is_compatible_with(None)
        False
    """

    @classmethod
    def from_value(cls, value: Any) -> NoneTensorSpec:
        """Return the spec of None.

        Args:
            value: None.
        """
        return cls()

    @property
    def value_type(self) -> type:
        return type(None)

    def most_specific_compatible_shape(self, other: Any) -> NoneTensorSpec:
        """Return the spec of None, which is compatible with no other.

        Args:
            other: Another spec.

        Raises:
            ValueError: If it is of another type.
        """
        if type(other) is not type(self):
            raise ValueError(f"{self} and {other} have no TypeSpec in common")
        return self

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        return ()

    def _to_components(self, value: TensorLike) -> tuple[Any, ...]:
        return ()

    def _from_components(self, components: Any) -> None:
        return None


def type_spec_from_value(value: Any) -> TypeSpec:
    """Return the type spec of a tensor, a composite, or a value that converts to a tensor.

    Args:
        value: The value.

    Returns:
        A `tf.TypeSpec`.

    Raises:
        TypeError: If it has no spec.

    Example:
        >>> tf.type_spec_from_value(tf.constant([1, 2]))
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, Variable):
        return VariableSpec(value.shape, value.dtype, value.trainable)
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    if isinstance(value, _CONVERTIBLE):
        try:
            tensor = dispatch.convert(value)
        except (TypeError, ValueError):
            pass
        else:
            return TensorSpec(tensor.shape, tensor.dtype)
    raise TypeError(f"There is no TypeSpec for {value!r} of type {type(value).__name__}.")
