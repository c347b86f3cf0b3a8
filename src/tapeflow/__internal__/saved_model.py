"""SavedModels and checkpoints of libraries with layouts of their own; loaded when it is used."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "Layout": "tapeflow._src.saved_model.model_objects",
        "NOTES_FILE": "tapeflow._src.saved_model.object_notes",
        "ObjectNote": "tapeflow._src.saved_model.object_notes",
        "decode_proto": "tapeflow._src.internal.nested_structure_coder",
        "encode_structure": "tapeflow._src.internal.nested_structure_coder",
        "find_node": "tapeflow._src.checkpoint.node_paths",
        "load": "tapeflow._src.saved_model.revived_types:",
        "load_partial": "tapeflow._src.saved_model.load",
        "model_children": "tapeflow._src.saved_model.model_objects",
        "parse_saved_model": "tapeflow._src.saved_model.load",
        "object_notes": "tapeflow._src.saved_model.object_notes",
        "save_laid_out": "tapeflow._src.saved_model.save",
        "save_objects": "tapeflow._src.checkpoint.checkpoint",
        "written_notes": "tapeflow._src.saved_model.object_notes",
    },
)
