"""`ReversibleEmbedding`: an embedding that also maps vectors back to scores of the indices."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.core.embedding import Embedding
from tapeflow._src.keras.layers.masks import set_mask
from tapeflow._src.keras.quantizers import affine, int4
from tapeflow._src.keras.quantizers.configs import QuantizationConfig
from tapeflow._src.keras.quantizers.quantizer import AbsMaxQuantizer


class ReversibleEmbedding(Embedding):
    """Embeds indices, or with `reverse=True` projects vectors onto the vocabulary.

    Language models use one table for both, at their beginning and at their end.

    Args:
        input_dim: Vocabulary size: indices range from 0 to `input_dim - 1`.
        output_dim: Length of each vector.
        tie_weights: Whether both directions use the same table.
        embeddings_initializer: Initializer of the table, and of the reverse table if there is one.
        embeddings_regularizer: Penalty on the table.
        embeddings_constraint: Projection of the table after each optimizer step.
        mask_zero: Whether index 0 is padding, which later layers mask.
        reverse_dtype: Dtype in which scores are computed; None for that of the layer.
        logit_soft_cap: Scores are `cap * tanh(scores / cap)` if this is not None.
        **kwargs: Further arguments of `Embedding` and `Layer`.

    Call arguments:
        inputs: Integers of any shape, or with `reverse=True` vectors of shape (..., output_dim).
        reverse: Whether to compute scores of shape (..., input_dim).

    Example:
        >>> layer = tf.keras.layers.ReversibleEmbedding(input_dim=10, output_dim=4)
        >>> vectors = layer(tf.constant([[1, 2]]))
        >>> layer(vectors, reverse=True).shape
        TensorShape([1, 2, 10])
    """

    tie_weights: bool
    embeddings_initializer: Any
    reverse_embeddings_scale: Any
    reverse_embeddings_zero: Any

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        tie_weights: bool = True,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        reverse_dtype: Any = None,
        logit_soft_cap: float | None = None,
        **kwargs: Any,
    ) -> None:
        # Before the layer is built, which given weights have done at once.
        object.__setattr__(self, "tie_weights", tie_weights)
        super().__init__(
            input_dim,
            output_dim,
            embeddings_initializer=embeddings_initializer,
            embeddings_regularizer=embeddings_regularizer,
            embeddings_constraint=embeddings_constraint,
            mask_zero=mask_zero,
            **kwargs,
        )
        self.reverse_dtype = reverse_dtype
        self.logit_soft_cap = logit_soft_cap

    def build(self, input_shape: Any = None) -> None:
        super().build(input_shape)
        if not self.tie_weights and self.quantization_mode is None:
            self.reverse_embeddings = self.add_weight(
                name="reverse_embeddings",
                shape=(self.output_dim, self.input_dim),
                initializer=self.embeddings_initializer,
            )

    def call(self, inputs: Any, reverse: bool = False) -> Any:
        """Look up vectors, or compute scores of the vocabulary.

        Args:
            inputs: Integers of any shape, or with `reverse=True` vectors of shape (...,
                output_dim).
            reverse: Whether to compute scores.

        Returns:
            Vectors of shape (..., output_dim), or scores of shape (..., input_dim).
        """
        if not reverse:
            outputs = super().call(inputs)
            if self.mask_zero:
                set_mask(outputs, inputs != 0)
            return outputs
        tied = self.tie_weights
        kernel = tf.convert_to_tensor(self.embeddings if tied else self.reverse_embeddings)
        return self._scores(inputs, kernel, tied)

    def _scores(self, inputs: Any, kernel: TensorLike, tied: bool) -> Any:
        """The scores of all indices; a tied kernel is the table, with a row for each."""
        dtype = self.reverse_dtype or self.compute_dtype
        scores = tf.matmul(tf.cast(inputs, dtype), tf.cast(kernel, dtype), transpose_b=tied)
        if self.logit_soft_cap is None:
            return scores
        return tf.tanh(scores / self.logit_soft_cap) * self.logit_soft_cap

    # -- quantization ------------------------------------------------------------------------

    def quantized_build(self, embeddings_shape: Any, mode: str, config: Any = None) -> None:
        """Create the variables of a quantized table, and of the reverse one if it is not tied.

        Args:
            embeddings_shape: Vocabulary size and length of the vectors.
            mode: Mode of quantization: `"int8"` or `"int4"`.
            config: Config with quantizers; None for the defaults.
        """
        super().quantized_build(embeddings_shape, mode, config)
        self.inputs_quantizer = QuantizationConfig.activation_quantizer_or_default(
            config, AbsMaxQuantizer(axis=-1)
        )
        if self.tie_weights:
            return
        rows = (self.output_dim + 1) // 2 if mode == "int4" else self.output_dim
        name, size = "reverse_embeddings", self._int4_block_size
        self._add_frozen(name, name, (rows, self.input_dim), "int8")
        shape: tuple[int, ...] = (self.input_dim,)
        if size is not None:
            shape = (math.ceil(self.output_dim / size), self.input_dim)
        self._add_frozen(f"{name}_scale", f"{name}_scale", shape, None, "ones")
        if size is not None:
            self._add_frozen(f"{name}_zero", f"{name}_zero", shape, None)

    def _tpf_quantize(self, mode: str, config: Any) -> None:
        reverse = None
        if not self.tie_weights:
            reverse = tf.constant(self.reverse_embeddings.numpy())
            self._tpf_forget_weight("reverse_embeddings")
        super()._tpf_quantize(mode, config)
        if reverse is None:
            return
        zero = None
        if self._int4_block_size is None:
            limits = (-127, 127) if mode == "int8" else (-8, 7)
            values, scale = AbsMaxQuantizer(axis=0, value_range=limits)(reverse)
            scale = tf.squeeze(scale, 0)
        else:
            values, scale, zero = int4.abs_max_quantize_grouped_with_zero_point(
                reverse, self._int4_block_size
            )
        if mode == "int4":
            values = int4.pack_int4(values, axis=0)[0]
        self.reverse_embeddings.assign(values)
        self.reverse_embeddings_scale.assign(scale)
        if zero is not None:
            self.reverse_embeddings_zero.assign(tf.cast(zero, self.variable_dtype))

    def _int8_call(self, inputs: Any, reverse: bool = False) -> Any:
        if not reverse:
            outputs = super()._int8_call(inputs)
            if self.mask_zero:
                set_mask(outputs, inputs != 0)
            return outputs
        if self.inputs_quantizer is not None:
            inputs = tf.cast(inputs, self.compute_dtype)
            values, scale = self.inputs_quantizer(inputs)
            rounded = tf.cast(values, inputs.dtype) / scale
            inputs = inputs + tf.stop_gradient(rounded - inputs)
        tied = self.tie_weights
        return self._scores(inputs, self._float_rows() if tied else self._float_reverse(), tied)

    def _int4_call(self, inputs: Any, reverse: bool = False) -> Any:
        return self._int8_call(inputs, reverse)

    def _float_reverse(self) -> Any:
        values, scale = self.reverse_embeddings.value(), self.reverse_embeddings_scale.value()
        if self.quantization_mode == "int4":
            values = int4.unpack_int4(values, self.output_dim, axis=0)
        if self._int4_block_size is None:
            return tf.cast(values, self.compute_dtype) / tf.cast(scale, self.compute_dtype)
        zero, groups = self.reverse_embeddings_zero.value(), self.g_idx.value()
        dequantized = affine.dequantize_with_sz_map(values, scale, zero, groups, 0)
        return tf.cast(dequantized, self.compute_dtype)

    @property
    def variable_serialization_spec(self) -> dict[str | None, list[str]]:
        names = ["reverse_embeddings", "reverse_embeddings_scale", "reverse_embeddings_zero"]
        count = {None: 1, "int8": 2, "int4": 3}
        spec = super().variable_serialization_spec
        if self.tie_weights:
            return spec
        return {mode: [*held, *names[: count[mode]]] for mode, held in spec.items()}

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None

    def compute_output_shape(
        self, input_shape: Any, reverse: bool = False
    ) -> tuple[int | None, ...]:
        """Return the shape of vectors, or of scores.

        Args:
            input_shape: Shape of the inputs with the batch axis.
            reverse: Whether scores are computed.

        Returns:
            A tuple with None for sizes that vary.
        """
        if reverse:
            return (*input_shape[:-1], self.input_dim)
        return (*input_shape, self.output_dim)

    def compute_output_spec(self, inputs: Any, reverse: bool = False) -> Any:
        """Return a KerasTensor like the outputs.

        Args:
            inputs: KerasTensor of indices or vectors.
            reverse: Whether scores are computed.

        Returns:
            A KerasTensor.
        """
        shape = self.compute_output_shape(inputs.shape, reverse)
        return KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "tie_weights": self.tie_weights,
            "reverse_dtype": self.reverse_dtype,
            "logit_soft_cap": self.logit_soft_cap,
        }


ReversibleEmbedding._tpf_quantizable = ReversibleEmbedding
