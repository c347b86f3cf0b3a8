"""`Hashing`: strings and integers as the numbers of buckets, without a vocabulary."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing.categories import (
    ENCODINGS,
    as_tensor,
    check_option,
    check_sparse,
    encode,
    over_values,
)


def as_salt(layer: str, salt: Any) -> list[int] | None:
    """The key of SipHash: two integers, or one that is used twice; None if there is none."""
    if salt is None:
        return None
    if isinstance(salt, (tuple, list)) and len(salt) == 2:
        return list(salt)
    if isinstance(salt, int):
        return [salt, salt]
    raise ValueError(f"{layer}: `salt` must be an integer or a pair of them. Received: salt={salt}")


class Hashing(Layer):
    """Hashes categories into `num_bins` buckets, without a vocabulary.

    Args:
        num_bins: Number of buckets.
        mask_value: Value that has bucket 0 for itself; None for none.
        salt: An integer, or two; with it the hash is SipHash with that key, without it FarmHash's
            fingerprint.
        output_mode: `"int"` for the bucket, `"one_hot"`, `"multi_hot"` or `"count"`.
        sparse: Whether to return a `tf.SparseTensor`, unless the mode is `"int"`.

    Raises:
        ValueError: An argument is invalid.

    Example:
        >>> tf.keras.layers.Hashing(num_bins=3)([["A"], ["B"], ["C"]]).numpy()
        array([[1],
               [0],
               [1]])
    """

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: Any = None,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = "int64" if output_mode == "int" else floatx()
        super().__init__(**kwargs)
        if num_bins is None or num_bins <= 0:
            raise ValueError(f"Hashing: `num_bins` must be 1 or more. Received: {num_bins}")
        if output_mode == "int" and self.dtype_policy.name not in ("int32", "int64"):
            raise ValueError(
                f"Hashing: indices (mode 'int') are of `dtype` 'int32' or 'int64'. Received: "
                f"dtype={kwargs['dtype']}"
            )
        check_option("Hashing", "output_mode", output_mode, ("int", *ENCODINGS))
        check_sparse("Hashing", sparse, output_mode)
        self.num_bins = num_bins
        self.mask_value = mask_value
        self.strong_hash = salt is not None
        self.output_mode = output_mode
        self.sparse = sparse
        self.salt = as_salt("Hashing", salt)
        self._convert_input_args = False
        self._allow_non_tensor_positional_args = True
        self.supports_jit = False

    def call(self, inputs: Any) -> Any:
        inputs = as_tensor(inputs)
        indices = over_values(self._hashed, inputs)
        return encode(indices, self.output_mode, self.num_bins, self.dtype, self.sparse)

    def _hashed(self, values: Any) -> Any:
        # Bucket 0 is kept for the mask, if there are two buckets at all.
        masks = self.mask_value is not None and self.num_bins > 1
        count = self.num_bins - 1 if masks else self.num_bins
        masked = tf.equal(values, self.mask_value) if masks else None
        if values.dtype.is_floating:
            values = tf.cast(values, tf.int64)
        if values.dtype != tf.string:
            values = tf.as_string(values)
        if self.salt is None:
            buckets = tf.strings.to_hash_bucket_fast(values, count)
        else:
            buckets = tf.strings.to_hash_bucket_strong(values, count, key=self.salt)
        return tf.where(masked, tf.zeros_like(buckets), buckets + 1) if masks else buckets

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tuple(input_shape)
        return shape if self.output_mode == "int" else (*shape[:-1], self.num_bins)

    def compute_output_spec(self, inputs: Any) -> Any:
        shape = self.compute_output_shape(inputs.shape)
        ragged = inputs.ragged and self.output_mode == "int"
        return KerasTensor(shape, dtype=self.dtype, sparse=self.sparse, ragged=ragged)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_bins": self.num_bins,
            "salt": self.salt,
            "mask_value": self.mask_value,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }
