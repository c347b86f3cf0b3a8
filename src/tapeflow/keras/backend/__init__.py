"""The public namespace `tf.keras.backend`: Keras 3's settings, and the functions of Keras 2.

Names are loaded when they are used. Functions on tensors take KerasTensors as well: as in Keras 2,
such a call becomes a part of the model.
"""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later
from tapeflow._src.keras.backend.catalogue import FILES as _FILES

_CONFIG = (
    *("backend", "epsilon", "floatx", "image_data_format", "set_epsilon", "set_floatx"),
    *("set_image_data_format", "standardize_dtype"),
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(_CONFIG, "tapeflow._src.keras.config"),
        **{
            name: f"tapeflow._src.keras.backend.{file}"
            for file, names in _FILES.items()
            for name in names
        },
        "clear_session": "tapeflow._src.keras.session",
        "experimental": f"{__name__}.experimental",
        "get_uid": "tapeflow._src.keras.utils.naming",
        "name_scope": "tapeflow._src.keras.scopes",
        "reset_uids": "tapeflow._src.keras.utils.naming",
        "result_type": "tapeflow._src.keras.ops.promotion",
    },
)
