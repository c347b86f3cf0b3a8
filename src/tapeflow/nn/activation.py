"""Activation functions."""

from __future__ import annotations

from typing import Any

from tapeflow.ops import activation, batch_norm, conv, depthwise, pooling, softmax  # noqa: F401


def relu(features: Any, name: str | None = None) -> Any:
    """`features` where positive, 0 elsewhere."""
    return activation.relu(features, name=name)
