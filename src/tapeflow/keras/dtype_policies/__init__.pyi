# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.dtype_policies.policy import DTypePolicy as DTypePolicy
from tapeflow._src.keras.dtype_policies.policy import FloatDTypePolicy as FloatDTypePolicy
from tapeflow._src.keras.dtype_policies.policy import deserialize as deserialize
from tapeflow._src.keras.dtype_policies.policy import get as get
from tapeflow._src.keras.dtype_policies.policy import serialize as serialize
from tapeflow._src.keras.dtype_policies.policy_map import DTypePolicyMap as DTypePolicyMap
from tapeflow._src.keras.dtype_policies.quantized import (
    QuantizedDTypePolicy as QuantizedDTypePolicy,
)
from tapeflow._src.keras.dtype_policies.quantized import (
    QuantizedFloat8DTypePolicy as QuantizedFloat8DTypePolicy,
)
from tapeflow._src.keras.dtype_policies.quantized import AWQDTypePolicy as AWQDTypePolicy
from tapeflow._src.keras.dtype_policies.quantized import GPTQDTypePolicy as GPTQDTypePolicy
from tapeflow._src.keras.dtype_policies.quantized import Int4DTypePolicy as Int4DTypePolicy
