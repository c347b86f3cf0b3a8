# Made by `make stubs` from the table in the module of the same name.

from tapeflow.compat import v1 as v1
from tapeflow.compat.dimensions import dimension_at_index as dimension_at_index
from tapeflow.compat.dimensions import dimension_value as dimension_value
from tapeflow.compat.forward_compatibility import (
    forward_compatibility_horizon as forward_compatibility_horizon,
)
from tapeflow.compat.forward_compatibility import forward_compatible as forward_compatible
from tapeflow.compat.text import as_bytes as as_bytes
from tapeflow.compat.text import as_str as as_str
from tapeflow.compat.text import as_str_any as as_str_any
from tapeflow.compat.text import as_text as as_text
from tapeflow.compat.text import path_to_str as path_to_str
from tapeflow.compat.types import bytes_or_text_types as bytes_or_text_types
from tapeflow.compat.types import complex_types as complex_types
from tapeflow.compat.types import integral_types as integral_types
from tapeflow.compat.types import real_types as real_types
import tapeflow as v2
