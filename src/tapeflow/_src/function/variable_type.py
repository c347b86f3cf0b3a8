"""`VariableSpec`: the trace type of a variable, which is passed to a function by its handle.

A trace serves every variable of the type. The number `alias_id` distinguishes the same variable
passed twice from two variables: aliases see each other's changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeflow._src.core.dtypes import DType, as_dtype, resource
from tapeflow._src.core.shape import TensorShape, as_dims, as_shape
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.trace_type import TraceType
from tapeflow._src.eager.variable import Variable


class VariableSpec(TypeSpec):
    """The shape and dtype of a variable, whether it is trainable, and which argument it is."""

    __slots__ = ("_dtype", "_shape", "alias_id", "trainable")

    def __init__(
        self,
        shape: Any,
        dtype: Any = "float32",
        trainable: bool = True,
        alias_id: int | None = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @property
    def value_type(self) -> type:
        return Variable

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self.trainable, self.alias_id

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the variable, or one of the given spec, is compatible; `alias_id` is ignored."""
        other = spec_or_value
        return (
            isinstance(other, (Variable, VariableSpec))
            and other.dtype is self._dtype
            and other.trainable == self.trainable
            and self._shape.is_compatible_with(other.shape)
        )

    def flatten(self) -> list[TraceType]:
        """Return the type of the handle."""
        return [TensorSpec([], resource)]

    def to_tensors(self, value: Any) -> list[Any]:
        """Return the handle of a variable."""
        if not isinstance(value, Variable):
            raise TypeError(f"Expected a tf.Variable for {self}, got {value!r}")
        return [value.handle]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Return the variable of the next handle."""
        return Variable._from_handle(next(tensors), self._shape, self._dtype, self.trainable)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Return a variable whose handle is a placeholder; one object for all its aliases."""
        handle = placeholder_context.placeholder(resource, as_dims(self._shape))
        name = placeholder_context.name or "Variable"
        variable = Variable._from_handle(handle, self._shape, self._dtype, self.trainable, name)
        if self.alias_id is None:
            return variable
        return placeholder_context.placeholders.setdefault(self.alias_id, variable)

    def cast(self, value: Any, casting_context: Any) -> Any:
        """Return a variable of this type; TypeError for anything else."""
        allowed = casting_context is not None and casting_context.allow_specs
        if isinstance(value, Variable) or (allowed and isinstance(value, VariableSpec)):
            received = VariableSpec(value.shape, value.dtype, value.trainable, self.alias_id)
            if received.is_subtype_of(self):
                return value
        raise TypeError(f"Cannot convert {value!r} to {self}")

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self._shape}, dtype={self._dtype!r}, "
            f"trainable={self.trainable}, alias_id={self.alias_id})"
        )


def type_of_variable(variable: Variable, context: Any) -> VariableSpec:
    """Return the type of a variable among the arguments of one call."""
    alias = context.alias_of(variable.handle)
    return VariableSpec(variable.shape, variable.dtype, variable.trainable, alias)
