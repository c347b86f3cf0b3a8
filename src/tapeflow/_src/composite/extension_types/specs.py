"""`tf.experimental.ExtensionTypeSpec`: the specs of extension types.

A spec has the fields of its type, with a spec in place of every tensor; what is no tensor is part
of the type. Each extension type has its own spec class, created with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from tapeflow._src.composite.extension_types.construction import (
    add_spec_constructor,
    make_object,
    require_unfinished,
    wrap_constructor,
)
from tapeflow._src.composite.extension_types.fields import RESERVED_PREFIX, Context, is_reserved
from tapeflow._src.composite.extension_types.immutable_dict import ImmutableDict
from tapeflow._src.composite.extension_types.names import register
from tapeflow._src.composite.extension_types.plan import plan_of
from tapeflow._src.core import nest
from tapeflow._src.core.containers import WITH_COMPOSITES
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor

_KEY = f"{RESERVED_PREFIX}_key"
_PARTS = f"{RESERVED_PREFIX}_parts"


class ExtensionTypeSpec(TypeSpec):
    """The spec of an extension type. Its `__dict__` has the fields, in order, and nothing else."""

    # Cached properties of a spec, which is immutable.
    __slots__ = ("__dict__", _KEY, _PARTS)

    value_type: Any = None  # the type described, in every spec class that is made

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """Return the spec of a value.

        Args:
            value: A value of an extension type.
        """
        return value._type_spec

    def _serialize(self) -> tuple[Any, ...]:
        return tuple((name, _with_mappings(value, dict)) for name, value in self.__dict__.items())

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> Self:
        fields = {name: _with_mappings(value, ImmutableDict) for name, value in serialization}
        spec: Self = make_object(cls, fields)
        return spec

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _spec_from, (self.value_type, self._serialize())

    # -- components --------------------------------------------------------------------------

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        cached: tuple[Any, ...] | None = getattr(self, _PARTS, None)
        if cached is None:
            leaves = nest.flatten(tuple(self.__dict__.values()))
            cached = tuple(leaf for leaf in leaves if isinstance(leaf, TypeSpec))
            object.__setattr__(self, _PARTS, cached)
        return cached

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        leaves = nest.flatten(tuple([value.__dict__[name] for name in self.__dict__]))
        return tuple([leaf for leaf in leaves if _is_component(leaf)])

    def _from_components(self, components: Any) -> Any:
        structure = tuple(self.__dict__.values())
        remaining = iter(components)
        flat = [
            next(remaining) if isinstance(leaf, TypeSpec) else leaf
            for leaf in nest.flatten(structure)
        ]
        if any(True for _ in remaining):
            expected = sum(isinstance(leaf, TypeSpec) for leaf in nest.flatten(structure))
            raise ValueError(
                f"{type(self).__qualname__} expected {expected} components. Received more of them."
            )
        fields = zip(self.__dict__, nest.pack_sequence_as(structure, flat))
        return make_object(self.value_type, dict(fields))

    # -- as an object ------------------------------------------------------------------------

    def __validate__(self) -> None:
        """Called at the end of the constructor: raises if the fields do not go together."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or _key_of(self) == _key_of(other)

    def __hash__(self) -> int:
        return hash(_key_of(self))

    def __setattr__(self, name: str, value: Any) -> None:
        require_unfinished(self, self.value_type, name, "ExtensionTypeSpec")
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        require_unfinished(self, self.value_type, name, "ExtensionTypeSpec")
        del self.__dict__[name]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._serialize())
        return f"{type(self).__qualname__}({fields})"


def _key_of(spec: Any) -> tuple[Any, ...]:
    """Return the key by which specs of one class are compared."""
    cached: tuple[Any, ...] | None = getattr(spec, _KEY, None)
    if cached is None:
        cached = tuple([_key(value) for value in spec.__dict__.values()])
        object.__setattr__(spec, _KEY, cached)
    return cached


def _key(value: Any) -> Any:
    if type(value) is TensorSpec:
        return value
    if isinstance(value, Mapping):
        return frozenset((name, _key(item)) for name, item in value.items())
    return tuple([_key(item) for item in value]) if isinstance(value, tuple) else value


def spec_of_value(value: Any) -> Any:
    """Create the spec of a value of an extension type."""
    fields = {each.name: value.__dict__[each.name] for each in plan_of(type(value)).fields}
    return make_object(value.Spec, nest.map_structure(_leaf_spec, fields))


def _leaf_spec(value: Any) -> Any:
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    spec = getattr(value, "_type_spec", None)
    return spec if isinstance(spec, TypeSpec) else value


def _spec_from(value_type: Any, serialization: tuple[Any, ...]) -> Any:
    """Return the spec of a type: pickle finds a type by its name, but no class nested in it."""
    return value_type.Spec._deserialize(serialization)


def _is_component(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) or WITH_COMPOSITES[type(leaf)] is not None


def _with_mappings(value: Any, cls: type) -> Any:
    """Return a structure with mappings of that class."""
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
        **_user_spec_members(cls),
    }
    cls.Spec = type(base)(f"{cls.__name__}.Spec", (base,), namespace)
    if "__init__" in namespace:
        wrap_constructor(cls.Spec, cls, Context.SPEC)
    else:
        add_spec_constructor(cls.Spec, cls)
    if "__name__" in cls.__dict__:
        register(f"{cls.__dict__['__name__']}.Spec", cls.Spec)


def _user_spec_members(cls: Any) -> dict[str, Any]:
    """Return the members of a user's nested class `Spec`; raise ValueError if it is invalid."""
    own = cls.__dict__.get("Spec")
    if own is None:
        return {}
    qualname = f"{cls.__qualname__}.Spec"
    if not isinstance(own, type):
        raise ValueError(f"{qualname} must be a class. Received: {own!r}")
    if own.__bases__ not in ((TypeSpec,), (object,)):
        raise ValueError(
            f"{qualname} must have tf.TypeSpec as its only base class. Received: {own.__bases__}"
        )
    for name in own.__dict__:
        if is_reserved(name):
            raise ValueError(f"TypeSpec {qualname} uses reserved name '{name}'.")
        if name in plan_of(cls).names:
            raise ValueError(
                f"{qualname} defines '{name}', which is a field of {cls.__qualname__}. Rename one "
                f"of them."
            )
    return {name: value for name, value in own.__dict__.items() if name not in _NOT_COPIED}
