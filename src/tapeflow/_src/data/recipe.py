"""`Recipe`: what a transformation gives: the new dataset's tensor, and what its elements are."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from tapeflow._src.api.elements import Layout


class Recipe(NamedTuple):
    """A dataset in the making: `kind` is the name it goes by."""

    kind: str
    variant: Any
    spec: Any


class DatasetLike(Protocol):
    """What transformations ask of a dataset."""

    @property
    def _layout(self) -> Layout: ...

    @property
    def _variant_tensor(self) -> Any: ...


def described(layout: Layout) -> dict[str, Any]:
    """The attributes by which ops know the elements."""
    return {"output_types": layout.types, "output_shapes": layout.shapes}


def unchanged(kind: str, dataset: DatasetLike, variant: Any) -> Recipe:
    """A dataset with elements like those of `dataset`."""
    return Recipe(kind, variant, dataset._layout.spec)
