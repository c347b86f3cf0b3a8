"""`tf.compat.v1.saved_model.loader`."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    dict.fromkeys(
        ("load", "maybe_saved_model_directory"), "tapeflow._src.saved_model.session_loading"
    ),
)
