"""Embeddings whose table may be quantized: int8 or 4-bit integers, with scales for each row."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.core.quantized_kernel import (
    block_size_of,
    group_indices,
    quantized_policy,
)
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.lora import LowRankAdapter
from tapeflow._src.keras.quantizers import affine, int4
from tapeflow._src.keras.quantizers.configs import QuantizationConfig
from tapeflow._src.keras.quantizers.quantizer import AbsMaxQuantizer


class QuantizedTable(LowRankAdapter, Layer):
    """A layer with a table `embeddings` of shape (input_dim, output_dim)."""

    input_dim: int
    output_dim: int
    _embeddings: Any
    embeddings_scale: Any
    embeddings_zero: Any
    g_idx: Any
    _adapted = "embeddings"
    quantization_config: Any = None
    _int4_block_size: int | None = None
    _tpf_modes = ("int8", "int4")

    def _full_shape(self) -> tuple[int, ...]:
        return (self.input_dim, self.output_dim)

    def quantized_build(self, embeddings_shape: Any, mode: str, config: Any = None) -> None:
        """Create the variables of a quantized table."""
        if mode not in self._tpf_modes:
            raise NotImplementedError(
                f"{type(self).__name__} '{self.name}' can be quantized with the modes "
                f"{', '.join(self._tpf_modes)}. Received: mode={mode!r}"
            )
        self._add_table("embeddings", "_embeddings", self.output_dim, mode, config)
        self._tpf_is_quantized = True

    def _add_table(self, name: str, attribute: str, size: int, mode: str, config: Any) -> None:
        rows = self.input_dim
        self._int4_block_size = block_size_of(self, config) if mode == "int4" else None
        width = (size + 1) // 2 if mode == "int4" else size
        self._add_frozen(name, attribute, (rows, width), "int8")
        shape: tuple[int, ...] = (rows,)
        if self._int4_block_size is not None:
            shape = (rows, math.ceil(size / self._int4_block_size))
        self._add_frozen(f"{name}_scale", f"{name}_scale", shape, None, "ones")
        if self._int4_block_size is not None:
            self._add_frozen(f"{name}_zero", f"{name}_zero", shape, "int8")
            indices = group_indices(size, self._int4_block_size)
            self._add_frozen("g_idx", "g_idx", (size,), "float32", indices)

    def _add_frozen(
        self, name: str, attribute: str, shape: Any, dtype: Any, initializer: Any = "zeros"
    ) -> None:
        weight = self.add_weight(
            name=name, shape=shape, initializer=initializer, dtype=dtype, trainable=False
        )
        setattr(self, attribute, weight)

    def _quantized(self, table: Any, mode: str, config: Any) -> tuple[Any, Any, Any]:
        """A table as it is stored, its scales, and its zero points or None."""
        limits = (-127, 127) if mode == "int8" else (-8, 7)
        zero = None
        if self._int4_block_size is None:
            default = AbsMaxQuantizer(axis=-1, value_range=limits)
            quantizer = QuantizationConfig.weight_quantizer_or_default(config, default)
            values, scale = quantizer(table)
            scale = tf.squeeze(scale, -1)
        else:
            quantized = int4.abs_max_quantize_grouped_with_zero_point(
                tf.transpose(table), self._int4_block_size
            )
            values, scale, zero = (tf.transpose(each) for each in quantized)
        if mode == "int4":
            values = int4.pack_int4(values, axis=-1)[0]
        return values, scale, zero

    def _tpf_quantize(self, mode: str, config: Any) -> None:
        policy = quantized_policy(self, mode, config)
        self._int4_block_size = block_size_of(self, config) if mode == "int4" else None
        values, scale, zero = self._quantized(tf.constant(self._embeddings.numpy()), mode, config)
        self._tpf_forget_weight("_embeddings")
        self.quantized_build(self._full_shape(), mode, config)
        self._embeddings.assign(values)
        self.embeddings_scale.assign(scale)
        if zero is not None:
            self.embeddings_zero.assign(zero)
        self.dtype_policy = policy

    def _float_rows(self, indices: TensorLike | None = None) -> Any:
        """The rows that the stored integers stand for: those of `indices`, or all."""

        def rows(weight: Any) -> Any:
            return weight.value() if indices is None else tf.gather(weight.value(), indices)

        values, scale, dtype = (
            rows(self._embeddings),
            rows(self.embeddings_scale),
            self.compute_dtype,
        )
        if self.quantization_mode == "int4":
            values = int4.unpack_int4(values, self.output_dim, axis=-1)
        if self._int4_block_size is None:
            return tf.cast(values, dtype) / tf.cast(scale, dtype)[..., tf.newaxis]
        zero = rows(self.embeddings_zero)
        dequantized = affine.dequantize_with_sz_map(values, scale, zero, self.g_idx.value(), -1)
        return tf.cast(dequantized, dtype)

    def _indices(self, inputs: Any) -> Any:
        """Return the rows that inputs name; negative ones count from the end."""
        if type(inputs) is tf.SparseTensor:
            # The index 0 is looked up where nothing is stored.
            inputs = tf.sparse.to_dense(inputs)
        if inputs.dtype not in (tf.int32, tf.int64):
            inputs = tf.cast(inputs, tf.int32)
        return tf.where(inputs < 0, inputs + self.input_dim, inputs)

    def _int8_call(self, inputs: Any) -> Any:
        if type(inputs) is tf.RaggedTensor:
            return inputs.with_flat_values(QuantizedTable._int8_call(self, inputs.flat_values))
        inputs = self._indices(inputs)
        outputs = self._float_rows(inputs)
        if self.lora_enabled:
            a, b = self._lora_pair()
            update = tf.tensordot(tf.gather(a, inputs), b, 1)
            outputs = tf.cast(tf.cast(outputs, update.dtype) + update, self.compute_dtype)
        return outputs

    def _int4_call(self, inputs: Any) -> Any:
        return QuantizedTable._int8_call(self, inputs)

    @property
    def variable_serialization_spec(self) -> dict[str | None, list[str]]:
        return {
            None: ["embeddings"],
            "int8": ["embeddings", "embeddings_scale"],
            "int4": ["embeddings", "embeddings_scale", "embeddings_zero", "g_idx"],
        }

    def _merged_values(self) -> dict[str, Any]:
        mode = self.quantization_mode
        if mode is None or not self.lora_enabled:
            return super()._merged_values()
        values, scale, zero = self._quantized(self._with_lora(self._float_rows()), mode, None)
        return {"embeddings": values, "embeddings_scale": scale, "embeddings_zero": zero}
