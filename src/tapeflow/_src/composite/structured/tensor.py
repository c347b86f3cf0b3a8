"""`tf.experimental.StructuredTensor`: tensors of dictionaries, stored by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

from tapeflow._src.composite.extension_types.batching import BatchableExtensionType
from tapeflow._src.composite.ragged.dynamic_shape import DynamicRaggedShape
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.structured import making, paths, pyvals, rebuilding, shapes, show
from tapeflow._src.composite.structured.indexing import get_structured_item
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, ShapeLike


class StructuredTensor(BatchableExtensionType):
    """A tensor whose elements are dictionaries with the same keys.

    For each key it holds one tensor, ragged tensor or structured tensor, whose first axes are
    those of the structured tensor: `st.field_value("age")` has the ages of all elements.

    Args:
        fields: The value of each field.
        ragged_shape: Its shape.

    Example:
        >>> people = tf.experimental.StructuredTensor.from_pyval([{"age": 31}, {"age": 7}])
        >>> people.field_value("age").numpy()
        array([31,  7], dtype=int32)
    """

    __name__ = "tf.StructuredTensor"  # what files call it

    _fields: Mapping[str, Union[RaggedTensor, StructuredTensor, Tensor]]  # noqa: UP007
    _ragged_shape: DynamicRaggedShape

    FieldName = Union[str, Sequence[str]]  # noqa: UP007  a field must be callable to be no field

    class Spec:
        """The spec of a structured tensor."""

        _ragged_shape: Any

        @property
        def shape(self) -> TensorShape:
            return TensorShape(self._ragged_shape._static_lengths())

        @property
        def rank(self) -> int | None:
            rank: int | None = self._ragged_shape.rank
            return rank

    def __init__(self, fields: Mapping[str, Any], ragged_shape: DynamicRaggedShape) -> None:
        self._fields = fields
        self._ragged_shape = ragged_shape

    # -- making ------------------------------------------------------------------------------

    @classmethod
    def from_fields(
        cls,
        fields: Mapping[str, Any],
        shape: ShapeLike = (),
        nrows: Any = None,
        row_partitions: Sequence[RowPartition] | None = None,
        validate: bool = False,
    ) -> StructuredTensor:
        """Create from a value for each field, all of which begin with the axes of `shape`.

        Args:
            fields: A dict from names to tensors, ragged tensors or structured tensors.
            shape: The static shape of the structured tensor.
            nrows: The number of rows, where `shape` leaves it open.
            row_partitions: The partitions of the axes but the last, where `shape` leaves them open.
            validate: Whether to check that the fields have that shape.

        Example:
            >>> points = tf.experimental.StructuredTensor.from_fields({"x": [1, 2]}, shape=[2])
            >>> points.to_pyval()
            [{'x': 1}, {'x': 2}]
        """
        result: StructuredTensor = making.from_fields(
            cls, fields, shape, nrows, row_partitions, validate
        )
        return result

    @classmethod
    def from_fields_and_rank(
        cls, fields: Mapping[str, Any], rank: int, validate: bool = False, dtype: Any = None
    ) -> StructuredTensor:
        """Create from a value for each field; the first `rank` axes are common.

        Args:
            fields: A dict from names to tensors, ragged tensors or structured tensors; not empty.
            rank: The number of axes of the structured tensor.
            validate: Whether to check that the fields have a common shape.
            dtype: The dtype of sizes.
        """
        result: StructuredTensor = making.from_fields_and_rank(cls, fields, rank, validate, dtype)
        return result

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Create without fields.

        Args:
            ragged_shape: A `tf.experimental.DynamicRaggedShape`.
        """
        return cls({}, ragged_shape)

    @classmethod
    def from_pyval(cls, pyval: Any, typespec: Any = None) -> Any:
        """Create from a dictionary, or lists of dictionaries with the same keys.

        Nested lists become ragged tensors. A value without dictionaries becomes a tensor.

        Args:
            pyval: The dictionary or lists.
            typespec: The spec of the result; inferred by default.

        Example:
            >>> tf.experimental.StructuredTensor.from_pyval([{"x": [1, 2]}, {"x": [3]}]).shape
            TensorShape([2])
        """
        return pyvals.from_pyval(cls, pyval, typespec)

    # -- what it is --------------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """The number of axes."""
        rank = self._ragged_shape.rank
        if rank is None:
            raise ValueError("A StructuredTensor must have a known rank.")
        return rank

    @property
    def shape(self) -> TensorShape:
        """The sizes of the axes, as far as they are known and all rows have the same."""
        static_shape = shapes.static_shape(self._ragged_shape)
        if not static_shape.is_fully_defined():
            # A graph may know more of the fields than of the numbers that say the shape.
            for field in self._fields.values():
                static_shape = static_shape.merge_with(field.shape[: static_shape.rank])
        return static_shape

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The rows of all axes but the last, the outermost first."""
        return self._ragged_shape._with_levels(max(0, self.rank - 1)).row_partitions

    def nrows(self) -> Any:
        """Return the size of the first axis; None if there is none."""
        return None if self.rank == 0 else self._ragged_shape[0]

    def field_names(self) -> tuple[str, ...]:
        """Return the names of the fields."""
        return tuple(self._fields)

    def field_value(self, field_name: Any) -> Any:
        """Return the tensor of a field, or of the field at the end of a path of names.

        Args:
            field_name: A name, or a tuple of names.

        Raises:
            KeyError: If there is no such field.
        """
        return paths.field_value(self, field_name)

    def __getitem__(self, key: Any) -> Any:
        """Positions and slices along the axes, then a field's name, then along the field's axes."""
        return get_structured_item(self, key)

    def __repr__(self) -> str:
        return show.text_of(self)

    def to_pyval(self) -> Any:
        """Return the dictionary, or nested lists of dictionaries, that this stands for."""
        return show.to_pyval(self)

    # -- as something else -------------------------------------------------------------------

    def with_updates(self, updates: Mapping[Any, Any], validate: bool = False) -> StructuredTensor:
        """Return the same with some fields changed.

        An update is a new value, a function of the old one, or None to take the field out.

        Args:
            updates: A dict from names, or tuples of names, to updates.
            validate: Whether to check that new values have the shape.

        Example:
            >>> point = tf.experimental.StructuredTensor.from_pyval({"x": 1, "y": 2})
            >>> point.with_updates({"y": None, "z": tf.constant(3)}).to_pyval()
            {'x': np.int32(1), 'z': np.int32(3)}
        """
        updated: StructuredTensor = paths.with_updates(self, updates, validate)
        return updated

    def promote(self, source_path: Any, new_name: str) -> StructuredTensor:
        """Return the same with a field of a field copied to its parent's level, as `new_name`.

        Args:
            source_path: Names that lead to the field, a tuple.
            new_name: The name of the copy.
        """
        promoted: StructuredTensor = paths.promote(self, source_path, new_name)
        return promoted

    def with_shape_dtype(self, dtype: DTypeLike) -> StructuredTensor:
        """Return the same with rows and sizes counted in another dtype.

        Args:
            dtype: int32 or int64.
        """
        changed: StructuredTensor = paths.with_shape_dtype(self, as_dtype(dtype))
        return changed

    def merge_dims(self, outer_axis: int, inner_axis: int) -> StructuredTensor:
        """Return the same with the axes from `outer_axis` to `inner_axis` merged.

        Args:
            outer_axis: The first axis to merge.
            inner_axis: The last axis to merge.
        """
        merged: StructuredTensor = rebuilding.merge_dims(self, outer_axis, inner_axis)
        return merged

    def partition_outer_dimension(self, row_partition: RowPartition) -> StructuredTensor:
        """Return the same with the first axis parted into rows.

        Args:
            row_partition: A partition of as many values as the first axis has.
        """
        parted: StructuredTensor = rebuilding.partition_outer_dimension(self, row_partition)
        return parted
