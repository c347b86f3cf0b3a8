"""The public namespace `tf.keras.export`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__, globals(), {"ExportArchive": "tapeflow._src.keras.export.export_archive"}
)
