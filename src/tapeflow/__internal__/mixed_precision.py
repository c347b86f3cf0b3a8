"""Optimizers of libraries that scale losses."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.mixed_precision import (
    register_loss_scale_wrapper as register_loss_scale_wrapper,
)

_explain_missing(__name__)
