"""Variables and tensors of `keras.distribution` on meshes of devices."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.tensor_layout import Layout
from tapeflow._src.dtensor.variable import place
from tapeflow._src.eager.dtensor import GATHERED, DTensor, in_layout

MESH_NAME = GATHERED


def place_variable(variable: Any, layout: Layout) -> None:
    """Move the value of a new variable to a mesh: updates keep its layout."""
    if variable._cell.now() is not None:
        place(variable, layout)


def place_tensor(tensor: Any, layout: Layout) -> Any:
    """Return a tensor in a layout, eagerly or in a graph."""
    return in_layout(tensor, layout)


def is_on_mesh(tensor: Any) -> bool:
    """Return whether a tensor lies on a mesh."""
    return isinstance(tensor, DTensor)


def is_eager() -> bool:
    """Return whether operations run at once, not within a function that is traced."""
    return dispatch.current_graph() is None
