"""`tf.saved_model.experimental`: resources created anew where a model is loaded, and policies."""

from tapeflow._src.core.lazy import later as _later
from tapeflow._src.saved_model.variable_policy import VariablePolicy as VariablePolicy

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "Fingerprint": "tapeflow._src.saved_model.fingerprints",
        "TrackableResource": "tapeflow._src.checkpoint.resources",
        "read_fingerprint": "tapeflow._src.saved_model.fingerprints",
    },
)
