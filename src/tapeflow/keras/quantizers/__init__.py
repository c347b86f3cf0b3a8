"""The public namespace `tf.keras.quantizers`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_FILES = {
    "quantizer": ("AbsMaxQuantizer", "Quantizer", "abs_max_quantize"),
    "int4": ("abs_max_quantize_grouped_with_zero_point", "pack_int4", "unpack_int4"),
    "float8": (
        *("compute_float8_amax_history", "compute_float8_scale", "quantize_and_dequantize"),
    ),
    "fake_quantization": ("fake_quant_with_min_max_vars",),
    "configs": (
        *("AWQConfig", "Float8QuantizationConfig", "GPTQConfig", "Int4QuantizationConfig"),
        *("Int8QuantizationConfig", "QuantizationConfig"),
    ),
    "lookup": ("deserialize", "get", "serialize"),
}

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        name: f"tapeflow._src.keras.quantizers.{file}"
        for file, names in _FILES.items()
        for name in names
    },
)
