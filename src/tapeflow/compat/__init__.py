"""`tf.compat`: text and bytes, sizes, and what is still asked of older versions."""

from tapeflow._src.compat.dimensions import dimension_at_index as dimension_at_index
from tapeflow._src.compat.dimensions import dimension_value as dimension_value
from tapeflow._src.compat.types import bytes_or_text_types as bytes_or_text_types
from tapeflow._src.compat.types import complex_types as complex_types
from tapeflow._src.compat.types import integral_types as integral_types
from tapeflow._src.compat.types import real_types as real_types
from tapeflow._src.core.lazy import later as _later
from tapeflow._src.core.text import as_bytes as as_bytes
from tapeflow._src.core.text import as_str as as_str
from tapeflow._src.core.text import as_str_any as as_str_any
from tapeflow._src.core.text import as_text as as_text
from tapeflow._src.core.text import path_to_str as path_to_str

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
        "forward_compatibility_horizon": "tapeflow._src.compat.forward_compatibility",
        "forward_compatible": "tapeflow._src.compat.forward_compatibility",
        "v1": "tapeflow.compat.v1",
        "v2": "tapeflow:",
    },
)
