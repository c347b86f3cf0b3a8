"""Recognises files by what they begin with, and folders by what they hold."""

from __future__ import annotations

import os

from tapeflow._src.core.crc32c import masked_crc32c

SAVED_MODEL = "SavedModel"
CHECKPOINT = "checkpoint"
KERAS = "Keras model"
KERAS_FOLDER = "Keras model (folder)"
HDF5 = "HDF5 file"
EVENTS = "event file"
RECORDS = "TFRecord file"
SAFETENSORS = "safetensors file"
STABLEHLO = "StableHLO file"

_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_HDF5 = b"\x89HDF\r\n\x1a\n"
_SAVED_MODEL_FILES = ("saved_model.pb", "saved_model.pbtxt")


def file_kind(path: str) -> str:
    """Return the kind of a path: a file, a folder, or the prefix of a checkpoint.

    Raises:
        OSError: if there is nothing.
        ValueError: if it is of no kind that is known.
    """
    kind = _folder_kind(path) if os.path.isdir(path) else _kind(path)
    if kind is None:
        raise ValueError(
            f"{path} is none of the kinds that can be read: a SavedModel folder, a checkpoint (its "
            f"prefix, `.index` file or folder), `.keras`, `.h5`, `.safetensors`, `.stablehlo`, "
            f"TFRecord or event file."
        )
    return kind


def _folder_kind(path: str) -> str | None:
    names = set(os.listdir(path))
    if names.intersection(_SAVED_MODEL_FILES):
        return SAVED_MODEL
    if {"config.json", "metadata.json"} <= names:
        return KERAS_FOLDER
    return CHECKPOINT if "checkpoint" in names else None


def _kind(path: str) -> str | None:
    if os.path.isfile(f"{path}.index") or path.endswith(".index"):
        return CHECKPOINT
    with open(path, "rb") as file:
        start = file.read(12)
    if path.endswith(".safetensors"):
        return SAFETENSORS
    if path.endswith(".stablehlo"):
        return STABLEHLO
    if os.path.basename(path) in _SAVED_MODEL_FILES:
        return SAVED_MODEL
    if start.startswith(_HDF5):
        return HDF5
    if start.startswith(_ZIP):
        return KERAS
    if ".tfevents." in os.path.basename(path):
        return EVENTS
    return RECORDS if _begins_record(start) else None


def _begins_record(start: bytes) -> bool:
    """Return whether bytes are the length of a record with its checksum, or a gzip header."""
    if start.startswith(_GZIP) or not start:
        return True
    return len(start) == 12 and masked_crc32c(start[:8]) == int.from_bytes(start[8:], "little")
