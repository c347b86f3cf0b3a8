"""Loading SavedModels into sessions: `tf.compat.v1.saved_model.load` and its kin."""

from __future__ import annotations

from typing import Any

from tapeflow._src.saved_model.load import load as load_v2
from tapeflow._src.saved_model.load import model_message
from tapeflow._src.saved_model.save import contains_saved_model
from tapeflow._src.saved_model.session_models import Builder, load_into_session, open_model

__all__ = ["SavedModelBuilder", "load", "load_v2", "maybe_saved_model_directory"]

SavedModelBuilder = Builder


def load(
    sess: Any,
    tags: Any,
    export_dir: Any,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> Any:
    """Import the graph of a SavedModel into that of a session, and restore its variables there.

    Returns the MetaGraphDef, whose signatures name the tensors.
    """
    folder, place, reader = open_model(export_dir)
    message = model_message(folder, place)
    return load_into_session(message, reader, folder, sess, tags, import_scope)


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether a folder has a SavedModel in it."""
    return contains_saved_model(export_dir)
