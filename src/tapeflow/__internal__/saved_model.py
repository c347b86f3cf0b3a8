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
        "load": "tapeflow.__internal__.revived_types:",
        "model_children": "tapeflow.saving.model_objects",
        "object_notes": "tapeflow.saving.object_notes",
        "save_laid_out": "tapeflow.saving.save",
        "save_objects": "tapeflow.saving.checkpoint",
        "written_notes": "tapeflow.saving.object_notes",
    },
)
