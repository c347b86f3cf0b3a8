"""Members of variables from TensorFlow 1: protos, sessions, counters, batches of scatters."""

from __future__ import annotations

from typing import Any, NoReturn

from tapeflow._src.core import dispatch, protos
from tapeflow._src.core.default_session import session_for
from tapeflow._src.core.shape import TensorShape, as_dims
from tapeflow._src.core.types import ShapeLike
from tapeflow._src.eager.tensor import Placed
from tapeflow._src.ops.array.common import broadcast_to, pack, range_, reshape, scalar_int, shape_of
from tapeflow._src.ops.array.shape import static_ints
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.state import variables as state


def _not_eager() -> RuntimeError:
    return RuntimeError(
        "This method of graph variables needs a tf.compat.v1 graph; outside of one, variables "
        "hold their value directly."
    )


class SaveSliceInfo:
    """The slice of a larger variable that a variable holds: its offset and shape."""

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Any = None,
        var_offset: Any = None,
        var_shape: Any = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            message = save_slice_info_def
            full_name, full_shape = message.full_name, list(message.full_shape)
            var_offset, var_shape = list(message.var_offset), list(message.var_shape)
            if import_scope:
                full_name = f"{import_scope}/{full_name}"
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The slice as checkpoints write it: the full shape, then `start,length` of each axis."""
        full = " ".join(str(size) for size in self.full_shape)
        pairs = zip(self.var_offset, self.var_shape)
        return f"{full} " + ":".join(f"{start},{size}" for start, size in pairs)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the slice as a SaveSliceInfoDef message."""
        return protos.SaveSliceInfoDef(
            full_name=self.full_name,
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )


