"""`CategoryEncoding`: integers as one-hot, multi-hot or count vectors."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing.categories import (
    ENCODINGS,
    as_tensor,
    check_option,
    encode,
)


class CategoryEncoding(Layer):
    """Encodes integers from 0 to `num_tokens - 1` as vectors.

    Args:
        num_tokens: Number of categories.
        output_mode: `"one_hot"` for a vector for each integer; `"multi_hot"` for one vector for
            each row, with ones at the categories in it; `"count"` for how often each occurs.
        sparse: Whether to return a `tf.SparseTensor`.

    Call arguments:
        inputs: Integers of shape (batch, number), dense, sparse or ragged.
        count_weights: Weight of each integer in mode `"count"`.

    Raises:
        ValueError: `num_tokens` is missing, the mode is unknown, or `count_weights` are passed in
            another mode.

    Example:
        >>> tf.keras.layers.CategoryEncoding(3)([[0, 1], [2, 2]]).numpy()
        array([[1., 1., 0.],
               [0., 0., 1.]], dtype=float32)
    """

    def __init__(
        self,
        num_tokens: int | None = None,
        output_mode: str = "multi_hot",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        output_mode = "multi_hot" if output_mode == "binary" else output_mode
        check_option("CategoryEncoding", "output_mode", output_mode, ENCODINGS)
        if num_tokens is None or num_tokens < 1:
            raise ValueError(
                f"CategoryEncoding: `num_tokens` must be at least 1; IntegerLookup finds out which "
                f"integers there are. Received: num_tokens={num_tokens}"
            )
        self.num_tokens = num_tokens
        self.output_mode = output_mode
        self.sparse = sparse
        self._allow_non_tensor_positional_args = True
        self._convert_input_args = False

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        """Encode integers.

        Args:
            inputs: Integers of shape (batch, number), dense, sparse or ragged.
            count_weights: Weight of each integer in mode `"count"`; None for 1.

        Returns:
            A tensor that ends in an axis of `num_tokens`.

        Raises:
            ValueError: `count_weights` are passed in another mode.
        """
        if count_weights is not None:
            if self.output_mode != "count":
                raise ValueError(
                    f"CategoryEncoding: `count_weights` are used with output_mode='count' only. "
                    f"Received: output_mode={self.output_mode!r}"
                )
            count_weights = as_tensor(count_weights, self.compute_dtype)
        return self._encode(inputs, count_weights)

    def _encode(self, inputs: Any, count_weights: Any = None) -> Any:
        inputs = as_tensor(inputs)
        if self.output_mode != "one_hot" and inputs.dtype not in (tf.int32, tf.int64):
            inputs = tf.cast(inputs, tf.int32)
        return encode(
            inputs, self.output_mode, self.num_tokens, self.dtype, self.sparse, count_weights
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tuple(input_shape)
        if self.output_mode == "one_hot" and (shape[-1:] != (1,) or len(shape) == 1):
            return (*shape, self.num_tokens)
        return (*shape[:-1], self.num_tokens)

    def compute_output_spec(self, inputs: Any, count_weights: Any = None) -> Any:
        """Return a KerasTensor like the outputs.

        Args:
            inputs: KerasTensor of integers.
            count_weights: Ignored.

        Returns:
            A KerasTensor.
        """
        shape = self.compute_output_shape(inputs.shape)
        return KerasTensor(shape, dtype=self.compute_dtype, sparse=self.sparse)

    def get_config(self) -> dict[str, Any]:
        config = {"num_tokens": self.num_tokens, "output_mode": self.output_mode}
        return {**super().get_config(), **config}
