"""AutoGraph for libraries that call functions of their users."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.autograph import control_status_ctx as control_status_ctx
from tapeflow._src.internal.autograph import tf_convert as tf_convert

_explain_missing(__name__)
