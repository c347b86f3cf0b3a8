"""`tf.experimental.ExtensionType`: classes of one's own that consist of tensors.

A subclass declares its fields by annotations. Its values are immutable; they are arguments and
results of functions, and pass through branches, loops and datasets as tensors do.
"""

from __future__ import annotations

from abc import ABCMeta
from typing import Any, ClassVar

from tapeflow._src.api.math.reduction import reduce_all
from tapeflow._src.composite.extension_types.construction import (
    add_constructor,
    require_unfinished,
    wrap_constructor,
)
from tapeflow._src.composite.extension_types.fields import RESERVED_PREFIX, Context
from tapeflow._src.composite.extension_types.operators import answer
from tapeflow._src.composite.extension_types.plan import declare, plan_of
from tapeflow._src.composite.extension_types.specs import (
    ExtensionTypeSpec,
    make_spec_class,
    spec_of_value,
)
from tapeflow._src.core import nest
from tapeflow._src.core.composite import Dispatchable
from tapeflow._src.core.spec import describes_composites
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.common import shape_of
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.logical import logical_not

_SPEC = f"{RESERVED_PREFIX}_spec"
# What Keras notes on a value: which parts of it count.
_MUTABLE = "_keras_mask"


class ExtensionTypeMeta(ABCMeta):
    """Makes the constructor and the spec class of an extension type.

    `abstract=True`: the class declares no type, only what the types derived from it share.
    """

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        abstract: bool = False,
    ) -> Any:
        return super().__new__(mcs, name, bases, namespace)

    def __init__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        abstract: bool = False,
    ) -> None:
        super().__init__(name, bases, namespace)
        if abstract:
            return
        declare(cls)
        if "__init__" in namespace:
            wrap_constructor(cls, cls, Context.VALUE)
        else:
            add_constructor(cls)
        declared: Any = cls
        declared._tf_extension_type_make_spec()


class ExtensionType(Dispatchable, metaclass=ExtensionTypeMeta, abstract=True):
    """The base of classes of one's own that consist of tensors and Python values.

    Fields are declared by annotations: Python's `int`, `float`, `str`, `bytes`, `bool` and None,
    `tf.Tensor`, `tf.TensorShape`, `tf.DType`, composites and other extension types, and `tuple`,
    `Mapping` and `Union` of all these.

    Example:
        >>> class Point(tf.experimental.ExtensionType):
        ...     x: tf.Tensor
        ...     y: tf.Tensor
        >>> @tf.function
        ... def norm(point):
        ...     return tf.sqrt(point.x ** 2.0 + point.y ** 2.0)
        >>> float(norm(Point(3.0, 4.0)))
        5.0
    """

    Spec: ClassVar[Any]

    # Gradients w.r.t. values of the type: see `gradients.endpoints`.
    __composite_gradient__: ClassVar[Any] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = type(self).__name__
        raise AssertionError(
            f"Cannot create an instance of {name} because {name} is an abstract base class."
        )

    @classmethod
    def _tf_extension_type_make_spec(cls) -> None:
        if hasattr(cls, "__batch_encoder__") or hasattr(
            cls.__dict__.get("Spec"), "__batch_encoder__"
        ):
            raise ValueError(
                f"{cls.__name__} defines `__batch_encoder__`, so it must be a subclass of "
                f"tf.experimental.BatchableExtensionType."
            )
        make_spec_class(cls, ExtensionTypeSpec, {})

    def __validate__(self) -> None:
        """Called at the end of the constructor: raises if the fields do not go together."""

    @property
    def _type_spec(self) -> Any:
        spec = self.__dict__.get(_SPEC)
        if spec is None:
            spec = self.__dict__[_SPEC] = spec_of_value(self)
        return spec

    def _call_op(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
    ) -> Any:
        return answer(self, op, inputs)

    # -- as an object ------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if name != _MUTABLE:
            require_unfinished(self, type(self), name, "ExtensionType")
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        if name != _MUTABLE:
            require_unfinished(self, type(self), name, "ExtensionType")
        del self.__dict__[name]

    def __repr__(self) -> str:
        names = [each.name for each in plan_of(type(self)).fields]
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({fields})"

    def __eq__(self, other: Any) -> Any:
        """Whether both are of one type and spec and have equal tensors: a tensor, or False."""
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = zip(
            nest.flatten(self, expand_composites=True),
            nest.flatten(other, expand_composites=True),
            strict=True,
        )
        comparisons = [
            reduce_all(equal(*both, incompatible_shape_error=False))
            for left, right in pairs
            # Values that would only be equal once they are spread are not.
            for both in ((shape_of(left), shape_of(right)), (left, right))
        ]
        return reduce_all(pack(comparisons)) if comparisons else True

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return logical_not(same) if isinstance(same, Tensor) else not same

    __hash__ = None  # type: ignore[assignment]


def as_dict(value: ExtensionType) -> dict[str, Any]:
    """Return the fields of a value by name; a field that is an extension type stays one.

    Args:
        value: A value of an extension type.

    Returns:
        A dict.

    Example:
        >>> class Named(tf.experimental.ExtensionType):
        ...     name: str
        >>> tf.experimental.extension_type.as_dict(Named("a"))
        {'name': 'a'}
    """
    return {each.name: getattr(value, each.name) for each in plan_of(type(value)).fields}


def _same_structure(first: Any, second: Any) -> bool:
    """Whether there is a spec that both fit: shapes may differ."""
    if not isinstance(second, ExtensionType):
        return False
    return first._type_spec.most_specific_common_supertype([second._type_spec]) is not None


nest.register_composite(
    ExtensionType,
    lambda value: value._type_spec._to_components(value),
    lambda value, parts: value._type_spec._from_components(parts),
    _same_structure,
)
describes_composites(ExtensionTypeSpec)
