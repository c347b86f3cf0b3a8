"""`tensorflow.python.saved_model.save`: SavedModels of libraries that note what they hold."""

from __future__ import annotations

from typing import Any

from tapeflow._src.internal.tracking import references_by_object
from tapeflow._src.saved_model.model_options import SaveOptions
from tapeflow._src.saved_model.save import object_layout, save_laid_out
from tapeflow._src.saved_model.save import save as save


def save_and_return_nodes(
    obj: Any,
    export_dir: Any,
    signatures: Any = None,
    options: Any = None,
    experimental_skip_checkpoint: bool = False,
) -> tuple[list[Any], Any]:
    """Save an object; returns all objects by number, and the references on the way to each."""
    if experimental_skip_checkpoint:
        raise NotImplementedError(
            "experimental_skip_checkpoint=True: SavedModels are written with their variables."
        )
    graph = save_laid_out(obj, export_dir, signatures, options or SaveOptions(), object_layout())
    return [node.value for node in graph.nodes], references_by_object(graph)
