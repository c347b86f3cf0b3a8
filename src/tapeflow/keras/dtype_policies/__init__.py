"""The public namespace `tf.keras.dtype_policies`."""

from tapeflow._src.core.lazy import later as _later
from tapeflow._src.keras.dtype_policies.policy import DTypePolicy as DTypePolicy
from tapeflow._src.keras.dtype_policies.policy import FloatDTypePolicy as FloatDTypePolicy
from tapeflow._src.keras.dtype_policies.policy import deserialize as deserialize
from tapeflow._src.keras.dtype_policies.policy import get as get
from tapeflow._src.keras.dtype_policies.policy import serialize as serialize

_QUANTIZED = (
    *("AWQDTypePolicy", "GPTQDTypePolicy", "Int4DTypePolicy", "QuantizedDTypePolicy"),
    "QuantizedFloat8DTypePolicy",
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "DTypePolicyMap": "tapeflow._src.keras.dtype_policies.policy_map",
        **dict.fromkeys(_QUANTIZED, "tapeflow._src.keras.dtype_policies.quantized"),
    },
)
