"""Descriptions of values: the public `TensorSpec`, and the lightweight `Spec` of shape rules.

A `TypeSpec` describes any value that functions take, through the arguments in `_serialize()`;
`Spec` is the input and the result of a shape rule.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from tapeflow._src.core import dispatch, nest, protos
from tapeflow._src.core.containers import PLAIN
from tapeflow._src.core.dtypes import DType, as_dtype, float32
from tapeflow._src.core.shape import Dims, TensorShape, as_dims, as_shape, broadcast_shapes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.trace_type import TraceType


class Spec:
    """Shape, dtype and, if it is static, the value of a tensor.

    `partial` is an array with None for unknown elements, if some are known.
    """

    __slots__ = ("dtype", "partial", "shape", "value")

    def __init__(
        self,
        shape: Dims | None,
        dtype: DType,
        value: np.ndarray[Any, Any] | None = None,
        partial: np.ndarray[Any, Any] | None = None,
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.value = value
        self.partial = partial

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether the shape is fully defined."""
        return self.shape is not None and None not in self.shape

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spec):
            return NotImplemented
        return (
            self.shape == other.shape
            and self.dtype is other.dtype
            and _hashable(self.value) == _hashable(other.value)
        )

    def __repr__(self) -> str:
        value = "" if self.value is None else f", {self.value!r}"
        return f"Spec({self.shape}, {self.dtype!r}{value})"


def _unnamed(value: Any) -> Any:
    """Return a part of a serialisation without the names of tensors."""
    if isinstance(value, TypeSpec):
        return value._without_tensor_names()
    return type(value)(map(_unnamed, value)) if type(value) in (list, tuple) else value


