"""Dense layers with quantized kernels: int8, 4-bit integers, GPTQ, AWQ, training in float8."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.core.calibrated_kernel import CALIBRATED, CalibratedKernel
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.lora import LowRankAdapter
from tapeflow._src.keras.quantizers import affine, float8, int4
from tapeflow._src.keras.quantizers.configs import Int4QuantizationConfig, QuantizationConfig
from tapeflow._src.keras.quantizers.quantizer import AbsMaxQuantizer
from tapeflow.keras import dtype_policies

_FLOAT8 = ("inputs", "kernel", "outputs_grad")


def block_size_of(layer: Any, config: Any) -> int | None:
    """The number of weights with a common scale in 4-bit mode; None for one scale an output."""
    if isinstance(config, Int4QuantizationConfig):
        size = config.block_size
    else:
        size = getattr(layer._dtype_policy.for_path(layer.path), "block_size", None)
    return None if size == -1 else size


def quantized_policy(layer: Any, mode: str, config: Any) -> Any:
    """The policy of a layer that is quantized now."""
    policy = layer._dtype_policy.for_path(layer.path)
    if policy.quantization_mode is not None:
        return layer._dtype_policy
    if mode == "int4":
        mode = f"int4/{block_size_of(layer, config) or -1}"
    elif mode in CALIBRATED:
        mode = config.dtype_policy_string()
    return dtype_policies.get(f"{mode}_from_{policy.name}")


def group_indices(count: int, block_size: int) -> Any:
    """An initializer of the group of each of `count` rows."""
    return lambda shape, dtype=None: tf.cast(tf.range(count) // block_size, dtype)


class QuantizedKernel(CalibratedKernel, LowRankAdapter, Layer):
    """A layer `activation(contract(inputs, kernel) + bias)` whose kernel may be quantized.

    A subclass defines `_contract`, the product, and how scales are laid out.
    """

    activation: Any
    bias: Any
    kernel_initializer: Any
    kernel_regularizer: Any
    kernel_constraint: Any
    _kernel: Any
    quantization_config: Any = None
    inputs_quantizer: Any = None
    outputs_grad_scale: Any
    outputs_grad_amax_history: Any
    _int4_block_size: int | None = None
    _kernel_shape: tuple[int, ...]
    _tpf_modes = ("int8", "int4", "float8", *CALIBRATED)

    # -- what subclasses define --------------------------------------------------------------

    def _contract(self, inputs: Any, kernel: TensorLike) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define `_contract`.")

    def _reduced_axes(self) -> tuple[int, ...]:
        """The axes of the kernel that are summed over."""
        return (0,)

    def _input_axes(self) -> tuple[int, ...]:
        """The axes of the inputs that are summed over."""
        return (-1,)

    def _stored_scale(self, scale: TensorLike) -> Any:
        """The scale of the kernel, with its reduced axes, as it is stored."""
        return tf.squeeze(scale, 0)

    def _scale_for_kernel(self, scale: TensorLike) -> Any:
        """The stored scale in a shape that broadcasts to the kernel."""
        return scale

    def _scale_shape(self) -> tuple[int, ...]:
        return (self._kernel_shape[-1],)

    @property
    def kernel(self) -> Any:
        """The weights, created by `build`; of a quantized layer the integers that are stored."""
        if not self.built and "_kernel" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__} layer '{self.name}' has no `kernel` yet: call the layer on "
                f"data, or `layer.build(input_shape)`, first."
            )
        if self._is_calibrated:
            return self._levels()
        kernel = self._kernel
        if self.quantization_mode == "int4":
            flat = int4.unpack_int4(kernel.value(), self._flat_shape()[1], axis=-1)
            kernel = tf.reshape(flat, self._kernel_shape)
        return self._with_lora(tf.convert_to_tensor(kernel)) if self.lora_enabled else kernel

    # -- building ----------------------------------------------------------------------------

    def _flat_shape(self) -> tuple[int, int]:
        """Rows that are summed over, and columns, as which 4-bit kernels are stored."""
        reduced = {axis % len(self._kernel_shape) for axis in self._reduced_axes()}
        rows = math.prod(n for i, n in enumerate(self._kernel_shape) if i in reduced)
        return rows, math.prod(self._kernel_shape) // rows

    def quantized_build(self, kernel_shape: Any, mode: str, config: Any = None) -> None:
        """Create the variables of a quantized kernel."""
        self._kernel_shape = tuple(kernel_shape)
        default = AbsMaxQuantizer() if mode == "int8" else None
        self.inputs_quantizer = QuantizationConfig.activation_quantizer_or_default(config, default)
        if mode == "int8":
            self._add_frozen("kernel", self._kernel_shape, "int8")
            self._add_frozen("kernel_scale", self._scale_shape(), None, "ones")
        elif mode == "int4":
            self._build_int4(block_size_of(self, config))
        elif mode == "float8":
            self._build_float8()
        elif mode in CALIBRATED:
            self._build_calibrated(mode, config)
        else:
            raise NotImplementedError(
                f"{type(self).__name__} '{self.name}' can be quantized with the modes "
                f"{', '.join(self._tpf_modes)}. Received: mode={mode!r}"
            )
        self._tpf_is_quantized = True

    def _build_int4(self, block_size: int | None) -> None:
        rows, columns = self._flat_shape()
        self._int4_block_size = block_size
        self._orig_input_dim, self._orig_output_dim = rows, columns
        self._add_frozen("kernel", (rows, (columns + 1) // 2), "int8")
        shape: tuple[int, ...] = (columns,)
        if block_size is not None:
            shape = (math.ceil(rows / block_size), columns)
        self._add_frozen("kernel_scale", shape, None, "ones")
        if block_size is not None:
            self._add_frozen("kernel_zero", shape, "int8")
            self._add_frozen("g_idx", (rows,), "float32", group_indices(rows, block_size))

    def _build_float8(self) -> None:
        policy = self._dtype_policy.for_path(self._path)
        length = getattr(policy, "amax_history_length", 1024)
        for part in _FLOAT8:
            for name, shape, initializer in (
                (f"{part}_scale", (), "ones"),
                (f"{part}_amax_history", (length,), "zeros"),
            ):
                # Trained: what the gradient says is the new value.
                weight = self.add_weight(
                    name=name,
                    shape=shape,
                    initializer=initializer,
                    dtype="float32",
                    autocast=False,
                    overwrite_with_gradient=True,
                )
                setattr(self, name, weight)

    def _add_frozen(self, name: str, shape: Any, dtype: Any, initializer: Any = "zeros") -> None:
        weight = self.add_weight(
            name=name, shape=shape, initializer=initializer, dtype=dtype, trainable=False
        )
        setattr(self, f"_{name}" if name == self._adapted else name, weight)

    def _full_shape(self) -> tuple[int, ...]:
        if self.quantization_mode == "int4":
            return self._kernel_shape
        return tuple(self._kernel.shape)

    # -- quantizing --------------------------------------------------------------------------

    def _quantized(self, kernel: TensorLike, mode: str, config: Any) -> tuple[Any, Any, Any]:
        """A kernel as it is stored, its scale, and its zero point or None."""
        quantizer = QuantizationConfig.weight_quantizer_or_default(config, None)
        if mode == "int8":
            axes = self._reduced_axes()
            values, scale = (quantizer or AbsMaxQuantizer(axis=axes))(kernel)
            return values, self._stored_scale(scale), None
        flat = tf.reshape(kernel, self._flat_shape())
        zero = None
        if self._int4_block_size is None:
            quantizer = quantizer or AbsMaxQuantizer(axis=0, value_range=(-8, 7))
            values, scale = quantizer(flat)
            scale = tf.squeeze(scale, 0)
        else:
            values, scale, zero = int4.abs_max_quantize_grouped_with_zero_point(
                flat, self._int4_block_size
            )
        return int4.pack_int4(values, axis=-1)[0], scale, zero

    def _tpf_quantize(self, mode: str, config: Any) -> None:
        policy = quantized_policy(self, mode, config)
        kernel = self._kernel
        self._kernel_shape = tuple(kernel.shape)
        if mode == "int4":
            self._int4_block_size = block_size_of(self, config)
        stored = mode in ("int8", "int4")
        if stored:
            values, scale, zero = self._quantized(tf.constant(kernel.numpy()), mode, config)
            self._tpf_forget_weight("_kernel")
        self.quantized_build(self._kernel_shape, mode, config)
        if stored:
            self._kernel.assign(values)
            self.kernel_scale.assign(scale)
            if zero is not None:
                self.kernel_zero.assign(zero)
        self.dtype_policy = policy

    def _float_kernel(self) -> Any:
        """The kernel that the stored integers stand for."""
        kernel, scale = self._kernel.value(), self.kernel_scale.value()
        dtype = self.compute_dtype
        if self.quantization_mode == "int8":
            return tf.cast(kernel, dtype) / self._scale_for_kernel(tf.cast(scale, dtype))
        values = int4.unpack_int4(kernel, self._flat_shape()[1], axis=-1)
        if self._int4_block_size is None:
            kernel = tf.cast(values, dtype) / tf.cast(scale, dtype)
        else:
            zero, groups = self.kernel_zero.value(), self.g_idx.value()
            kernel = tf.cast(affine.dequantize_with_sz_map(values, scale, zero, groups, 0), dtype)
        return tf.reshape(kernel, self._kernel_shape)

    # -- calling -----------------------------------------------------------------------------

    def _int8_call(self, inputs: Any, training: Any = None) -> Any:
        x = inputs
        if self.inputs_quantizer is not None:
            values, scale = self.inputs_quantizer(inputs, axis=self._input_axes())
            rounded = tf.cast(values, inputs.dtype) / scale
            # Gradients pass the rounding as if it were not there.
            x = inputs + tf.stop_gradient(rounded - inputs)
        outputs = self._contract(x, tf.stop_gradient(self._float_kernel()))
        if self.lora_enabled:
            a, b = (tf.cast(each, outputs.dtype) for each in self._lora_pair())
            outputs = outputs + tf.tensordot(self._contract(inputs, a), b, 1)
        return self._finished(outputs)

    _int4_call = _int8_call

    def _finished(self, outputs: Any) -> Any:
        if self.bias is not None:
            outputs = outputs + self.bias.value()
        return outputs if self.activation is None else self.activation(outputs)

    def _float8_call(self, inputs: Any, training: Any = None) -> Any:
        if self.lora_enabled:
            raise NotImplementedError(
                f"Layer '{self.name}': low-rank adapters cannot be combined with float8."
            )
        dtype = self.compute_dtype

        def rounded(x: TensorLike, part: str) -> Any:
            scale, history = (
                getattr(self, f"{part}_{n}").value() for n in ("scale", "amax_history")
            )
            return _round_to_float8(x, scale, history, dtype, bool(training))

        x = rounded(inputs, "inputs")
        outputs = self._contract(x, rounded(self._kernel.value(), "kernel"))
        outputs = _round_gradient(
            outputs, self.outputs_grad_scale.value(), self.outputs_grad_amax_history.value(), dtype
        )
        if self.bias is not None:
            bias = self.bias.value()
            if dtype == "float32":
                bias = tf.cast(tf.cast(bias, tf.bfloat16), bias.dtype)
            outputs = outputs + bias
        return outputs if self.activation is None else self.activation(outputs)

    # -- files -------------------------------------------------------------------------------

    @property
    def variable_serialization_spec(self) -> dict[str | None, list[str]]:
        parts = [f"{part}_{name}" for part in _FLOAT8 for name in ("scale", "amax_history")]
        return {
            None: ["kernel", "bias"],
            "int8": ["kernel", "bias", "kernel_scale"],
            "int4": ["kernel", "bias", "kernel_scale", "kernel_zero", "g_idx"],
            "float8": ["kernel", "bias", *parts],
            "gptq": ["bias", "quantized_kernel", "kernel_scale", "kernel_zero", "g_idx"],
            "awq": [
                *("bias", "quantized_kernel", "kernel_scale", "kernel_zero"),
                *("awq_scales", "g_idx"),
            ],
        }

    def _merged_values(self) -> dict[str, Any]:
        mode = self.quantization_mode
        if mode in CALIBRATED:
            self._check_calibrated()
            return {}
        if mode in (None, "float8") or not self.lora_enabled:
            return super()._merged_values()
        merged = self._with_lora(self._float_kernel())
        values, scale, zero = self._quantized(merged, mode, None)
        return {"kernel": values, "kernel_scale": scale, "kernel_zero": zero}


def _round_to_float8(
    x: TensorLike, scale: TensorLike, history: Any, dtype: str, training: bool
) -> Any:
    """Round to float8; in training, the gradients of scale and history are their new values."""

    @tf.custom_gradient
    def rounded(x: TensorLike, scale: TensorLike, history: Any) -> Any:
        result = float8.quantize_and_dequantize(x, scale, "float8_e4m3fn", dtype)

        def gradient(upstream: Any) -> Any:
            if not training:
                return upstream, tf.zeros_like(scale), tf.zeros_like(history)
            return upstream, *_updated(x, scale, history, "float8_e4m3fn")

        return result, gradient

    return rounded(x, scale, history)


def _round_gradient(outputs: Any, scale: TensorLike, history: Any, dtype: str) -> Any:
    """Round the gradient, and leave the outputs as they are."""

    @tf.custom_gradient
    def passed(outputs: Any, scale: TensorLike, history: Any) -> Any:
        def gradient(upstream: Any) -> Any:
            rounded = float8.quantize_and_dequantize(upstream, scale, "float8_e5m2", dtype)
            return rounded, *_updated(upstream, scale, history, "float8_e5m2")

        return tf.identity(outputs), gradient

    return passed(outputs, scale, history)


def _updated(x: TensorLike, scale: TensorLike, history: Any, dtype: str) -> tuple[Any, Any]:
    """The scale for the largest value of late, and the history with that of `x`."""
    largest = float8.largest_of(dtype)
    new_scale = float8.compute_float8_scale(tf.reduce_max(history), scale, largest)
    return new_scale, float8.compute_float8_amax_history(x, history)
