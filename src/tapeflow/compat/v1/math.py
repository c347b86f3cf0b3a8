"""`tf.compat.v1.math`: the namespace `tf.math`, some signatures older."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

_OLDER = (
    *("argmax", "argmin", "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max"),
    *("reduce_mean", "reduce_min", "reduce_prod", "reduce_sum"),
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(_OLDER, "tapeflow.compat.v1.functions"),
        "log_softmax": "tapeflow.nn",
        "mod": "tapeflow.compat.v1",
        "softmax": "tapeflow.nn",
    },
    rest="tapeflow.math",
)