class TypeSpec(TraceType):
    """The type of a value: what must agree for two values to be used in the same way.

    A subclass returns from `_serialize()` the arguments that rebuild it; equality, hashing,
    pickling and the subtype relation follow from them. Its values carry it as `_type_spec`. Values
    made of tensors can be arguments and results of functions if the subclass also defines their
    components: `_component_specs`, `_to_components` and `_from_components`.

    Example:
        >>> isinstance(tf.TensorSpec([2], tf.float32), tf.TypeSpec)
        True
    """

    __slots__ = ("__weakref__",)

    @property
    @abstractmethod
    def value_type(self) -> type:
        """The class of the values described."""

    @abstractmethod
    def _serialize(self) -> tuple[Any, ...]:
        """Return the arguments that rebuild this spec."""

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> Self:
        return cls(*serialization)

    def _with_tensor_ranks_only(self) -> Self:
        """Return a spec of the same kind whose shapes have ranks, but no sizes."""

        def relaxed(value: Any) -> Any:
            if isinstance(value, TypeSpec):
                return value._with_tensor_ranks_only()
            if isinstance(value, TensorShape):
                return value if value.rank is None else TensorShape([None] * value.rank)
            return value

        return self._deserialize(tuple(nest.map_structure(relaxed, list(self._serialize()))))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return whether the value, or some value of the spec, is compatible with this spec.

        Args:
            spec_or_value: A spec, or a value that has one.

        Example:
            >>> tf.TensorSpec([None], tf.float32).is_compatible_with(tf.constant([1.0]))
            True
        """
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        return type(other) is type(self) and _agree(
            self._serialize(), other._serialize(), _compatible
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Return whether every value of this spec is one of `other` as well.

        Args:
            other: Another spec.
        """
        return type(other) is type(self) and _agree(self._serialize(), other._serialize(), _subtype)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """Return the most specific spec that this one and all `others` are subtypes of, or None.

        Args:
            others: Other specs.
        """
        if not all(type(other) is type(self) for other in others):
            return None
        try:
            merged = _common(self._serialize(), [other._serialize() for other in others])
        except _NoCommonType:
            return None
        return self._deserialize(merged)

    def most_specific_compatible_type(self, other: TypeSpec) -> Self:
        """Return the common supertype of both; ValueError if there is none.

        Args:
            other: Another spec.
        """
        common = self.most_specific_common_supertype([other])
        if common is None:
            raise ValueError(f"{self} and {other} have no TypeSpec in common")
        return common

    # -- as the type of a function's argument ------------------------------------------------

    @property
    def _component_specs(self) -> Any:
        """The specs of the components, in any structure."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it is made of.")

    def _to_components(self, value: Any) -> Any:
        """Return the components of a value, in the structure of `_component_specs`."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to take values apart.")

    def _from_components(self, components: Any) -> Any:
        """Build the value from these components."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to make values.")

    def __tf_tracing_type__(self, context: Any) -> Self:
        return self

    def flatten(self) -> list[TraceType]:
        """Return the specs of the tensors that a value consists of."""
        return [leaf for spec in nest.flatten(self._component_specs) for leaf in spec.flatten()]

    def to_tensors(self, value: Any) -> list[Any]:
        """Return the tensors that `value` consists of.

        Args:
            value: A value of this spec.
        """
        specs = nest.flatten(self._component_specs)
        parts = nest.flatten_up_to(self._component_specs, self._to_components(value))
        return [tensor for spec, part in zip(specs, parts) for tensor in spec.to_tensors(part)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Build the value from the next of `tensors`.

        Args:
            tensors: An iterator of tensors.
        """
        return self._from_components(
            nest.map_structure(lambda spec: spec.from_tensors(tensors), self._component_specs)
        )

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Return a value that consists of placeholders.

        Args:
            placeholder_context: Creates placeholders.
        """
        return self._from_components(
            nest.map_structure(
                lambda spec: spec.placeholder_value(placeholder_context), self._component_specs
            )
        )

    def cast(self, value: Any, casting_context: Any) -> Any:
        """Return `value` if it is of this type; TypeError otherwise.

        Args:
            value: A value.
            casting_context: How values are cast; None for strictly.
        """
        allowed = casting_context is not None and casting_context.allow_specs
        spec = value if allowed and isinstance(value, TypeSpec) else None
        if spec is None:
            spec = getattr(value, "_type_spec", None)
        if spec is None or not spec.is_subtype_of(self):
            raise TypeError(f"Cannot convert {value!r} to {self}")
        return value

    # -- as an object ------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TypeSpec) or type(other) is not type(self):
            return NotImplemented
        return bool(_hashable(self._serialize()) == _hashable(other._serialize()))

    def __hash__(self) -> int:
        return hash((type(self), _hashable(self._serialize())))

    def __make_cmp_key(self, value: Any) -> Any:
        """Return the key by which values are compared and hashed; other libraries use it."""
        return _hashable(value)

    def _without_tensor_names(self) -> Self:
        """Return the same spec without names of tensors."""
        return self._deserialize(_unnamed(self._serialize()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return type(self)._deserialize, (self._serialize(),)


def describes_composites(spec_type: type[TypeSpec]) -> None:
    """Register specs that stand for the values they describe where composites are expanded."""
    nest.register_composite(
        spec_type,
        lambda spec: spec.flatten(),
        lambda spec, tensors: spec.from_tensors(iter(tensors)),
        _stands_for,
        describes=True,
    )


def _stands_for(spec: TypeSpec, other: Any) -> bool:
    if isinstance(other, TypeSpec):
        return type(other) is type(spec)
    described = getattr(other, "_type_spec", None)
    return described is not None and spec.most_specific_common_supertype([described]) is not None


class TensorSpec(TypeSpec):
    """The shape, dtype and optional name of a tensor.

    Args:
        shape: The shape, None for unknown sizes.
        dtype: The dtype.

    Example:
        >>> tf.TensorSpec([None, 3], tf.int32, name="x")
        TensorSpec(shape=(None, 3), dtype=tf.int32, name='x')
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """Return the spec of the same shape and dtype, under `name` or its own name.

        Args:
            spec: A spec with a shape and a dtype.

        Example:
            >>> tf.TensorSpec.from_spec(tf.TensorSpec([2], tf.float32), name="x").name
            'x'
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Return the spec of `tensor`, under `name` or the name of its graph operation.

        Args:
            tensor: A tensor.

        Example:
            >>> tf.TensorSpec.from_tensor(tf.constant([1, 2])).shape
            TensorShape([2])
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(
                f"from_tensor expected a tf.Tensor, received {tensor!r} of type "
                f"{type(tensor).__name__}."
            )
        if name is None:
            name = getattr(getattr(tensor, "op", None), "name", None)
        return TensorSpec(tensor.shape, tensor.dtype, name)

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def name(self) -> str | None:
        return self._name

    @property
    def value_type(self) -> type:
        return Tensor

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Return whether the tensor, or some tensor of the spec, fits this one; names are ignored.

        Args:
            spec_or_tensor: A tensor or a spec.

        Example:
            >>> tf.TensorSpec([None], tf.int32).is_compatible_with(tf.constant([1, 2]))
            True
        """
        return (
            isinstance(spec_or_tensor, (TensorSpec, Tensor))
            and spec_or_tensor.dtype is self._dtype
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Return whether every tensor of this spec fits `other`, and the names do not disagree.

        Args:
            other: Another spec.
        """
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and (self._name is None or self._name == other._name)
            and self._shape.is_subtype_of(other._shape)
        )

    def flatten(self) -> list[TraceType]:
        """Return the spec itself: a tensor consists of one."""
        return [self]

    def to_tensors(self, value: Any) -> list[Any]:
        """Return the tensor that `value` is.

        Args:
            value: A value.
        """
        if not isinstance(value, Tensor):
            value = dispatch.convert(value, self._dtype)
        return [value]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Return the next of `tensors`.

        Args:
            tensors: An iterator of tensors.
        """
        return next(tensors)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Return a placeholder, under this spec's name if it has one.

        Args:
            placeholder_context: Creates placeholders.
        """
        return placeholder_context.placeholder(self._dtype, as_dims(self._shape), self._name)

    def cast(self, value: Any, casting_context: Any) -> Any:
        """Convert `value` to a tensor of this spec; TypeError if it does not fit.

        Args:
            value: A value.
            casting_context: How values are cast; None for strictly.
        """
        allowed = casting_context is not None and casting_context.allow_specs
        if allowed and isinstance(value, TensorSpec):
            spec, fits = value, value.is_subtype_of(self)
        else:
            if not isinstance(value, Tensor):
                value = self._converted(value)
            spec = TensorSpec(value.shape, value.dtype)
            fits = spec.is_subtype_of(self)
            if not fits and self.is_subtype_of(spec):
                # The spec promises what is unknown of the shape.
                value.set_shape(self._shape)
                fits = True
        if not fits:
            raise TypeError(f"Cannot convert {spec} to {self}")
        return value

    def _converted(self, value: Any) -> Any:
        """Convert a value that is no tensor; arrays take this spec's dtype whatever theirs."""
        if isinstance(value, (np.ndarray, np.generic)) and self._dtype.is_numeric:
            value = np.asarray(value).astype(self._dtype.np, copy=False)
        return dispatch.convert(value, self._dtype)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Return the message class that specs of tensors are serialised as."""
        return protos.TensorSpecProto

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> TensorSpec:
        """Return the spec of a TensorSpecProto message.

        Args:
            proto: The message.
        """
        return TensorSpec(proto.shape, as_dtype(proto.dtype), proto.name or None)

    def experimental_as_proto(self) -> Any:
        """Return the spec as a TensorSpecProto message."""
        return protos.TensorSpecProto(
            name=self._name,
            shape=self._shape.as_proto(),
            dtype=self._dtype.as_datatype_enum,
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    # Like those of every spec, inlined: tensor specs are components of other specs.
    def __eq__(self, other: object) -> bool:
        if type(other) is not TensorSpec or type(self) is not TensorSpec:
            return super().__eq__(other)
        same = self._dtype is other._dtype and self._name == other._name
        return same and self._shape == other._shape

    def _without_tensor_names(self) -> Self:
        return self if self._name is None else type(self)(self._shape, self._dtype)

    def __hash__(self) -> int:
        if type(self) is not TensorSpec:
            return super().__hash__()
        return hash((self._shape, self._dtype, self._name))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class BoundedTensorSpec(TensorSpec):
    """A `TensorSpec` with a minimum and a maximum, each of a shape that broadcasts.

    Args:
        shape: The shape, None for unknown sizes.
        dtype: The dtype.
        minimum: The least value.
        maximum: The greatest value.
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """Return the same spec, with the limits of its dtype as bounds if it has none.

        Args:
            spec: A spec with a shape and a dtype.
        """
        dtype = as_dtype(spec.dtype)
        minimum = spec.minimum if hasattr(spec, "minimum") else dtype.min
        maximum = spec.maximum if hasattr(spec, "maximum") else dtype.max
        return cls(spec.shape, dtype, minimum, maximum, name or spec.name)

    @property
    def minimum(self) -> np.ndarray[Any, Any]:
        return self._minimum

    @property
    def maximum(self) -> np.ndarray[Any, Any]:
        return self._maximum

    def _bound(self, which: str, value: Any) -> np.ndarray[Any, Any]:
        if value is None:
            raise ValueError(f"`{which}` can not be None.")
        bound = np.array(value, dtype=self._dtype.np)
        try:
            broadcast_shapes(bound.shape, as_dims(self._shape))
        except ValueError:
            raise ValueError(
                f"`{which}` {value} is not compatible with shape {self._shape}."
            ) from None
        bound.flags.writeable = False
        return bound

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )


