"""SavedModels and checkpoints of libraries with layouts of their own; loaded when it is used."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "Layout": "tapeflow.saving.model_objects",
        "NOTES_FILE": "tapeflow.saving.object_notes",
        "ObjectNote": "tapeflow.saving.object_notes",
        "decode_proto": "tapeflow.__internal__.nested_structure_coder",
        "encode_structure": "tapeflow.__internal__.nested_structure_coder",
        "find_node": "tapeflow.saving.node_paths",
        "load": "tapeflow.saving.revived_types:",
        "load_partial": "tapeflow.saving.load",
        "model_children": "tapeflow.saving.model_objects",
        "parse_saved_model": "tapeflow.saving.load",
        "object_notes": "tapeflow.saving.object_notes",
        "save_laid_out": "tapeflow.saving.save",
        "save_objects": "tapeflow.saving.checkpoint",
        "written_notes": "tapeflow.saving.object_notes",
    },
)
