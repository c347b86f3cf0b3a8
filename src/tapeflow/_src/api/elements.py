"""Elements of datasets: nested structures of values, and their flat list of component tensors.

A structure consists of tuples, mappings and named tuples; a list is a leaf, namely a tensor. The
spec of a leaf says which component tensors represent it: a ragged tensor is represented by a
variant, a sparse one by three strings, so that elements of any kind can be batched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from tapeflow._src.api.type_specs import NoneTensorSpec, type_spec_from_value
from tapeflow._src.composite.ragged.tensor import RaggedTensor, RaggedTensorSpec
from tapeflow._src.composite.ragged.variants import (
    ragged_tensor_from_variant,
    ragged_tensor_to_variant,
)
from tapeflow._src.composite.sparse_tensor import (
    SparseTensor,
    SparseTensorSpec,
    SparseTensorValue,
)
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.containers import PLAIN
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.shape import TensorShape, as_dims
from tapeflow._src.core.spec import Spec, TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import ShapeLike, TensorLike
from tapeflow._src.eager.variable import Variable

_io_tensors = LazyModule("tapeflow._src.ops.io.tensors", "sparse elements")


def as_element(value: TensorLike) -> Any:
    """Convert every leaf of `value` to a tensor, a value that has a spec, or None."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if isinstance(value, tuple | Mapping) or hasattr(type(value), "__attrs_attrs__"):
        container = PLAIN[type(value)]
        if container is not None:
            return container.rebuild(value, [as_element(v) for v in container.children(value)])
    if value is None or isinstance(value, Tensor) or has_spec(value):
        return value
    return dispatch.convert(value)


def has_spec(value: TensorLike) -> bool:
    """Whether a value that is not a tensor has a type spec."""
    return not isinstance(value, Variable) and isinstance(
        getattr(value, "_type_spec", None), TypeSpec
    )


def spec_of(element: Any) -> Any:
    """Return the structure of specs of an element."""
    return nest.map_structure(type_spec_from_value, element)


class Layout:
    """How elements of one spec are laid out as a flat list of tensors.

    `tensors` are the specs of the tensors, in order; `plain` says that the leaves are just these.
    """

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self._leaves: list[TypeSpec] = nest.flatten(spec)
        self.plain = all(type(leaf) is TensorSpec for leaf in self._leaves)
        self.tensors: list[Any] = [t for leaf in self._leaves for t in _component_specs(leaf)]

    @staticmethod
    def of(element: Any) -> Layout:
        """Return the layout of an element."""
        return Layout(spec_of(element))

    @property
    def types(self) -> list[DType]:
        """The dtypes of the tensors."""
        return [spec.dtype for spec in self.tensors]

    @property
    def shapes(self) -> list[Any]:
        """The shapes of the tensors, as plain tuples."""
        return [as_dims(spec.shape) for spec in self.tensors]

    @property
    def carried(self) -> list[Any]:
        """The specs of what the tensors represent: ragged and sparse tensors, or themselves."""
        return [spec for leaf in self._leaves for spec in _carried_specs(leaf)]

    def flatten(self, element: Any) -> list[Any]:
        """Flatten an element to its component tensors."""
        parts = nest.flatten_up_to(self.spec, element, check_types=False)
        return [t for leaf, part in zip(self._leaves, parts) for t in _carry(leaf, part)]

    def flatten_rows(self, element: Any) -> list[Any]:
        """Flatten an element to tensors whose rows represent the rows of the element."""
        parts = nest.flatten_up_to(self.spec, element, check_types=False)
        return [t for leaf, part in zip(self._leaves, parts) for t in _carry(leaf, part, rows=True)]

    @cached_property
    def pack(self) -> Callable[[Sequence[Any]], Any]:
        """Return the function that packs component tensors into an element."""
        spec = self.spec
        if not self.plain:
            return self._pack_leaves
        if isinstance(spec, TensorSpec):
            return _first
        if type(spec) is tuple and all(isinstance(part, TensorSpec) for part in spec):
            return tuple
        return lambda tensors: nest.pack_sequence_as(spec, tensors)

    def _pack_leaves(self, tensors: Sequence[Any]) -> Any:
        remaining: Iterator[Any] = iter(tensors)
        return nest.map_structure(lambda leaf: _carried(leaf, remaining), self.spec)

    def batched(self, size: int | None) -> Any:
        """Return the spec of a batch of `size` elements, or of an unknown number."""
        return nest.map_structure(lambda leaf: batched(leaf, size), self.spec)

    def unbatched(self) -> Any:
        """Return the spec of one element of a batch."""
        return nest.map_structure(unbatched, self.spec)


def _first(tensors: Sequence[Any]) -> Any:
    return tensors[0]


# -- leaves -----------------------------------------------------------------------------------


def _component_specs(leaf: Any) -> list[Any]:
    """Return the specs of the component tensors of a leaf."""
    if isinstance(leaf, RaggedTensorSpec):
        return [TensorSpec(None, dtypes.variant)]
    if isinstance(leaf, SparseTensorSpec):
        return [TensorSpec(None, dtypes.string)]
    encoder = encoder_of(leaf)
    if encoder is None:
        return leaf.flatten()
    return [
        t for part in nest.flatten(encoder.encoding_specs(leaf)) for t in _component_specs(part)
    ]


def _carried_specs(leaf: Any) -> list[Any]:
    """Return the spec that each of the component tensors of a leaf represents."""
    encoder = encoder_of(leaf)
    if encoder is not None:
        parts = nest.flatten(encoder.encoding_specs(leaf))
        return [spec for part in parts for spec in _carried_specs(part)]
    return [leaf] if isinstance(leaf, RaggedTensorSpec | SparseTensorSpec) else leaf.flatten()


