"""`tf.compat.v1.keras.utils`: the namespace `tf.keras.utils`, and tools to leave sessions."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_TRACKING = ("get_or_create_layer", "track_tf1_style_variables")

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(_TRACKING, "tapeflow._src.keras.tf1.variable_tracking"),
        "DeterministicRandomTestTool": "tapeflow._src.keras.tf1.random_test_tool",
    },
    rest="tapeflow.keras.utils",
)
