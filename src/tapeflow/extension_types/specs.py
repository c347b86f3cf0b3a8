"""`tf.experimental.ExtensionTypeSpec`: the specs of extension types.

A spec has the fields of its type, with a spec in place of every tensor; what is no tensor is part
of the type. Each extension type has a spec class of its own, made with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from tapeflow.core import nest
from tapeflow.core.containers import WITH_COMPOSITES
from tapeflow.core.spec import TensorSpec, TypeSpec
from tapeflow.core.tensor import Tensor
from tapeflow.extension_types.construction import (
    add_spec_constructor,
    make_object,
    require_unfinished,
    wrap_constructor,
)
from tapeflow.extension_types.fields import Context, is_reserved
from tapeflow.extension_types.immutable_dict import ImmutableDict
from tapeflow.extension_types.plan import plan_of


class ExtensionTypeSpec(TypeSpec):
    """The spec of an extension type."""

    value_type: Any = None  # the type described, in every spec class that is made

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of a value."""
        return value._type_spec

    def _serialize(self) -> tuple[Any, ...]:
        return tuple((name, _with_mappings(value, dict)) for name, value in fields_of(self).items())

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> Self:
        fields = {name: _with_mappings(value, ImmutableDict) for name, value in serialization}
        made: Self = make_object(cls, fields)
        return made

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _spec_from, (self.value_type, self._serialize())

    # -- components --------------------------------------------------------------------------

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        leaves = nest.flatten(tuple(fields_of(self).values()))
        return tuple(leaf for leaf in leaves if isinstance(leaf, TypeSpec))

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        leaves = nest.flatten(tuple(value.__dict__[name] for name in fields_of(self)))
        return tuple(leaf for leaf in leaves if _is_component(leaf))

    def _from_components(self, components: Any) -> Any:
        fields = fields_of(self)
        structure = tuple(fields.values())
        remaining = iter(components)
        flat = [
            next(remaining) if isinstance(leaf, TypeSpec) else leaf
            for leaf in nest.flatten(structure)
        ]
        if any(True for _ in remaining):
            raise ValueError(
                "Cannot build an ExtensionType instance from components because more components "
                "are provided than the number expected by the type spec."
            )
        return make_object(
            self.value_type, dict(zip(fields, nest.pack_sequence_as(structure, flat)))
        )

    # -- as an object ------------------------------------------------------------------------

    def __validate__(self) -> None:
        """Called at the end of the constructor: raises if the fields do not go together."""

    def __setattr__(self, name: str, value: Any) -> None:
        require_unfinished(self, self.value_type, name, "ExtensionTypeSpec")
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        require_unfinished(self, self.value_type, name, "ExtensionTypeSpec")
        del self.__dict__[name]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._serialize())
        return f"{type(self).__qualname__}({fields})"


def fields_of(spec: ExtensionTypeSpec) -> dict[str, Any]:
    """The fields of a spec by name, in order."""
    return {each.name: spec.__dict__[each.name] for each in plan_of(spec.value_type).fields}


def spec_of_value(value: Any) -> Any:
    """The spec of a value of an extension type, made anew."""
    fields = {each.name: value.__dict__[each.name] for each in plan_of(type(value)).fields}
    return make_object(value.Spec, nest.map_structure(_leaf_spec, fields))


def _leaf_spec(value: Any) -> Any:
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    spec = getattr(value, "_type_spec", None)
    return spec if isinstance(spec, TypeSpec) else value


def _spec_from(value_type: Any, serialization: tuple[Any, ...]) -> Any:
    """The spec of a type: pickle finds a type by its name, but no class nested in it."""
    return value_type.Spec._deserialize(serialization)


def _is_component(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) or WITH_COMPOSITES[type(leaf)] is not None


def _with_mappings(value: Any, cls: type) -> Any:
    """A structure with mappings of that class."""
    if isinstance(value, Mapping):
        return cls((key, _with_mappings(item, cls)) for key, item in value.items())
    if isinstance(value, tuple):
        return tuple(_with_mappings(item, cls) for item in value)
    return value


# -- making spec classes ----------------------------------------------------------------------

_NOT_COPIED = ("__module__", "__dict__", "__weakref__")


def make_spec_class(cls: Any, base: type, further: dict[str, Any]) -> None:
    """Make `cls.Spec`, with what the user has written in a nested class of that name."""
    namespace = {
        "value_type": cls,
        "__module__": cls.__module__,
        "__qualname__": f"{cls.__qualname__}.Spec",
        **further,
        **_own_spec(cls),
    }
    cls.Spec = type(base)(f"{cls.__name__}.Spec", (base,), namespace)
    if "__init__" in namespace:
        wrap_constructor(cls.Spec, cls, Context.SPEC)
    else:
        add_spec_constructor(cls.Spec, cls)


def _own_spec(cls: Any) -> dict[str, Any]:
    """What the user has written in a nested class `Spec`; ValueError if that cannot be."""
    own = cls.__dict__.get("Spec")
    if own is None:
        return {}
    qualname = f"{cls.__qualname__}.Spec"
    if not isinstance(own, type):
        raise ValueError(f"{qualname} must be a nested class; got {own}.")
    if own.__bases__ not in ((TypeSpec,), (object,)):
        raise ValueError(f"{qualname} must be directly subclassed from tf.TypeSpec.")
    for name in own.__dict__:
        if is_reserved(name):
            raise ValueError(f"TypeSpec {qualname} uses reserved name '{name}'.")
        if name in plan_of(cls).names:
            raise ValueError(
                f"TypeSpec {qualname} defines a variable '{name}' which shadows a field in "
                f"{cls.__qualname__}"
            )
    return {name: value for name, value in own.__dict__.items() if name not in _NOT_COPIED}
