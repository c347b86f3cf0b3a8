"""The losses that a graph has collected."""

from __future__ import annotations

from typing import Any

from tapeflow import math
from tapeflow._src.api import arrays
from tapeflow._src.compat.v1.graphs import GraphKeys, add_to_collection, get_collection
from tapeflow._src.core import dispatch


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Add a loss to a collection of the graph; eagerly there are none."""
    if loss_collection and dispatch.current_graph() is not None:
        add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Any]:
    """Return the losses that were added."""
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Return the penalties of variables."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Any:
    """Return the sum of the penalties of variables; zero if there are none."""
    losses = get_regularization_losses(scope)
    return math.add_n(losses, name=name) if losses else arrays.constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Any:
    """Return the sum of all losses that were added, with the penalties of
    variables unless refused.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope)
    return math.add_n(losses, name=name)
