"""`tf.compat.v1.saved_model`: models of graphs and sessions, beside those of `tf.saved_model`."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

LEGACY_INIT_OP_KEY = "legacy_init_op"
MAIN_OP_KEY = "saved_model_main_op"

_PARTS = (
    *("builder", "constants", "loader", "main_op", "signature_constants", "signature_def_utils"),
    *("tag_constants", "utils"),
)
_SIGNATURES = (
    *("build_signature_def", "build_tensor_info", "classification_signature_def"),
    *("get_tensor_from_tensor_info", "is_valid_signature", "predict_signature_def"),
    "regression_signature_def",
)
_LOADING = ("load", "load_v2", "maybe_saved_model_directory")

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **{name: f"tapeflow.compat.v1.saved_model.{name}" for name in _PARTS},
        **dict.fromkeys(_SIGNATURES, "tapeflow._src.saved_model.signature_defs"),
        **dict.fromkeys(_LOADING, "tapeflow._src.saved_model.session_loading"),
        "Builder": "tapeflow._src.saved_model.session_models",
        "main_op_with_restore": "tapeflow.compat.v1.saved_model.main_op",
        "simple_save": "tapeflow._src.saved_model.session_models",
    },
    rest="tapeflow.saved_model",
)
