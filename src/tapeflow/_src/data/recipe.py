"""`Recipe`: the result of a transformation: the new dataset's tensor and element layout."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from tapeflow._src.api.elements import Layout


class Recipe(NamedTuple):
    """The parts of a new dataset: `kind` is its class name."""

    kind: str
    variant: Any
    spec: Any


class DatasetLike(Protocol):
    """The protocol of datasets that transformations require."""

    @property
    def _layout(self) -> Layout: ...

    @property
    def _variant_tensor(self) -> Any: ...


def described(layout: Layout) -> dict[str, Any]:
    """Return the attributes that describe elements to ops."""
    return {"output_types": layout.types, "output_shapes": layout.shapes}


def unchanged(kind: str, dataset: DatasetLike, variant: Any) -> Recipe:
    """Return the recipe of a dataset with elements like those of `dataset`."""
    return Recipe(kind, variant, dataset._layout.spec)
