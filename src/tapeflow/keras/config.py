"""The public namespace `tf.keras.config`: what holds for a whole program."""

from tapeflow._src.core.lazy import later as _later
from tapeflow._src.keras.config import backend as backend
from tapeflow._src.keras.config import disable_flash_attention as disable_flash_attention
from tapeflow._src.keras.config import disable_interactive_logging as disable_interactive_logging
from tapeflow._src.keras.config import disable_traceback_filtering as disable_traceback_filtering
from tapeflow._src.keras.config import enable_flash_attention as enable_flash_attention
from tapeflow._src.keras.config import enable_interactive_logging as enable_interactive_logging
from tapeflow._src.keras.config import enable_traceback_filtering as enable_traceback_filtering
from tapeflow._src.keras.config import epsilon as epsilon
from tapeflow._src.keras.config import floatx as floatx
from tapeflow._src.keras.config import image_data_format as image_data_format
from tapeflow._src.keras.config import is_flash_attention_enabled as is_flash_attention_enabled
from tapeflow._src.keras.config import (
    is_interactive_logging_enabled as is_interactive_logging_enabled,
)
from tapeflow._src.keras.config import is_nnx_enabled as is_nnx_enabled
from tapeflow._src.keras.config import (
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
)
from tapeflow._src.keras.config import max_epochs as max_epochs
from tapeflow._src.keras.config import max_steps_per_epoch as max_steps_per_epoch
from tapeflow._src.keras.config import set_backend as set_backend
from tapeflow._src.keras.config import set_epsilon as set_epsilon
from tapeflow._src.keras.config import set_floatx as set_floatx
from tapeflow._src.keras.config import set_image_data_format as set_image_data_format
from tapeflow._src.keras.config import set_max_epochs as set_max_epochs
from tapeflow._src.keras.config import set_max_steps_per_epoch as set_max_steps_per_epoch

# What stands on these settings, and is loaded when it is used.
__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "dtype_policy": "tapeflow._src.keras.dtype_policies.policy",
        "enable_unsafe_deserialization": "tapeflow._src.keras.saving.deserialization",
        "set_dtype_policy": "tapeflow._src.keras.dtype_policies.policy",
    },
)