def encoder_of(leaf: Any) -> Any:
    """Return the batch encoder of a spec that defines its own, else None."""
    return getattr(leaf, "__batch_encoder__", None)


def _carry(leaf: Any, value: Any, rows: bool = False) -> list[Any]:
    """Return the component tensors of a value; with `rows`, those whose rows represent its rows."""
    encoder = encoder_of(leaf)
    if encoder is not None:
        specs = encoder.encoding_specs(leaf)
        encoded = nest.flatten_up_to(specs, encoder.encode(leaf, value, int(rows)))
        pairs = zip(nest.flatten(specs), encoded, strict=True)
        return [t for spec, part in pairs for t in _carry(spec, part, rows)]
    if isinstance(leaf, SparseTensorSpec):
        write = _io_tensors.serialize_many_sparse if rows else _io_tensors.serialize_sparse
        return [write(value.indices, value.values, value.dense_shape)]
    if not isinstance(leaf, RaggedTensorSpec):
        return leaf.to_tensors(value)
    if not leaf.ragged_rank:
        return [dispatch.convert(value) if rows else _ragged((), value, False)]
    return [_ragged(value.nested_row_splits, value.flat_values, rows)]


def carried_sparse(indices: TensorLike, values: TensorLike, shape: ShapeLike) -> Any:
    """Return the array that represents a sparse tensor of these arrays."""
    return _io_tensors.serialize_sparse.body(None, indices, values, shape, out_type=dtypes.string)


def _ragged(splits: Sequence[Any], values: TensorLike, rows: bool) -> Any:
    return ragged_tensor_to_variant(splits, values, batched_input=rows)


def _carried(leaf: Any, tensors: Iterator[Any]) -> Any:
    """Return the value that the next of `tensors` represent."""
    encoder = encoder_of(leaf)
    if encoder is not None:
        specs = encoder.encoding_specs(leaf)
        return encoder.decode(leaf, nest.map_structure(lambda s: _carried(s, tensors), specs))
    if isinstance(leaf, SparseTensorSpec):
        parts = _io_tensors.deserialize_sparse(next(tensors), dtype=leaf.dtype)
        value = SparseTensor(*parts)
        value.set_shape(leaf.shape)
        return value
    if not isinstance(leaf, RaggedTensorSpec):
        return leaf.from_tensors(tensors)
    *splits, values = ragged_tensor_from_variant(
        next(tensors),
        input_ragged_rank=-1,
        output_ragged_rank=leaf.ragged_rank,
        Tvalues=leaf.dtype,
        Tsplits=leaf.row_splits_dtype,
    )
    if leaf.shape.rank is not None:
        inner = leaf.shape[leaf.ragged_rank + 1 :]
        values.set_shape(TensorShape([None]).concatenate(inner) if splits else leaf.shape)
    return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def batched(leaf: Any, size: int | None) -> Any:
    """Return the spec of values stacked along a new first axis."""
    match leaf:
        case TensorSpec():
            return TensorSpec(TensorShape([size]).concatenate(leaf.shape), leaf.dtype)
        case NoneTensorSpec():
            return leaf
        case RaggedTensorSpec():
            shape = TensorShape([size]).concatenate(leaf.shape)
            return _ragged_spec(leaf, shape, leaf.ragged_rank + 1)
        case SparseTensorSpec():
            return SparseTensorSpec(TensorShape([size]).concatenate(leaf.shape), leaf.dtype)
    make = getattr(leaf, "_batch", None)
    if make is None:
        raise ValueError(f"Elements with {leaf} cannot be put together in a batch.")
    return make(size)


def unbatched(leaf: Any) -> Any:
    """Return the spec of the values along the first axis."""
    match leaf:
        case TensorSpec():
            if leaf.shape.rank == 0:
                raise ValueError("Unbatching needs elements of rank 1 or more, received a scalar")
            return TensorSpec(leaf.shape[1:], leaf.dtype)
        case NoneTensorSpec():
            return leaf
        case RaggedTensorSpec() if leaf.ragged_rank:
            return _ragged_spec(leaf, leaf.shape[1:], leaf.ragged_rank - 1)
        case SparseTensorSpec():
            if leaf.shape.rank is not None and leaf.shape.rank < 2:
                raise ValueError(f"Slices of a sparse tensor need two axes, got {leaf}.")
            rest = leaf.shape if leaf.shape.rank is None else leaf.shape[1:]
            return SparseTensorSpec(rest, leaf.dtype)
    make = getattr(leaf, "_unbatch", None)
    if make is None:
        raise ValueError(f"A value of {leaf} cannot be taken apart along its first axis.")
    return make()


def _ragged_spec(like: RaggedTensorSpec, shape: ShapeLike, ragged_rank: int) -> RaggedTensorSpec:
    return RaggedTensorSpec(shape, like.dtype, ragged_rank, like.row_splits_dtype)


def common_spec(a: TensorLike, b: TensorLike) -> Any:
    """Return the most specific spec compatible with both, or None."""
    try:
        nest.assert_same_structure(a, b)
    except (TypeError, ValueError):
        return None
    leaves = [
        x.most_specific_common_supertype([y])
        for x, y in zip(nest.flatten(a), nest.flatten(b), strict=True)
    ]
    return None if None in leaves else nest.pack_sequence_as(a, leaves)


def described_specs(output_types: Any, output_shapes: Any) -> tuple[Spec, ...]:
    """Infer the outputs of ops that return an element described by their attributes."""
    return tuple(Spec(as_dims(dims), as_dtype(t)) for t, dims in zip(output_types, output_shapes))
