"""`tf.experimental.BatchableExtensionType`: values that are stacked and unstacked in rows.

How, its batch encoder says: values are encoded as tensors, whose rows stand for the encodings of
rows of the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.elements import batched, unbatched
from tapeflow._src.composite.extension_types.construction import make_object
from tapeflow._src.composite.extension_types.extension_type import ExtensionType
from tapeflow._src.composite.extension_types.specs import ExtensionTypeSpec, make_spec_class
from tapeflow._src.core import nest
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import TypeSpec


class ExtensionTypeBatchEncoder:
    """How values of an extension type are batched: every tensor and shape in their fields is.

    A type for which that is wrong has an encoder of its own, of a subclass, as
    `__batch_encoder__`.
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """Return the spec of `batch_size` values of `spec` along a new first axis.

        Args:
            spec: The spec of a value.
            batch_size: The size of the axis; None if it is unknown.
        """
        return _each_field(
            spec,
            lambda leaf: batched(leaf, batch_size),
            lambda shape: TensorShape([batch_size]).concatenate(shape),
        )

    def unbatch(self, spec: Any) -> Any:
        """Return the spec of one of the values along the first axis.

        Args:
            spec: The spec of a batch.
        """
        return _each_field(spec, unbatched, lambda shape: shape[1:])

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """Return a structure of tensors and batchable composites that stands for `value`.

        Args:
            spec: The spec of the value.
            value: The value.
            minimum_rank: How many axes they must have at least, all of the same sizes.
        """
        return spec._to_components(value)

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """Return the value that an encoding, or several put together, or a part of one, stands for.

        Args:
            spec: The spec of the value.
            encoded_value: Tensors as `encode` returns them.
        """
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec: Any) -> Any:
        """Return the specs of encoded values.

        Args:
            spec: The spec of a value.
        """
        return spec._component_specs


def _each_field(
    spec: Any, of_spec: Callable[[Any], Any], of_shape: Callable[[Any], TensorShape]
) -> Any:
    """Return the spec with other specs and shapes in its fields."""

    def changed(leaf: Any) -> Any:
        if isinstance(leaf, TensorShape):
            return of_shape(leaf)
        return of_spec(leaf) if isinstance(leaf, TypeSpec) else leaf

    return make_object(type(spec), nest.map_structure(changed, spec.__dict__))


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The spec of a batchable extension type."""

    __batch_encoder__: Any = ExtensionTypeBatchEncoder()

    def _batch(self, batch_size: int | None) -> Any:
        return self.__batch_encoder__.batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self.__batch_encoder__.unbatch(self)


class BatchableExtensionType(ExtensionType, abstract=True):
    """An extension type whose values can be batched: by datasets, `tf.map_fn` and Keras.

    Example:
        >>> class Pair(tf.experimental.BatchableExtensionType):
        ...     left: tf.Tensor
        ...     right: tf.Tensor
        >>> pairs = Pair(tf.constant([1, 2]), tf.constant([10, 20]))
        >>> tf.map_fn(lambda p: p.left + p.right, pairs, fn_output_signature=tf.int32).numpy()
        array([11, 22], dtype=int32)
    """

    @classmethod
    def _tf_extension_type_make_spec(cls) -> None:
        encoder = getattr(cls, "__batch_encoder__", None)
        own = {} if encoder is None else {"__batch_encoder__": encoder}
        make_spec_class(cls, BatchableExtensionTypeSpec, own)