class LegacyMembers(Placed):
    """The part of `Variable` with members of TensorFlow 1."""

    SaveSliceInfo = SaveSliceInfo

    _cell: Any
    _declared: Any
    _dtype: Any
    _handle: Any
    _shape: TensorShape

    @property
    def name(self) -> str:
        raise NotImplementedError(f"{type(self).__name__} does not say its name.")

    @property
    def trainable(self) -> bool:
        raise NotImplementedError(f"{type(self).__name__} does not say whether it is trained.")

    # -- sessions ----------------------------------------------------------------------------

    def eval(self, session: Any = None) -> Any:
        """Return the value in a session, as a NumPy array.

        Args:
            session: The session; by default the one whose `with` block is open.

        Raises:
            RuntimeError: If the variable was not created in a `tf.compat.v1` graph.
        """
        if self._declared is None:
            raise _not_eager()
        task = f"evaluate variable {self.name}"
        return session_for(session, task, "eval").run(self)

    def load(self, value: Any, session: Any = None) -> None:
        """Assign a value, in a session for a graph's variable.

        Args:
            value: The new value, of the variable's dtype and shape.
            session: The session of a graph's variable; unused for other variables.

        Example:
            >>> v = tf.Variable(1.0)
            >>> v.load(2.0)
            >>> float(v)
            2.0
        """
        if self._declared is None:
            self.assign(value)  # type: ignore[attr-defined]
            return
        task = f"load variable {self.name}"
        fed = {self._declared.initial_value: value}
        session_for(session, task, "run").run(self._declared.initializer, fed)

    @property
    def initial_value(self) -> Any:
        if self._declared is None:
            raise RuntimeError(
                "initial_value is kept in tf.compat.v1 graphs only; outside of one, use the "
                "variable's value."
            )
        return self._declared.initial_value

    @property
    def create(self) -> Any:
        """The operation that initializes a graph's variable."""
        if self._declared is None:
            raise _not_eager()
        return self._declared.initializer

    def initialized_value(self) -> NoReturn:
        """Raise: removed in TensorFlow 2 as well."""
        raise NotImplementedError(
            "initialized_value() is not there: a variable has its value when it is made, and the "
            "initial_value of a graph's variable is a tensor that can be used."
        )

    # -- protos ------------------------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return a graph's variable as a VariableDef message; None outside `export_scope`.

        Args:
            export_scope: Name scope to strip from the names in the message.

        Raises:
            RuntimeError: If the variable was not created in a `tf.compat.v1` graph.
        """
        if self._declared is None:
            raise _not_eager()
        if export_scope is not None and not self.name.startswith(export_scope):
            return None

        def plain(name: str) -> str:
            return name if export_scope is None else name.removeprefix(f"{export_scope}/")

        return protos.VariableDef(
            variable_name=plain(self.name),
            initializer_name=plain(self._declared.initializer.name),
            snapshot_name=plain(self._declared.value.name),
            initial_value_name=plain(self._declared.initial_value.name),
            is_resource=True,
            trainable=self.trainable,
        )

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> NoReturn:
        """Raise: removed in TensorFlow 2 as well.

        Args:
            variable_def: A VariableDef message.
            import_scope: Name scope for the variable.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "Variable.from_proto() is not there: tf.train.Checkpoint and tf.saved_model save and "
            "restore variables."
        )

    # -- values ------------------------------------------------------------------------------

    def read_value_no_copy(self) -> Any:
        """Return the current value as a tensor, without a copy."""
        return self.value()  # type: ignore[attr-defined]

    def set_shape(self, shape: ShapeLike) -> None:
        """Refine the static shape: unknown dimensions become those of `shape`.

        Args:
            shape: A shape that is compatible with the static shape.

        Raises:
            ValueError: If the shapes are incompatible.

        Example:
            >>> v = tf.Variable([[1.0, 2.0]], shape=tf.TensorShape([None, 2]))
            >>> v.set_shape([1, 2])
            >>> v.shape
            TensorShape([1, 2])
        """
        merged = self._shape.merge_with(shape)
        self._shape = merged
        self._cell.shape = as_dims(merged)

    def count_up_to(self, limit: int) -> Any:
        """Return the current value and increment it, up to `limit`.

        Args:
            limit: The value at which counting stops.

        Returns:
            The value before the increment: a scalar tensor.

        Raises:
            tf.errors.OutOfRangeError: If the value is `limit` already.

        Example:
            >>> v = tf.Variable(0)
            >>> v.count_up_to(2).numpy(), v.numpy()
            (np.int32(0), np.int32(1))
        """
        return state.resource_count_up_to(self._handle, limit=limit, T=self._dtype)

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replace slices: each row of the indices refers to a row of the variable.

        `variable[i, ..., indices[i, ..., j]] = values[i, ..., j]`.

        Args:
            sparse_delta: `tf.IndexedSlices` with indices of shape (batch..., n) and values of shape
                (batch..., n, ...).
            use_locking: Accepted for compatibility; updates are always atomic.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is something else.
            ValueError: If the rank of its indices is unknown.

        Example:
            >>> v = tf.Variable([[0, 0, 0], [0, 0, 0]])
            >>> delta = tf.IndexedSlices(tf.constant([[5], [6]]), indices=tf.constant([[0], [2]]))
            >>> v.batch_scatter_update(delta).numpy()
            array([[5, 0, 0],
                   [0, 0, 6]], dtype=int32)
        """
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta must be tf.IndexedSlices, received {sparse_delta!r}.")
        indices = dispatch.convert(sparse_delta.indices)
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("batch_scatter_update needs indices of known rank.")
        sizes = shape_of(indices)
        coordinates = []
        for axis in range(rank - 1):
            along = static_ints(tuple(-1 if at == axis else 1 for at in range(rank)))
            count = range_(scalar_int(0), sizes[axis], scalar_int(1))
            row = cast(reshape(count, along), DstT=indices.dtype)
            coordinates.append(broadcast_to(row, sizes))
        where = pack([*coordinates, indices], axis=-1)
        return self.scatter_nd_update(where, sparse_delta.values)  # type: ignore[attr-defined]
