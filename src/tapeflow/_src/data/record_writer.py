"""`tf.data.experimental.TFRecordWriter`: writes a dataset of strings to a TFRecord file."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.io.records import TFRecordWriter as RecordFile
from tapeflow._src.api.scopes import executing_eagerly
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.paths import as_text
from tapeflow._src.core.registry import Free, Variant, op
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.stage import HOST
from tapeflow._src.graph.subgraphs import current_graph


@op(
    "DatasetToTFRecord",
    infer=lambda op, specs, attrs: (),
    outputs=(),
    grad=None,
    host=HOST,
    effect="io",
)
def dataset_to_tf_record(xp, input_dataset: Variant, filename: Free, compression_type: Free):
    """Write the elements of a dataset, strings, to a file."""
    kind = as_text(compression_type.item())
    with RecordFile(filename.item(), kind or None) as writer:
        for (record,) in input_dataset.cursor():
            writer.write(record.item())


dataset_to_tf_record.accesses("files")


class TFRecordWriter:
    """Writes datasets to a file.

    Args:
        filename: The name of the file.
        compression_type: `"ZLIB"`, `"GZIP"` or None.

    Example:
        >>> records = tf.data.Dataset.from_tensor_slices(["one", "two"])
        >>> tf.data.experimental.TFRecordWriter("numbers.tfrecord").write(records)
        >>> [record.numpy() for record in tf.data.TFRecordDataset("numbers.tfrecord")]
        [b'one', b'two']
    """

    def __init__(self, filename: Any, compression_type: str | None = None) -> None:
        self._filename = dispatch.convert(filename, dtypes.string)
        self._compression_type = dispatch.convert(compression_type or "", dtypes.string)

    def write(self, dataset: Dataset) -> Any:
        """Write the elements, which are scalars of dtype string; the file is replaced.

        Args:
            dataset: A dataset of string scalars.

        Returns:
            The operation that writes, in a graph; None eagerly.

        Raises:
            TypeError: If it is no dataset, or one of other elements.

        Example:
            >>> writer = tf.data.experimental.TFRecordWriter("numbers.tfrecord")
            >>> writer.write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
            >>> list(tf.data.TFRecordDataset("numbers.tfrecord").as_numpy_iterator())
            [b'a', b'b']
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"`dataset` must be a tf.data.Dataset. Received: {dataset!r} of type "
                f"{type(dataset).__name__}"
            )
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(_A_RECORD):
            raise TypeError(
                f"`dataset` must have scalars of dtype tf.string as elements. Received: {spec}"
            )
        dataset_to_tf_record(dataset._variant_tensor, self._filename, self._compression_type)
        return None if executing_eagerly() else current_graph().nodes[-1]


_A_RECORD = TensorSpec([], dtypes.string)
