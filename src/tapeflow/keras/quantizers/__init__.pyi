# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.quantizers.configs import (
    Float8QuantizationConfig as Float8QuantizationConfig,
)
from tapeflow._src.keras.quantizers.configs import AWQConfig as AWQConfig
from tapeflow._src.keras.quantizers.configs import GPTQConfig as GPTQConfig
from tapeflow._src.keras.quantizers.configs import Int4QuantizationConfig as Int4QuantizationConfig
from tapeflow._src.keras.quantizers.configs import Int8QuantizationConfig as Int8QuantizationConfig
from tapeflow._src.keras.quantizers.configs import QuantizationConfig as QuantizationConfig
from tapeflow._src.keras.quantizers.fake_quantization import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from tapeflow._src.keras.quantizers.float8 import (
    compute_float8_amax_history as compute_float8_amax_history,
)
from tapeflow._src.keras.quantizers.float8 import compute_float8_scale as compute_float8_scale
from tapeflow._src.keras.quantizers.float8 import quantize_and_dequantize as quantize_and_dequantize
from tapeflow._src.keras.quantizers.int4 import (
    abs_max_quantize_grouped_with_zero_point as abs_max_quantize_grouped_with_zero_point,
)
from tapeflow._src.keras.quantizers.int4 import pack_int4 as pack_int4
from tapeflow._src.keras.quantizers.int4 import unpack_int4 as unpack_int4
from tapeflow._src.keras.quantizers.lookup import deserialize as deserialize
from tapeflow._src.keras.quantizers.lookup import get as get
from tapeflow._src.keras.quantizers.lookup import serialize as serialize
from tapeflow._src.keras.quantizers.quantizer import AbsMaxQuantizer as AbsMaxQuantizer
from tapeflow._src.keras.quantizers.quantizer import Quantizer as Quantizer
from tapeflow._src.keras.quantizers.quantizer import abs_max_quantize as abs_max_quantize
