"""Type specs of operators: the tensors and operators that they were created from.

A class declared with `composite` can be an argument and a result of functions, a loop variable
and an element of datasets. Its subclasses are decomposed in the same way, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tapeflow._src.api.linalg.operators.base import LinearOperator
from tapeflow._src.api.type_specs import type_spec_from_value
from tapeflow._src.core import nest
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.spec import TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.variable import Variable

_PARTS = (Tensor, Variable, LinearOperator, np.ndarray)


class LinearOperatorSpec(TypeSpec):
    """The type of operators of one class: specs of their tensors, and their other arguments."""

    __slots__ = ("_param_specs", "_statics")
    operator_class: ClassVar[type]

    def __init__(self, param_specs: Any, non_tensor_params: Any) -> None:
        self._param_specs = dict(param_specs)
        self._statics = dict(non_tensor_params)

    @classmethod
    def from_operator(cls, operator: Any) -> LinearOperatorSpec:
        """Return the spec of an operator."""
        parts = _parts_of(operator)
        specs = {name: nest.map_structure(_spec_of, part) for name, part in parts.items()}
        return cls(specs, _statics_of(operator, parts))

    @property
    def value_type(self) -> type:
        return self.operator_class

    def _serialize(self) -> tuple[Any, ...]:
        specs = {name: _as_tuples(spec) for name, spec in self._param_specs.items()}
        return tuple(sorted(specs.items())), tuple(sorted(self._statics.items()))

    @property
    def _component_specs(self) -> dict[str, Any]:
        return self._param_specs

    def _to_components(self, value: TensorLike) -> dict[str, Any]:
        return _parts_of(value)

    def _from_components(self, components: Any) -> Any:
        return self.operator_class(**components, **self._statics)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._param_specs!r}, {self._statics!r})"


def composite(cls: Any) -> Any:
    """Declare that operators of a class consist of the tensors that they were created from."""
    spec = type(f"{cls.__name__}Spec", (LinearOperatorSpec,), {"operator_class": cls})
    spec.__module__ = cls.__module__
    cls._type_spec_class = spec
    cls._type_spec = property(spec.from_operator)  # type: ignore[attr-defined]
    nest.register_composite(cls, _flat, _rebuilt, _is_compatible)
    return cls


def _is_part(value: TensorLike) -> bool:
    return any(isinstance(each, _PARTS) for each in nest.flatten(value))


def _fields(operator: Any) -> dict[str, Any]:
    """Return the arguments that an operator was created with, but for its name."""
    declared = getattr(operator, "_composite_tensor_fields", ())
    arguments = {**{name: getattr(operator, name) for name in declared}, **operator.parameters}
    return {name: value for name, value in arguments.items() if name != "name"}


def _parts_of(operator: Any) -> dict[str, Any]:
    """Return the arguments that are tensors, operators or structures of these."""
    always = {*operator._matrix_axes, *getattr(operator, "_composite_tensor_fields", ())}
    parts = {}
    for name, value in _fields(operator).items():
        if value is not None and _is_part(value):
            parts[name] = nest.map_structure(_as_tensor, _as_tuples(value))
        elif value is not None and name in always:
            # Numbers of Python have the dtype of the operator, indices stay integers.
            is_index = np.asarray(value).dtype.kind in "iu"
            parts[name] = convert(value, None, None if is_index else operator.dtype)
    return parts


def _statics_of(operator: Any, parts: dict[str, Any]) -> dict[str, Any]:
    others = {name: value for name, value in _fields(operator).items() if name not in parts}
    return {name: _as_tuples(value) for name, value in others.items()}


def _as_tensor(value: TensorLike) -> Any:
    return value if isinstance(value, _PARTS[:3]) else convert(value)


def _as_tuples(value: TensorLike) -> Any:
    """Return lists as tuples, which can be compared and hashed."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list | tuple) else value


def _spec_of(value: TensorLike) -> Any:
    return type_spec_from_value(value)


def _flat(operator: Any) -> list[Any]:
    return nest.flatten(_parts_of(operator), expand_composites=True)


def _rebuilt(operator: Any, flat: list[Any]) -> Any:
    parts = nest.pack_sequence_as(_parts_of(operator), flat, expand_composites=True)
    return operator._type_spec._from_components(parts)


def _is_compatible(first: Any, second: Any) -> bool:
    return bool(first._type_spec.is_compatible_with(second))


def _undeclared(operator: Any) -> Any:
    raise TypeError(
        f"Operators of the class {type(operator).__name__} cannot be taken apart: expected one of "
        f"tf.linalg or a subclass of it, received {operator!r}. Pass its tensors instead."
    )


nest.register_composite(LinearOperator, _undeclared, lambda operator, parts: _undeclared(operator))
