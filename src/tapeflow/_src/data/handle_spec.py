"""`HandleSpec`: base of specs whose values are one tensor and an element spec.

Functions are called with datasets and iterators repeatedly, and their specs are cache keys: what
every call needs is cached.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.structure_protos import decode, encode, register_spec
from tapeflow._src.core import protos
from tapeflow._src.core.spec import TypeSpec


class HandleSpec(TypeSpec):
    """A spec with a cached hash that knows where the tensor of a value is.

    `number` is that of the class in TensorFlow's messages of specs.
    """

    __slots__ = ("_element_spec", "_hash")

    # The attribute that holds the tensor.
    _tensor_name = ""

    def __init_subclass__(cls, number: int | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if number is not None:
            register_spec(number, cls)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec
        self._hash: int | None = None

    @property
    def element_spec(self) -> Any:
        """The spec of an element."""
        return self._element_spec

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    def to_tensors(self, value: Any) -> list[Any]:
        """Return the tensor of a value, in a list.

        Args:
            value: A dataset or iterator.
        """
        return [getattr(value, self._tensor_name)]

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Return the message class that specs of handles are serialised as."""
        return protos.TypeSpecProto

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> Any:
        """Return the spec of a message.

        Args:
            proto: A TypeSpecProto message.
        """
        return decode(protos.StructuredValue(type_spec_value=proto))

    def experimental_as_proto(self) -> Any:
        """Return the spec as a TypeSpecProto message."""
        return encode(self).type_spec_value

    def _to_components(self, value: Any) -> Any:
        return getattr(value, self._tensor_name)
