"""`tapeflow inspect PATH`: shows what a file of a model or of data holds, without loading it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

from tapeflow._src.cli import (
    describe_keras,
    describe_records,
    describe_saved_model,
    describe_stablehlo,
    file_kinds,
)
from tapeflow._src.cli.description import Description

NAME = "inspect"
HELP = (
    "Show what a SavedModel, checkpoint, .keras, .h5, .safetensors, .stablehlo, TFRecord or event "
    "file holds: signatures, variables, shapes, sizes, ops."
)

_DESCRIBED_BY: dict[str, Callable[[str], Description]] = {
    file_kinds.SAVED_MODEL: describe_saved_model.saved_model,
    file_kinds.CHECKPOINT: describe_saved_model.checkpoint,
    file_kinds.SAFETENSORS: describe_saved_model.safetensors,
    file_kinds.STABLEHLO: describe_stablehlo.stablehlo,
    file_kinds.KERAS: describe_keras.keras_model,
    file_kinds.KERAS_FOLDER: describe_keras.keras_model,
    file_kinds.HDF5: describe_keras.hdf5,
    file_kinds.EVENTS: describe_records.events,
    file_kinds.RECORDS: describe_records.records,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    parser.add_argument("path", help="a file, a folder, or the prefix of a checkpoint")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--all", action="store_true", help="show all rows of long tables")


def run(options: argparse.Namespace) -> int:
    """Print the description of `options.path`."""
    description = describe(options.path)
    if options.json:
        print(json.dumps(description.to_json(), indent=2))
    else:
        print(description.to_text(None) if options.all else description.to_text())
    return 0


def describe(path: str) -> Description:
    """Return a description of the file at `path`.

    Raises:
        OSError: if there is no such file, or it is damaged.
        ValueError: if it is of no kind that can be read, or refused.
    """
    return _DESCRIBED_BY[file_kinds.file_kind(path)](path)
