"""Whole models in `.keras` files: an archive of the config, the weights and a few notes."""

from __future__ import annotations

import datetime
import io
import json
import os
import warnings
import zipfile
from pathlib import Path
from typing import Any

from tapeflow.keras.models.weights_files import read_weights, write_weights
from tapeflow.keras.saving.serialization import (
    ObjectSharingScope,
    deserialize_keras_object,
    serialize_keras_object,
)
from tapeflow.keras.version import __version__

_METADATA, _CONFIG, _WEIGHTS = "metadata.json", "config.json", "model.weights.h5"


def save_model(
    model: Any, filepath: Any, overwrite: bool = True, zipped: Any = None, **kwargs: Any
) -> None:
    """Write a model to a `.keras` file."""
    path = os.fspath(filepath)
    if kwargs:
        raise ValueError(f"The following argument(s) are not supported: {sorted(kwargs)}")
    _check_extension(path)
    if zipped is False:
        raise NotImplementedError(f"Models are saved as one file. Received: zipped={zipped}")
    if Path(path).exists() and not overwrite:
        raise FileExistsError(f"{path} exists already, and `overwrite` is False.")
    with ObjectSharingScope():
        config = serialize_keras_object(model)
    now = datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")
    weights = io.BytesIO()
    write_weights(model, weights)
    # Written beside, and then put in place: who reads finds the old model or the new one.
    unfinished = f"{path}.{os.getpid()}.unfinished"
    try:
        with zipfile.ZipFile(unfinished, "w") as archive:
            archive.writestr(
                _METADATA, json.dumps({"keras_version": __version__, "date_saved": now})
            )
            archive.writestr(_CONFIG, json.dumps(config))
            archive.writestr(_WEIGHTS, weights.getvalue())
        os.replace(unfinished, path)
    finally:
        Path(unfinished).unlink(missing_ok=True)


def load_model(
    filepath: Any, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """Read a model from a `.keras` file."""
    path = os.fspath(filepath)
    if not zipfile.is_zipfile(path):
        if path.endswith((".h5", ".hdf5")):
            _check_extension(path)
        raise ValueError(
            f"File not found: filepath={path}. Please ensure the file is an accessible `.keras` "
            f"zip file."
        )
    with zipfile.ZipFile(path) as archive:
        config = json.loads(archive.read(_CONFIG))
        weights = io.BytesIO(archive.read(_WEIGHTS))
    compiled = config.pop("compile_config", None)
    with ObjectSharingScope():
        model = deserialize_keras_object(config, custom_objects, safe_mode)
    if compile and compiled:
        if hasattr(model, "compile_from_config"):
            model.compile_from_config(compiled)
        else:
            warnings.warn(
                f"The model in {path} was compiled for training, which is left out here: pass "
                f"`compile=False` if that is all right.",
                stacklevel=2,
            )
    # Now that there is an optimizer, whose variables are among them.
    read_weights(model, weights)
    return model


def _check_extension(path: str) -> None:
    if path.endswith((".h5", ".hdf5")):
        raise NotImplementedError(
            f"Whole models in HDF5 files are not supported: use a `.keras` file, or weights alone "
            f"in a `.weights.h5` file. Received: filepath={path}"
        )
    if not path.endswith(".keras"):
        raise ValueError(
            f"Invalid filepath extension for saving. Please add either a `.keras` extension for "
            f"the native Keras format (recommended) or a `.h5` extension. Use "
            f"`model.export(filepath)` if you want to export a SavedModel for use with "
            f"TFLite/TFServing/etc. Received: filepath={path}."
        )
