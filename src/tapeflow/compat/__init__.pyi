# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.compat.dimensions import dimension_at_index as dimension_at_index
from tapeflow._src.compat.dimensions import dimension_value as dimension_value
from tapeflow._src.compat.forward_compatibility import (
    forward_compatibility_horizon as forward_compatibility_horizon,
)
from tapeflow._src.compat.forward_compatibility import forward_compatible as forward_compatible
from tapeflow._src.compat.types import bytes_or_text_types as bytes_or_text_types
from tapeflow._src.compat.types import complex_types as complex_types
from tapeflow._src.compat.types import integral_types as integral_types
from tapeflow._src.compat.types import real_types as real_types
from tapeflow._src.core.text import as_bytes as as_bytes
from tapeflow._src.core.text import as_str as as_str
from tapeflow._src.core.text import as_str_any as as_str_any
from tapeflow._src.core.text import as_text as as_text
from tapeflow._src.core.text import path_to_str as path_to_str
from tapeflow.compat import v1 as v1
import tapeflow as v2
