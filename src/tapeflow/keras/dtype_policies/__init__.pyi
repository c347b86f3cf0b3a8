# Made by `make stubs` from the table in the module of the same name.

from tapeflow.keras.dtype_policies.policy import DTypePolicy as DTypePolicy
from tapeflow.keras.dtype_policies.policy import FloatDTypePolicy as FloatDTypePolicy
from tapeflow.keras.dtype_policies.policy import deserialize as deserialize
from tapeflow.keras.dtype_policies.policy import get as get
from tapeflow.keras.dtype_policies.policy import serialize as serialize
from tapeflow.keras.dtype_policies.policy_map import DTypePolicyMap as DTypePolicyMap
from tapeflow.keras.dtype_policies.quantized import (
    QuantizedFloat8DTypePolicy as QuantizedFloat8DTypePolicy,
)
from tapeflow.keras.dtype_policies.quantized import AWQDTypePolicy as AWQDTypePolicy
from tapeflow.keras.dtype_policies.quantized import GPTQDTypePolicy as GPTQDTypePolicy
from tapeflow.keras.dtype_policies.quantized import Int4DTypePolicy as Int4DTypePolicy
from tapeflow.keras.dtype_policies.quantized import QuantizedDTypePolicy as QuantizedDTypePolicy
