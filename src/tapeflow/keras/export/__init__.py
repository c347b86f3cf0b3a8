"""The public namespace `tf.keras.export`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__, globals(), {"ExportArchive": "tapeflow.keras.export.export_archive"}
)
