"""Members of variables that read and update some rows or slices: scatter and gather."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.ops.array.gather_nd import gather_nd
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.state import variables as state
from tapeflow._src.ops.state.slices import resource_gather


class RowUpdates:
    """The part of `Variable` that reads and updates rows and slices."""

    _dtype: Any
    _handle: Any
    _itself: Any

    def _unread(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not return itself.")

    def value(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not return its value.")

    def _scatter(self, op: Any, sparse_delta: Any) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta must be tf.IndexedSlices, received {sparse_delta!r}.")
        values = dispatch.convert(sparse_delta.values, self._dtype)
        op(self._handle, sparse_delta.indices, values)
        return self._unread()

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Add values to rows: `variable[indices[i]] += values[i]`.

        Rows that are listed more than once receive every addition.

        Args:
            sparse_delta: `tf.IndexedSlices` with the indices of the rows and their values.
            use_locking: Accepted for compatibility; updates are always atomic.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is something else.

        Example:
            >>> v = tf.Variable([[1, 1], [2, 2], [3, 3]])
            >>> delta = tf.IndexedSlices(values=tf.constant([[10, 20]]), indices=tf.constant([2]))
            >>> v.scatter_add(delta).numpy()
            array([[ 1,  1],
                   [ 2,  2],
                   [13, 23]], dtype=int32)
        """
        return self._scatter(state.resource_scatter_add, sparse_delta)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Subtract values from rows: `variable[indices[i]] -= values[i]`.

        Args:
            sparse_delta: `tf.IndexedSlices` with the indices of the rows and their values.
            use_locking: Accepted for compatibility; updates are always atomic.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is something else.

        Example:
            >>> v = tf.Variable([1, 2, 3])
            >>> delta = tf.IndexedSlices(values=tf.constant([1, 1]), indices=tf.constant([0, 2]))
            >>> v.scatter_sub(delta).numpy()
            array([0, 2, 2], dtype=int32)
        """
        return self._scatter(state.resource_scatter_sub, sparse_delta)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Multiply rows by values: `variable[indices[i]] *= values[i]`.

        Args:
            sparse_delta: `tf.IndexedSlices` with the indices of the rows and their factors.
            use_locking: Accepted for compatibility; updates are always atomic.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is something else.

        Example:
            >>> v = tf.Variable([1, 2, 3])
            >>> delta = tf.IndexedSlices(values=tf.constant([10]), indices=tf.constant([1]))
            >>> v.scatter_mul(delta).numpy()
            array([ 1, 20,  3], dtype=int32)
        """
        return self._scatter(state.resource_scatter_mul, sparse_delta)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Divide rows by values: `variable[indices[i]] /= values[i]`.

        Args:
            sparse_delta: `tf.IndexedSlices` with the indices of the rows and their divisors.
            use_locking: Accepted for compatibility; updates are always atomic.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is something else.

        Example:
            >>> v = tf.Variable([1.0, 2.0, 3.0])
            >>> delta = tf.IndexedSlices(values=tf.constant([4.0]), indices=tf.constant([1]))
            >>> v.scatter_div(delta).numpy()
            array([1. , 0.5, 3. ], dtype=float32)
        """
        return self._scatter(state.resource_scatter_div, sparse_delta)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Raise rows to at least the values: `variable[j] = max(variable[j], values[i])`.

        Args:
            sparse_delta: `tf.IndexedSlices` with the indices `j` of the rows and the values.
            use_locking: Accepted for compatibility; updates are always atomic.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is something else.

        Example:
            >>> v = tf.Variable([1, 5, 3])
            >>> delta = tf.IndexedSlices(values=tf.constant([4, 4]), indices=tf.constant([0, 1]))
            >>> v.scatter_max(delta).numpy()
            array([4, 5, 3], dtype=int32)
        """
        return self._scatter(state.resource_scatter_max, sparse_delta)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Lower rows to at most the values: `variable[j] = min(variable[j], values[i])`.

        Args:
            sparse_delta: `tf.IndexedSlices` with the indices `j` of the rows and the values.
            use_locking: Accepted for compatibility; updates are always atomic.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is something else.

        Example:
            >>> v = tf.Variable([1, 5, 3])
            >>> delta = tf.IndexedSlices(values=tf.constant([4, 4]), indices=tf.constant([0, 1]))
            >>> v.scatter_min(delta).numpy()
            array([1, 4, 3], dtype=int32)
        """
        return self._scatter(state.resource_scatter_min, sparse_delta)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Replace rows: `variable[indices[i]] = values[i]`.

        Args:
            sparse_delta: `tf.IndexedSlices` with the indices of the rows and their new values.
            use_locking: Accepted for compatibility; updates are always atomic.

        Returns:
            The variable.

        Raises:
            TypeError: If `sparse_delta` is something else.

        Example:
            >>> v = tf.Variable([1, 2, 3])
            >>> delta = tf.IndexedSlices(values=tf.constant([9]), indices=tf.constant([0]))
            >>> v.scatter_update(delta).numpy()
            array([9, 2, 3], dtype=int32)
        """
        return self._scatter(state.resource_scatter_update, sparse_delta)

    def _scatter_nd(self, op: Any, indices: Any, updates: Any) -> Any:
        op(self._handle, indices, dispatch.convert(updates, self._dtype))
        return self._unread()

    def scatter_nd_add(self, indices: Any, updates: Any, name: Any = None) -> Any:
        """Add to the slices at the coordinates `indices`.

        Args:
            indices: Integer tensor of shape (..., k): each row addresses a slice by its first k
                axes.
            updates: Values of shape `indices.shape[:-1] + variable.shape[k:]`.

        Returns:
            The variable.

        Example:
            >>> v = tf.Variable([[1, 2], [3, 4]])
            >>> v.scatter_nd_add([[0, 1], [1, 0]], [10, 20]).numpy()
            array([[ 1, 12],
                   [23,  4]], dtype=int32)
        """
        return self._scatter_nd(state.resource_scatter_nd_add, indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: Any = None) -> Any:
        """Subtract from the slices at the coordinates `indices`.

        Args:
            indices: Integer tensor of shape (..., k): each row addresses a slice by its first k
                axes.
            updates: Values of shape `indices.shape[:-1] + variable.shape[k:]`.

        Returns:
            The variable.

        Example:
            >>> v = tf.Variable([1, 2, 3])
            >>> v.scatter_nd_sub([[0], [2]], [1, 1]).numpy()
            array([0, 2, 2], dtype=int32)
        """
        return self._scatter_nd(state.resource_scatter_nd_sub, indices, updates)

    def scatter_nd_update(self, indices: Any, updates: Any, name: Any = None) -> Any:
        """Replace the slices at the coordinates `indices`.

        Args:
            indices: Integer tensor of shape (..., k): each row addresses a slice by its first k
                axes.
            updates: Values of shape `indices.shape[:-1] + variable.shape[k:]`.

        Returns:
            The variable.

        Example:
            >>> v = tf.Variable([1, 2, 3])
            >>> v.scatter_nd_update([[0], [2]], [7, 9]).numpy()
            array([7, 2, 9], dtype=int32)
        """
        return self._scatter_nd(state.resource_scatter_nd_update, indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: Any = None) -> Any:
        """Take the maximum of the slices at the coordinates `indices` and the updates.

        Args:
            indices: Integer tensor of shape (..., k): each row addresses a slice by its first k
                axes.
            updates: Values of shape `indices.shape[:-1] + variable.shape[k:]`.

        Returns:
            The variable.

        Example:
            >>> v = tf.Variable([1, 2, 3])
            >>> v.scatter_nd_max([[0], [2]], [2, 2]).numpy()
            array([2, 2, 3], dtype=int32)
        """
        return self._scatter_nd(state.resource_scatter_nd_max, indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: Any = None) -> Any:
        """Take the minimum of the slices at the coordinates `indices` and the updates.

        Args:
            indices: Integer tensor of shape (..., k): each row addresses a slice by its first k
                axes.
            updates: Values of shape `indices.shape[:-1] + variable.shape[k:]`.

        Returns:
            The variable.

        Example:
            >>> v = tf.Variable([1, 2, 3])
            >>> v.scatter_nd_min([[0], [2]], [2, 2]).numpy()
            array([1, 2, 2], dtype=int32)
        """
        return self._scatter_nd(state.resource_scatter_nd_min, indices, updates)

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Return some rows of the variable, as `tf.gather` does; the gradient is sparse.

        Args:
            indices: Integer tensor with the indices of the rows.

        Returns:
            A tensor of shape `indices.shape + variable.shape[1:]`.

        Example:
            >>> v = tf.Variable([[1, 2], [3, 4], [5, 6]])
            >>> v.sparse_read([2, 0]).numpy()
            array([[5, 6],
                   [1, 2]], dtype=int32)
        """
        if dispatch.state.recorders:
            variable = self._itself()
            dispatch.variable_accessed(self if variable is None else variable)
        return resource_gather(self._handle, indices, dtype=self._dtype, name=name)

    def gather_nd(self, indices: Any, name: str | None = None) -> Any:
        """Return the slices at the coordinates `indices`.

        Args:
            indices: Integer tensor of shape (..., k): each row addresses a slice by its first k
                axes.

        Returns:
            A tensor of shape `indices.shape[:-1] + variable.shape[k:]`.

        Example:
            >>> v = tf.Variable([[1, 2], [3, 4]])
            >>> v.gather_nd([[0, 1], [1, 0]]).numpy()
            array([2, 3], dtype=int32)
        """
        return gather_nd(self.value(), indices)
