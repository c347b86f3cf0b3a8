"""Encode nested Python values and specs as StructuredValue messages, and decode them.

Only plain values, the specs of tensors and composites, and registered specs are supported: decoding
runs no code from the file.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeflow._src.composite.extension_types.names import class_of, name_of, register
from tapeflow._src.composite.ragged.dynamic_shape import DynamicRaggedShapeSpec
from tapeflow._src.composite.ragged.row_partition import RowPartitionSpec
from tapeflow._src.composite.ragged.tensor import RaggedTensorSpec
from tapeflow._src.composite.sparse_tensor import SparseTensorSpec
from tapeflow._src.composite.tensor_array import TensorArraySpec
from tapeflow._src.core import protos
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.protos.values import (
    set_shape,
    shape_from_proto,
    tensor_from_proto,
    tensor_to_proto,
)
from tapeflow._src.core.shape import TensorShape, as_dims
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.function.variable_type import VariableSpec
from tapeflow._src.ops.indexed_slices import IndexedSlicesSpec

# By the numbers that files have for them.
_SPECS: dict[int, Any] = {
    1: SparseTensorSpec,
    2: IndexedSlicesSpec,
    3: RaggedTensorSpec,
    4: TensorArraySpec,
    9: VariableSpec,
    10: RowPartitionSpec,
}
_EXTENSION_TYPE = 13
_NUMBERS = {cls: number for number, cls in _SPECS.items()}
_structured = LazyModule("tapeflow._src.composite.structured")
register("tf.DynamicRaggedShape.Spec", DynamicRaggedShapeSpec)
_SCALARS = {bool: "bool_value", int: "int64_value", float: "float64_value", str: "string_value"}


def register_spec(number: int, cls: Any) -> None:
    """Register a spec class under its number in TensorFlow's `TypeSpecProto`."""
    _SPECS[number] = cls
    _NUMBERS[cls] = number


class NotEncodable(TypeError):
    """Raised for a value that has no StructuredValue encoding."""


def encode(value: Any) -> Any:
    """Encode a value; raise NotEncodable if part of it has no encoding."""
    message = protos.StructuredValue()
    _write(message, value)
    return message


def can_encode(value: TensorLike) -> bool:
    """Whether `encode` would succeed."""
    try:
        encode(value)
    except NotEncodable:
        return False
    return True


def _write(message: Any, value: TensorLike) -> None:
    kind = _SCALARS.get(type(value))
    if value is None:
        message.none_value.SetInParent()
    elif kind is not None:
        setattr(message, kind, value)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        message.named_tuple_value.name = type(value).__name__
        for name, item in zip(value._fields, value):
            _write(message.named_tuple_value.values.add(key=name).value, item)
    elif isinstance(value, (list, tuple)):
        target = message.list_value if isinstance(value, list) else message.tuple_value
        target.SetInParent()
        for item in value:
            _write(target.values.add(), item)
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        message.dict_value.SetInParent()
        for key, item in value.items():
            _write(message.dict_value.fields[key], item)
    else:
        _write_value(message, value)


def _write_value(message: Any, value: TensorLike) -> None:
    """Encode values of the library's own types."""
    match value:
        case TensorShape():
            set_shape(message.tensor_shape_value, as_dims(value))
        case DType():
            message.tensor_dtype_value = value.as_datatype_enum
        case TensorSpec():
            spec = message.tensor_spec_value
            spec.name, spec.dtype = value.name or "", value.dtype.as_datatype_enum
            set_shape(spec.shape, as_dims(value.shape))
        case TypeSpec() if type(value) in _NUMBERS:
            _write_spec(message.type_spec_value, value, _NUMBERS[type(value)])
        case TypeSpec() if name_of(type(value)) is not None:
            _write_spec(message.type_spec_value, value, _EXTENSION_TYPE)
            message.type_spec_value.type_spec_class_name = name_of(type(value))
        case EagerTensor() if value.dtype.is_numpy_compatible:
            message.tensor_value.CopyFrom(tensor_to_proto(value._array, value.dtype))
        case np.ndarray() | np.generic():
            array = np.asarray(value)
            message.numpy_value.CopyFrom(tensor_to_proto(array, as_dtype(array.dtype)))
        case _:
            raise NotEncodable(
                f"{value!r} (a {type(value).__name__}) cannot be stored in a file: only plain "
                f"values, tensors and specs can."
            )


def _write_spec(message: Any, spec: Any, number: int) -> None:
    message.type_spec_class = number
    message.type_spec_class_name = type(spec).__name__
    message.num_flat_components = len(spec.flatten())
    _write(message.type_state, spec._serialize())


def decode(message: Any) -> Any:
    """Decode a message."""
    kind = message.WhichOneof("kind")
    if kind is None or kind == "none_value":
        return None
    value = getattr(message, kind)
    match kind:
        case "list_value":
            return [decode(item) for item in value.values]
        case "tuple_value":
            return tuple([decode(item) for item in value.values])
        case "dict_value":
            return {key: decode(value.fields[key]) for key in sorted(value.fields)}
        case "named_tuple_value":
            cls = namedtuple(value.name, [pair.key for pair in value.values])  # type: ignore[misc]
            return cls(*(decode(pair.value) for pair in value.values))
        case "tensor_shape_value":
            return TensorShape(shape_from_proto(value))
        case "tensor_dtype_value":
            return as_dtype(value)
        case "tensor_spec_value" | "bounded_tensor_spec_value":
            shape = TensorShape(shape_from_proto(value.shape))
            return TensorSpec(shape, as_dtype(value.dtype), value.name or None)
        case "type_spec_value":
            return _spec(value)
        case "tensor_value":
            return EagerTensor(tensor_from_proto(value))
        case "numpy_value":
            return tensor_from_proto(value)
    return value


def _spec(message: Any) -> Any:
    cls: Any = _SPECS.get(message.type_spec_class)
    if message.type_spec_class == _EXTENSION_TYPE:
        name = message.type_spec_class_name
        if name == "tf.StructuredTensor.Spec":
            cls = _structured.StructuredTensor.Spec
        else:
            cls = class_of(name)
    if cls is None:
        raise NotImplementedError(
            f"A {message.type_spec_class_name} is not known here: only the specs "
            f"{', '.join(sorted(each.__name__ for each in _SPECS.values()))} are, and those of "
            f"extension types whose classes, with the same `__name__`, are defined before loading."
        )
    state = decode(message.type_state)
    try:
        return cls._deserialize(state)
    except (TypeError, LookupError, AttributeError) as error:
        raise ValueError(f"No {cls.__name__} can be made of {state!r}: {error}") from error
