"""`as_numpy_iterator`: iterate over NumPy values; the position can be saved."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.sparse.functions import to_dense
from tapeflow._src.api.type_specs import NoneTensorSpec
from tapeflow._src.composite.ragged.tensor import RaggedTensor, RaggedTensorSpec
from tapeflow._src.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.data.iterator import walk_of
from tapeflow._src.data.recipe import DatasetLike
from tapeflow._src.eager.tensor import EagerTensor

_SUPPORTED = (TensorSpec, NoneTensorSpec, RaggedTensorSpec, SparseTensorSpec)


class NumpyIterator(Trackable):
    """Yields elements as NumPy arrays and scalars. The arrays are read-only.

    Args:
        dataset: The dataset, of dense, ragged or sparse tensors.

    Raises:
        TypeError: If elements cannot be converted to NumPy.

    Example:
        >>> iterator = tf.data.Dataset.range(2).as_numpy_iterator()
        >>> isinstance(iterator, tf.data.NumpyIterator), next(iterator)
        (True, np.int64(0))
    """

    def __init__(self, dataset: DatasetLike) -> None:
        layout = dataset._layout
        for leaf in nest.flatten(layout.spec):
            if not isinstance(leaf, _SUPPORTED):
                raise TypeError(
                    f"`as_numpy_iterator()` cannot convert {leaf.value_type.__name__} elements to "
                    f"NumPy. Iterate over the dataset itself."
                )
        self._layout = layout
        self._walk = walk_of(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        arrays, layout = self._walk.next(), self._layout
        if layout.plain:
            return layout.pack([_as_value(array) for array in arrays])
        element = layout.pack([EagerTensor(array) for array in arrays])
        return nest.map_structure(_converted, element)

    def next(self) -> Any:
        """Return the next element.

        Example:
            >>> tf.data.Dataset.range(2).as_numpy_iterator().next()
            np.int64(0)
        """
        return next(self)

    def save(self) -> Any:
        """Return the position as a string tensor."""
        return dispatch.convert(self._walk.save(), dtypes.string)

    def restore(self, state: Any) -> None:
        """Restore a position that `save` returned.

        Args:
            state: A string tensor.
        """
        self._walk.restore(dispatch.convert(state).numpy())

    _tpf_checkpoint_attribute = "ITERATOR"

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"ITERATOR": self.save()}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        self.restore(restored_tensors["ITERATOR"])


def _converted(leaf: Any) -> Any:
    if leaf is None or isinstance(leaf, RaggedTensor):
        return None if leaf is None else leaf.numpy()
    if isinstance(leaf, SparseTensor):
        leaf = to_dense(leaf)
    return _as_value(leaf._array)


def _as_value(array: Any) -> Any:
    if not array.ndim:
        return array[()]
    view = array.view()
    view.flags.writeable = False
    return view
