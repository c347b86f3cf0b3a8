"""Arguments named `<weight>_initializer`, `<weight>_regularizer` and `<weight>_constraint`.

A layer resolves those of one weight together, creates the weight with them, and writes them to its
config together.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.internal.argument_types import Identifier, ShapeLike
from tapeflow.keras import activations, constraints, initializers, regularizers

_KINDS: dict[str, Any] = {
    "activation": activations,
    "initializer": initializers,
    "regularizer": regularizers,
    "constraint": constraints,
}


def set_weight_arguments(
    layer: Any, prefix: str, initializer: Any, regularizer: Any, constraint: Any
) -> None:
    """Resolve the arguments of one weight and set them as attributes of the layer."""
    setattr(layer, f"{prefix}_initializer", initializers.get(initializer))
    setattr(layer, f"{prefix}_regularizer", regularizers.get(regularizer))
    setattr(layer, f"{prefix}_constraint", constraints.get(constraint))


def add_weight_for(
    layer: Any,
    prefix: str,
    shape: ShapeLike,
    name: str | None = None,
    initializer: Identifier | None = None,
    **options: Any,
) -> Any:
    """Create the weight whose arguments `set_weight_arguments` has set.

    Args:
        layer: The layer that the weight belongs to.
        prefix: What the names of its arguments begin with.
        shape: The shape of the weight.
        name: Its name, if that is not the prefix.
        initializer: What to use instead of the initializer that was set.
        **options: Further arguments of `add_weight`.
    """
    return layer.add_weight(
        name=name or prefix,
        shape=shape,
        initializer=initializer or getattr(layer, f"{prefix}_initializer"),
        regularizer=getattr(layer, f"{prefix}_regularizer"),
        constraint=getattr(layer, f"{prefix}_constraint"),
        **options,
    )


def serialized(layer: Any, *names: str) -> dict[str, Any]:
    """The config of the attributes `names`, each serialized as the end of its name says."""
    return {name: _KINDS[name.rpartition("_")[2]].serialize(getattr(layer, name)) for name in names}


def weight_config(layer: Any, prefix: str) -> dict[str, Any]:
    """The config of the arguments of one weight."""
    return serialized(
        layer, f"{prefix}_initializer", f"{prefix}_regularizer", f"{prefix}_constraint"
    )
