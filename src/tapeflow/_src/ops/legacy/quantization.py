"""Quantize-dequantize ops whose range or bits are attributes or tensors of another form."""

from __future__ import annotations

import numpy as np

from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.legacy.renaming import infer, run
from tapeflow._src.ops.quantization.quantize import quantize_and_dequantize_v2


@op("QuantizeAndDequantize", dtypes=FLOATING, checked=True)
def quantize_and_dequantize(
    xp, input, *, signed_input=True, num_bits=8, range_given=False, input_min=0.0, input_max=0.0
):
    """Round `input` to one of the steps between its limits."""
    limits = (np.array(limit, input.dtype) for limit in (input_min, input_max))
    attrs = {"signed_input": signed_input, "num_bits": num_bits, "range_given": range_given}
    return run(quantize_and_dequantize_v2, xp, input, *limits, **attrs)


@quantize_and_dequantize.infer
def _(input, *, signed_input, num_bits, range_given, input_min, input_max):
    if range_given and input_min > input_max:
        raise InferError(f"Invalid range: input_min {input_min} > input_max {input_max}")
    limit = Spec((), input.dtype)
    attrs = {"signed_input": signed_input, "num_bits": num_bits}
    return infer(quantize_and_dequantize_v2, input, limit, limit, **attrs)


@quantize_and_dequantize.gradient
def _(dz):
    return dz


@op("QuantizeAndDequantizeV3", dtypes=FLOATING, checked=True)
def quantize_and_dequantize_v3(
    xp,
    input,
    input_min,
    input_max,
    num_bits: Static,
    *,
    signed_input=True,
    range_given=True,
    narrow_range=False,
    axis=-1,
):
    """Round `input` to one of the steps between its limits."""
    return run(
        quantize_and_dequantize_v2,
        xp,
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=int(num_bits),
        range_given=range_given,
        narrow_range=narrow_range,
        axis=axis,
    )


@quantize_and_dequantize_v3.infer
def _(input, input_min, input_max, num_bits, **attrs):
    require_rank(num_bits, 0, "num_bits")
    bits = 8 if num_bits.value is None else int(num_bits.value)
    return infer(quantize_and_dequantize_v2, input, input_min, input_max, num_bits=bits, **attrs)


@quantize_and_dequantize_v3.gradient
def _(dz):
    return dz, None, None, None
