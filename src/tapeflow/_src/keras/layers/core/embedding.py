"""`Embedding`: a trainable vector for each index."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.arguments import positive
from tapeflow._src.keras.layers.core.dense import with_quantization_config
from tapeflow._src.keras.layers.core.quantized_embedding import QuantizedTable
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    serialized,
    set_weight_arguments,
)
from tapeflow._src.keras.quantizers import int4
from tapeflow._src.keras.saving.serialization import serialize_keras_object


class Embedding(QuantizedTable):
    """Maps integer indices to trainable vectors.

    Inputs are integers of any shape; the outputs have an axis of `output_dim` more.

    Args:
        input_dim: Vocabulary size: indices range from 0 to `input_dim - 1`.
        output_dim: Length of each vector.
        embeddings_initializer: Initializer of the table, of shape (input_dim, output_dim).
        embeddings_regularizer: Penalty on the table.
        embeddings_constraint: Projection of the table after each optimizer step.
        mask_zero: Whether index 0 is padding, which later layers mask.
        weights: Initial values of the table.
        lora_rank: Rank of a low-rank adapter (LoRA); the table itself is then frozen.
        lora_alpha: Scale of the adapter, applied as `lora_alpha / lora_rank`.
        quantization_config: Mode and quantizers for a quantized table.

    >>> layer = tf.keras.layers.Embedding(input_dim=1000, output_dim=16)
    >>> layer(tf.constant([[4, 20, 7]])).shape
    TensorShape([1, 3, 16])

    Raises:
        ValueError: A size is not a positive integer, or `sparse=True` of Keras 2 is passed.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        weights: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        # Of Keras 2: the layer takes inputs of any length.
        kwargs.pop("input_length", None)
        if kwargs.pop("sparse", False):
            raise ValueError(
                "Embedding returns dense tensors: `sparse=True` of Keras 2 is not supported. "
                "Look up the values of a SparseTensor, `layer(x.values)`, instead."
            )
        super().__init__(**kwargs)
        self._set_lora(lora_rank, lora_alpha)
        self.quantization_config = quantization_config
        self.input_dim = positive("input_dim", input_dim)
        self.output_dim = positive("output_dim", output_dim)
        set_weight_arguments(
            self,
            "embeddings",
            embeddings_initializer,
            embeddings_regularizer,
            embeddings_constraint,
        )
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        # Inputs are indices, which must not be cast to the compute dtype.
        self.autocast = False
        if weights is not None:
            self.build()
            first = weights[0] if isinstance(weights, list) and len(weights) == 1 else weights
            self._embeddings.assign(first)

    def build(self, input_shape: Any = None) -> None:
        if self.built:
            return
        shape = (self.input_dim, self.output_dim)
        mode = self.quantization_mode
        if mode is None:
            self._embeddings = add_weight_for(self, "embeddings", shape)
        else:
            self.quantized_build(shape, mode, self.quantization_config)
        self.built = True
        if self.lora_rank:
            self.enable_lora(self.lora_rank, self.lora_alpha)

    @property
    def embeddings(self) -> Any:
        """The table, created by `build`."""
        table = self._embeddings
        if self.quantization_mode == "int4":
            table = int4.unpack_int4(table.value(), self.output_dim, axis=-1)
        if not self.lora_enabled:
            return table
        return self._with_lora(tf.convert_to_tensor(table))

    def call(self, inputs: Any) -> Any:
        if type(inputs) is tf.RaggedTensor:
            return inputs.with_flat_values(Embedding.call(self, inputs.flat_values))
        inputs = self._indices(inputs)
        vectors = tf.gather(self._embeddings, inputs)
        if self.lora_enabled:
            a, b = self._lora_pair()
            update = tf.tensordot(tf.gather(a, inputs), b, 1)
            vectors = tf.cast(vectors, update.dtype) + update
        return (
            vectors
            if vectors.dtype.name == self.compute_dtype
            else tf.cast(vectors, self.compute_dtype)
        )

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return inputs != 0 if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return (*input_shape, self.output_dim)

    def compute_output_spec(self, inputs: Any) -> Any:
        shape = self.compute_output_shape(inputs.shape)
        return KerasTensor(shape, dtype=self.compute_dtype, ragged=inputs.ragged)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "input_dim": self.input_dim,
            "output_dim": self.output_dim,
            **serialized(self, "embeddings_initializer", "embeddings_regularizer"),
            **serialized(self, "activity_regularizer", "embeddings_constraint"),
            "mask_zero": self.mask_zero,
            "quantization_config": serialize_keras_object(self.quantization_config),
            **self._lora_config(),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return super().from_config(with_quantization_config(config))


Embedding._tpf_quantizable = Embedding