# The functions below work on the structures of `_serialize()`: tuples, lists and mappings of specs,
# shapes, dtypes, arrays and plain values.


class _NoCommonType(Exception):
    """Two serialisations differ where only equal ones have a common supertype."""


def _hashable(item: Any) -> Any:
    if isinstance(item, (list, tuple)):
        return tuple(_hashable(part) for part in item)
    if isinstance(item, Mapping):
        return tuple((key, _hashable(item[key])) for key in sorted(item, key=repr))
    if isinstance(item, np.ndarray):
        return item.dtype, item.shape, tuple(item.ravel().tolist())
    return item


def _compatible(a: Any, b: Any) -> bool:
    if isinstance(a, (TypeSpec, TensorShape)):
        return a.is_compatible_with(b)
    return bool(_hashable(a) == _hashable(b))


def _subtype(a: Any, b: Any) -> bool:
    if isinstance(a, (TypeSpec, TensorShape)):
        return a.is_subtype_of(b)
    return bool(_hashable(a) == _hashable(b))


def _agree(a: Any, b: Any, leaf: Callable[[Any, Any], bool]) -> bool:
    """Whether two structures match and `leaf` holds for each pair of their leaves."""
    if not isinstance(a, (list, tuple, Mapping)):
        return leaf(a, b)
    if not _same_container(a, b):
        return False
    pairs = zip(PLAIN[type(a)].children(a), PLAIN[type(b)].children(b))  # type: ignore[union-attr]
    return all(_agree(x, y, leaf) for x, y in pairs)


def _same_container(a: Any, b: Any) -> bool:
    """Whether two containers are of one kind, ignoring their contents."""
    one, two = PLAIN[type(a)], PLAIN[type(b)]
    if one is None or two is None or one.family != two.family:
        return False
    return bool(a.keys() == b.keys()) if one.mapping else len(a) == len(b)


def _common(first: Any, others: list[Any]) -> Any:
    """Return the structure of the leaves' common supertypes; `_NoCommonType` if a pair has none."""
    if isinstance(first, (list, tuple, Mapping)):
        if not all(_same_container(first, other) for other in others):
            raise _NoCommonType
        columns = [PLAIN[type(s)].children(s) for s in (first, *others)]  # type: ignore[union-attr]
        merged = [_common(part, parts) for part, *parts in zip(*columns)]
        return PLAIN[type(first)].rebuild(first, merged)  # type: ignore[union-attr]
    if isinstance(first, (TypeSpec, TensorShape)):
        common = first.most_specific_common_supertype(others)
        if common is None:
            raise _NoCommonType
        return common
    if any(_hashable(other) != _hashable(first) for other in others):
        raise _NoCommonType
    return first
