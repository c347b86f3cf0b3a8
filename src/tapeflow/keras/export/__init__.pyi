# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.export.export_archive import ExportArchive as ExportArchive
