"""Kernels that GPTQ and AWQ quantize: levels with scales and zero points by group of inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.quantizers import affine, int4
from tapeflow._src.keras.quantizers.configs import CalibratedConfig

CALIBRATED = ("gptq", "awq")


class CalibratedKernel:
    """Mixin of layers with a kernel that is calibrated on examples.

    Until it is calibrated it computes with the kernel that it had before, and `_observer` sees its
    inputs. Afterwards the kernel is a matrix of levels, of shape (outputs, inputs).
    """

    _zero_name = "kernel_zero"
    _observer: Callable[[Any], None] | None = None
    is_gptq_calibrated = False
    is_awq_calibrated = False
    quantized_kernel: Any
    kernel_scale: Any
    kernel_zero: Any
    g_idx: Any
    awq_scales: Any

    def _matrix_shape(self, kernel_shape: tuple[int, ...]) -> tuple[int, int]:
        """Return the number of inputs and of outputs of a kernel seen as a matrix."""
        return kernel_shape[0], math.prod(kernel_shape[1:])

    def _calibrated_options(self: Any, config: Any) -> tuple[int, int]:
        """Return the number of bits and the size of groups, by the config or the policy."""
        policy = self._dtype_policy.for_path(self._path)
        source = config if isinstance(config, CalibratedConfig) else policy
        if getattr(source, "weight_bits", None) is None:
            raise ValueError(
                f"Layer '{self.name}': the bits and the group size of '{policy.name}' are unknown. "
                f"Use a dtype policy such as 'gptq/4/128_from_float32', or pass a config."
            )
        return source.weight_bits, source.group_size

    def _build_calibrated(self: Any, mode: str, config: Any) -> None:
        """Create the variables of a kernel of the shape `_kernel_shape`."""
        bits, group_size = self._calibrated_options(config)
        rows, columns = self._matrix_shape(self._kernel_shape)
        stored = (columns + 1) // 2 if bits == 4 else columns
        groups = 1 if group_size == -1 else math.ceil(rows / group_size)
        specs = [
            ("quantized_kernel", "kernel", (stored, rows), "zeros", "uint8"),
            ("kernel_scale", "kernel_scale", (columns, groups), "ones", None),
            ("kernel_zero", self._zero_name, (columns, groups), "zeros", "uint8"),
            ("awq_scales", "awq_scales", (rows,), "ones", None),
            ("g_idx", "g_idx", (rows,), "zeros", "float32"),
        ]
        for attribute, name, shape, initializer, dtype in specs:
            if attribute == "awq_scales" and mode != "awq":
                continue
            weight = self.add_weight(
                name=name, shape=shape, initializer=initializer, dtype=dtype, trainable=False
            )
            setattr(self, attribute, weight)
        setattr(self, f"is_{mode}_calibrated", False)

    @property
    def _is_calibrated(self: Any) -> bool:
        mode = self.quantization_mode
        return mode in CALIBRATED and getattr(self, f"is_{mode}_calibrated")

    @property
    def _needs_calibration(self: Any) -> bool:
        """Whether the layer was quantized by a method that has not seen examples yet."""
        return self.quantization_mode in CALIBRATED and not self._is_calibrated

    def _check_calibrated(self: Any) -> None:
        if not self._is_calibrated:
            raise ValueError(
                f"Layer '{self.name}' was not calibrated: quantize its model with "
                f"`model.quantize('{self.quantization_mode}', config=...)` before it is saved."
            )

    def enable_lora(self: Any, *args: Any, **kwargs: Any) -> None:
        """See `LowRankAdapter`."""
        if self.quantization_mode in CALIBRATED:
            raise NotImplementedError(
                f"Layer '{self.name}' is quantized with '{self.quantization_mode}', which low-rank "
                f"adapters (lora) cannot be combined with."
            )
        super().enable_lora(*args, **kwargs)  # type: ignore[misc]

    def load_own_variables(self: Any, store: Any) -> None:
        """Assign the variables in `store`: those of files are calibrated."""
        super().load_own_variables(store)  # type: ignore[misc]
        mode = self.quantization_mode
        if self.built and mode in CALIBRATED:
            setattr(self, f"is_{mode}_calibrated", True)

    def _set_calibrated(self: Any, **values: Any) -> None:
        """Assign the variables of a quantized kernel, and forget the kernel it stands for."""
        for name, value in values.items():
            getattr(self, name).assign(value)
        self._tpf_forget_weight("_kernel")
        setattr(self, f"is_{self.quantization_mode}_calibrated", True)

    def _levels(self: Any) -> Any:
        """Return the matrix of levels, of shape (outputs, inputs)."""
        stored = self.quantized_kernel.value()
        if self._calibrated_options(None)[0] != 4:
            return stored
        columns = self._matrix_shape(self._kernel_shape)[1]
        return int4.unpack_int4(stored, columns, axis=0, dtype="uint8")

    def _calibrated_kernel(self: Any) -> Any:
        """Return the kernel that the levels stand for."""
        scale, zero = self.kernel_scale.value(), self.kernel_zero.value()
        restored = affine.dequantize_with_sz_map(self._levels(), scale, zero, self.g_idx.value())
        matrix = tf.transpose(restored)
        if self.quantization_mode == "awq":
            matrix = matrix / self.awq_scales.value()[:, tf.newaxis]
        return tf.cast(tf.reshape(matrix, self._kernel_shape), self.compute_dtype)

    def _gptq_call(self: Any, inputs: Any, training: Any = None) -> Any:
        if self._is_calibrated:
            return self._finished(self._contract(inputs, self._calibrated_kernel()))
        if "_kernel" not in self.__dict__:
            raise ValueError(
                f"Layer '{self.name}' has no values for its quantized kernel yet: load its weights."
            )
        if self._observer is not None:
            self._observer(inputs)
        return self.call(inputs)

    _awq_call = _gptq_call
