"""`tf.quantization`: floats as integers of few bits, for real or for training."""

from tapeflow._src.api.quantization.fake import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from tapeflow._src.api.quantization.fake import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from tapeflow._src.api.quantization.fake import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from tapeflow._src.api.quantization.fake import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from tapeflow._src.api.quantization.fake import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from tapeflow._src.api.quantization.fake import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,  # noqa: E501
)
from tapeflow._src.api.quantization.integers import dequantize as dequantize
from tapeflow._src.api.quantization.integers import quantize as quantize
from tapeflow._src.api.quantization.integers import (
    quantize_and_dequantize as quantize_and_dequantize,
)
from tapeflow._src.api.quantization.integers import (
    quantize_and_dequantize_v2 as quantize_and_dequantize_v2,
)
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
