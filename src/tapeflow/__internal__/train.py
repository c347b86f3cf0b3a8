"""Checkpoints and mixed precision for libraries that train."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.train import (
    is_mixed_precision_graph_rewrite_enabled as is_mixed_precision_graph_rewrite_enabled,
)
from tapeflow._src.internal.train import (
    set_using_mixed_precision_policy as set_using_mixed_precision_policy,
)
from tapeflow._src.internal.train import update_checkpoint_state as update_checkpoint_state

_explain_missing(__name__)
