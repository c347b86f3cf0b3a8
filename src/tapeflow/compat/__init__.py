"""`tf.compat`: text and bytes, sizes, and what is still asked of older versions."""

from tapeflow.compat.dimensions import dimension_at_index as dimension_at_index
from tapeflow.compat.dimensions import dimension_value as dimension_value
from tapeflow.compat.text import as_bytes as as_bytes
from tapeflow.compat.text import as_str as as_str
from tapeflow.compat.text import as_str_any as as_str_any
from tapeflow.compat.text import as_text as as_text
from tapeflow.compat.text import path_to_str as path_to_str
from tapeflow.compat.types import bytes_or_text_types as bytes_or_text_types
from tapeflow.compat.types import complex_types as complex_types
from tapeflow.compat.types import integral_types as integral_types
from tapeflow.compat.types import real_types as real_types
from tapeflow.core.lazy import later as _later

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "dimension_at_index",
    "dimension_value",
    "forward_compatibility_horizon",
    "forward_compatible",
    "integral_types",
    "path_to_str",
    "real_types",
    "v1",
    "v2",
]

# Loaded when it is used: programs of today do not.
__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "forward_compatibility_horizon": "tapeflow.compat.forward_compatibility",
        "forward_compatible": "tapeflow.compat.forward_compatibility",
        "v1": "tapeflow.compat.v1",
        "v2": "tapeflow:",
    },
)
