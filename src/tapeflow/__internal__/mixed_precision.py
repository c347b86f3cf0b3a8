"""Optimizers of libraries that scale losses."""

from tapeflow._src.internal.mixed_precision import (
    register_loss_scale_wrapper as register_loss_scale_wrapper,
)
