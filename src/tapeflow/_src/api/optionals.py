"""`tf.experimental.Optional`: a value that may be missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout, as_element, described_specs, spec_of
from tapeflow._src.core import dtypes, nest
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import MANY_OUTPUTS, ManyFree, Variant, op
from tapeflow._src.core.spec import TensorSpec, TypeSpec

AN_OPTIONAL = fixed((), dtypes.variant)
_HOST = "optionals are Python's"


class OptionalValue:
    """The value of a variant tensor that represents an optional: arrays, or None."""

    __slots__ = ("arrays",)

    dtype = dtypes.variant
    value_dtype = dtypes.variant
    shape = ()
    ndim = 0
    size = 1

    def __init__(self, arrays: tuple[Any, ...] | None) -> None:
        self.arrays = arrays

    def plus(self, other: OptionalValue, add: Callable[[Any, Any], Any]) -> OptionalValue:
        """Return the sum of two values; raise InvalidArgumentError if only one is there."""
        if self.arrays is None and other.arrays is None:
            return self
        if self.arrays is None or other.arrays is None or len(self.arrays) != len(other.arrays):
            raise InvalidArgumentError(
                None, None, "Cannot add optionals: expected values of one structure in both."
            )
        return OptionalValue(tuple([add(a, b) for a, b in zip(self.arrays, other.arrays)]))

    def like(self, zeros: Callable[[Any], Any]) -> OptionalValue:
        """Return an optional of the same structure, with `zeros(array)` for every array."""
        return OptionalValue(None if self.arrays is None else tuple(map(zeros, self.arrays)))


@op("OptionalFromValue", infer=AN_OPTIONAL, grad=None, host=_HOST)
def optional_from_value(xp, components: ManyFree):
    """Create an optional with a value."""
    return OptionalValue(tuple(components))


@op("OptionalNone", infer=AN_OPTIONAL, grad=None, host=_HOST)
def optional_none(xp):
    """Create an optional without a value."""
    return OptionalValue(None)


@op("OptionalHasValue", infer=fixed((), dtypes.bool), grad=None, host=_HOST)
def optional_has_value(xp, optional: Variant):
    """Whether there is a value."""
    return np.array(optional.arrays is not None)


@op("OptionalGetValue", outputs=MANY_OUTPUTS, grad=None, host=_HOST)
def optional_get_value(xp, optional: Variant, *, output_types, output_shapes):
    """Return the value; raise InvalidArgumentError if there is none."""
    if optional.arrays is None:
        raise InvalidArgumentError(None, None, "The given optional does not have a value.")
    return optional.arrays


@optional_get_value.infer
def _(optional, *, output_types, output_shapes):
    return described_specs(output_types, output_shapes)


class Optional:
    """A value of some structure, or none; returned by `from_value`, `empty`, and iterators.

    Example:
        >>> pair = tf.experimental.Optional.from_value((1, "a"))
        >>> bool(pair.has_value()), pair.get_value()[1].numpy()
        (True, b'a')
    """

    _variant_tensor: Any
    _element_spec: Any

    def __init__(self) -> None:
        raise TypeError("An optional is made by `Optional.from_value` or `Optional.empty`.")

    @staticmethod
    def _of(variant_tensor: Any, element_spec: Any) -> Optional:
        optional = object.__new__(Optional)
        optional._variant_tensor = variant_tensor
        optional._element_spec = element_spec
        return optional

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """Create an optional without a value, of that element spec.

        Args:
            element_spec: A structure of `tf.TypeSpec`.

        Example:
            >>> bool(tf.experimental.Optional.empty(tf.TensorSpec([])).has_value())
            False
        """
        return Optional._of(optional_none(), element_spec)

    @staticmethod
    def from_value(value: Any) -> Optional:
        """Create an optional with a value.

        Args:
            value: A tensor, or a structure of tensors.

        Example:
            >>> int(tf.experimental.Optional.from_value(3).get_value())
            3
        """
        element = as_element(value)
        layout = Layout(spec_of(element))
        return Optional._of(optional_from_value(layout.flatten(element)), layout.spec)

    def has_value(self, name: str | None = None) -> Any:
        """Return whether there is a value, as a boolean scalar.

        Example:
            >>> tf.experimental.Optional.from_value(1).has_value().numpy()
            np.True_
        """
        return optional_has_value(self._variant_tensor, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """Return the value; raise InvalidArgumentError if there is none.

        Example:
            >>> tf.experimental.Optional.from_value(1).get_value().numpy()
            np.int32(1)
        """
        layout = Layout(self._element_spec)
        attributes = {"output_types": layout.types, "output_shapes": layout.shapes}
        return layout.pack(optional_get_value(self._variant_tensor, **attributes, name=name))

    @property
    def element_spec(self) -> Any:
        """The spec of the value."""
        return self._element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)


class OptionalSpec(TypeSpec):
    """The type spec of an optional: that of its value.

    Args:
        element_spec: A structure of `tf.TypeSpec`.

    Example:
        >>> tf.OptionalSpec(tf.TensorSpec([2], tf.float32)).value_type
        <class 'tapeflow._src.api.optionals.Optional'>
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: Optional) -> OptionalSpec:
        """Return the spec of an optional.

        Args:
            value: The optional.
        """
        return value._type_spec

    @property
    def value_type(self) -> type:
        return Optional

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return TensorSpec([], dtypes.variant)

    def _to_components(self, value: Any) -> Any:
        return value._variant_tensor

    def _from_components(self, components: Any) -> Any:
        return Optional._of(components, self._element_spec)


nest.register_composite(
    Optional,
    lambda optional: (optional._variant_tensor,),
    lambda optional, parts: Optional._of(parts[0], optional._element_spec),
    lambda a, b: isinstance(b, Optional) and a._type_spec.is_compatible_with(b._type_spec),
)
