"""The base class of values that consist of several tensors.

Classes of libraries that derive from it describe their components by their TypeSpec.
"""

from typing import Any

from tapeflow._src.core import nest
from tapeflow._src.core.composite import Composite as CompositeTensor

__all__ = ["CompositeTensor"]


def _parts(value: Any) -> list[Any]:
    spec = value._type_spec
    return nest.flatten(spec._to_components(value), expand_composites=True)


def _rebuilt(value: Any, parts: list[Any]) -> Any:
    spec = value._type_spec
    components = spec._to_components(value)
    return spec._from_components(nest.pack_sequence_as(components, parts, expand_composites=True))


def _is_compatible(first: Any, second: Any) -> bool:
    return bool(first._type_spec.is_compatible_with(second._type_spec))


nest.register_composite(CompositeTensor, _parts, _rebuilt, _is_compatible)
