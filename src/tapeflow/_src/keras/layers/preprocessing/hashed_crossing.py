"""`HashedCrossing`: combinations of categories as the numbers of buckets."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing.categories import (
    as_tensor,
    check_option,
    check_sparse,
    encode,
)


class HashedCrossing(Layer):
    """Hashes the combination of the values of several features into `num_bins` buckets.

    It is called on a list of strings or integers of one shape: `()`, `(batch,)` or `(batch, 1)`.

    Args:
        num_bins: Number of buckets.
        output_mode: `"int"` for the bucket, or `"one_hot"`.
        sparse: Whether to return a `tf.SparseTensor`, unless the mode is `"int"`.
        dtype: Dtype of the outputs; None for int64 in mode `"int"`, else the global policy.

    Raises:
        ValueError: A mode is unknown, or inputs are not two or more dense tensors of one shape.

    Example:
        >>> layer = tf.keras.layers.HashedCrossing(num_bins=5)
        >>> layer((tf.constant(["A", "B"]), tf.constant([101, 102]))).numpy()
        array([1, 1])
    """

    def __init__(
        self,
        num_bins: int,
        output_mode: str = "int",
        sparse: bool = False,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        if output_mode == "int" and dtype is None:
            dtype = "int64"
        super().__init__(name=name, dtype=dtype, **kwargs)
        check_option("HashedCrossing", "output_mode", output_mode, ("int", "one_hot"))
        check_sparse("HashedCrossing", sparse, output_mode)
        self.num_bins = num_bins
        self.output_mode = output_mode
        self.sparse = sparse
        self._allow_non_tensor_positional_args = True
        self._convert_input_args = False
        self.supports_jit = False

    def call(self, inputs: Any) -> Any:
        features = self._tpf_checked(inputs)
        shape = features[0].shape
        columns = [tf.reshape(feature, [-1, 1]) for feature in features]
        crossed = tf.sparse.cross_hashed(columns, self.num_bins)
        # Each row has one combination.
        indices = tf.reshape(crossed.values, tf.shape(features[0]))
        indices.set_shape(shape)
        dtype = self.dtype if self.output_mode == "int" else self.compute_dtype
        return encode(indices, self.output_mode, self.num_bins, dtype, self.sparse)

    def _tpf_checked(self, inputs: Any) -> list[Any]:
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError(
                f"HashedCrossing expected two or more inputs in a list or tuple. Received: {inputs}"
            )
        features = [as_tensor(feature) for feature in inputs]
        for feature in features:
            problem = _problem(feature, tuple(features[0].shape))
            if problem:
                raise ValueError(
                    f"HashedCrossing: {problem}. Received: {feature} among {len(features)} inputs"
                )
        return features

    def compute_output_shape(self, input_shape: Any) -> Any:
        first = tuple(input_shape[0])
        if any(tuple(shape)[-1:] != first[-1:] for shape in input_shape):
            raise ValueError(
                f"HashedCrossing expected inputs of one shape. Received: {input_shape}"
            )
        if self.output_mode == "int":
            return first
        return (*(first[:-1] if first[-1:] == (1,) else first), self.num_bins)

    def compute_output_spec(self, inputs: Any) -> Any:
        shape = self.compute_output_shape([tuple(feature.shape) for feature in inputs])
        dtype = self.dtype if self.output_mode == "int" else self.compute_dtype
        return KerasTensor(shape, dtype=dtype, sparse=self.sparse)

    def get_config(self) -> dict[str, Any]:
        return {
            "num_bins": self.num_bins,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
            "name": self.name,
            "dtype": self.dtype,
        }


def _problem(feature: Any, expected: tuple[Any, ...]) -> str | None:
    """Return the problem of an input as the end of an error message."""
    if isinstance(feature, (tf.SparseTensor, tf.RaggedTensor)):
        return "all inputs must be dense tensors"
    shape = tuple(feature.shape)
    if shape != expected:
        return f"all inputs must have the shape of the first, {expected}"
    if len(shape) > 2 or (len(shape) == 2 and shape[-1] != 1):
        return "inputs must have the shape (), (batch,) or (batch, 1)"
    if not (feature.dtype.is_integer or feature.dtype == tf.string):
        return "all inputs must be integers or strings"
    return None
