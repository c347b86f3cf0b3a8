"""Whole models in `.keras` files: an archive of the config, the weights and a few notes."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from tapeflow.__internal__.files import replacing
from tapeflow.keras.models.weights_files import read_weights, write_weights
from tapeflow.keras.saving import limits
from tapeflow.keras.saving.archive import open_archive
from tapeflow.keras.saving.deserialization import (
    ReadSharingScope,
    SafeModeScope,
    creating,
    in_safe_mode,
    located,
    read_object,
)
from tapeflow.keras.saving.hdf5 import open_weights
from tapeflow.keras.saving.object_registration import CustomObjectScope
from tapeflow.keras.saving.registry import LAYER
from tapeflow.keras.saving.serialization import WriteSharingScope, serialize_keras_object
from tapeflow.keras.saving.unchanged import unchanged_on_failure
from tapeflow.keras.user_warnings import warn_user
from tapeflow.keras.version import __version__

_METADATA, _CONFIG, _WEIGHTS = "metadata.json", "config.json", "model.weights.h5"


def save_model(
    model: Any, filepath: Any, overwrite: bool = True, zipped: Any = None, **kwargs: Any
) -> None:
    """Write a model to a `.keras` file.

    The file is replaced at once and durably: after a crash it is the old or the new one.

    Args:
        model: the model.
        filepath: where, with the ending `.keras`.
        overwrite: whether a file that exists is replaced.
        zipped: must not be False; models are saved as one file.

    Raises:
        FileExistsError: the file exists, and `overwrite` is False.
    """
    path = os.fspath(filepath)
    if kwargs:
        raise ValueError(
            f"`save` takes `overwrite` and `zipped` only. Received the unknown arguments "
            f"{sorted(kwargs)}"
        )
    _check_extension(path)
    if zipped is False:
        raise NotImplementedError(f"Models are saved as one file. Received: zipped={zipped}")
    if Path(path).exists() and not overwrite:
        raise FileExistsError(f"{path} exists already, and `overwrite` is False.")
    with WriteSharingScope():
        config = serialize_keras_object(model)
    now = datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")
    notes = {"keras_version": __version__, "date_saved": now}
    with tempfile.TemporaryFile() as weights, replacing(path) as file:
        write_weights(model, weights)
        weights.seek(0)
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(_METADATA, json.dumps(notes))
            archive.writestr(_CONFIG, json.dumps(config))
            with archive.open(_WEIGHTS, "w", force_zip64=True) as member:
                shutil.copyfileobj(weights, member, limits.MEBIBYTE)


def load_model(
    filepath: Any, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """Read a model from a `.keras` file.

    Nothing in the file is run. Its classes are Keras' own, or those that are registered or passed.
    If the load fails, the state of the program is as before.

    Args:
        filepath: the file.
        custom_objects: classes and functions of the program by name.
        compile: whether the model is compiled as it was.
        safe_mode: refuse lambdas, whose code would be run.

    Returns:
        The model.

    Raises:
        ValueError: the file is no model, is damaged, or has a lambda although `safe_mode` is True.
        TypeError: a class is not known.
        OSError: the weights in the file are damaged.
    """
    path = os.fspath(filepath)
    if path.endswith((".h5", ".hdf5")) and not zipfile.is_zipfile(path):
        _check_extension(path)
    with tempfile.TemporaryFile() as weights:
        with open_archive(path) as archive:
            config = limits.parse_json(
                archive.read(_CONFIG, limits.CONFIG_BYTES), f"`{_CONFIG}` in {path}"
            )
            size = archive.copy(_WEIGHTS, weights)
        if not isinstance(config, dict):
            raise ValueError(
                f"Expected a dict in `{_CONFIG}` of {path}, but received {type(config).__name__}."
            )
        budget = limits.FREE_BYTES + limits.VARIABLE_RATIO * size
        with (
            unchanged_on_failure(),
            limits.variable_budget(budget),
            open_weights(weights, f"`{_WEIGHTS}` in {path}") as file,
        ):
            model = _created(config, custom_objects, compile, safe_mode, path)
            # Now that there is an optimizer, whose variables are among them.
            read_weights(model, file)
    return model


def _created(
    config: dict[str, Any], custom_objects: Any, compile: bool, safe_mode: bool, path: str
) -> Any:
    """The model of a config, with new weights."""
    compiled = config.pop("compile_config", None)
    with ReadSharingScope():
        model = read_object(config, LAYER, custom_objects, safe_mode)
    if not compile or not compiled:
        return model
    if not hasattr(model, "compile_from_config"):
        warn_user(
            f"The model in {path} was compiled for training, which is left out here: pass "
            f"`compile=False` if that is all right.",
        )
        return model
    asked = in_safe_mode()
    own = not type(model).__module__.startswith("tapeflow.keras.")
    with (
        SafeModeScope(safe_mode if asked is None else asked),
        CustomObjectScope(custom_objects),
        located(".compile_config"),
        creating(type(model), own),
    ):
        model.compile_from_config(compiled)
    return model


def _check_extension(path: str) -> None:
    if path.endswith((".h5", ".hdf5")):
        raise NotImplementedError(
            f"Whole models in HDF5 files are not supported: use a `.keras` file, or weights alone "
            f"in a `.weights.h5` file. Received: filepath={path}"
        )
    if not path.endswith(".keras"):
        raise ValueError(
            f"Expected a file name that ends in `.keras`. `model.export(filepath)` writes a "
            f"SavedModel. Received: filepath={path}"
        )
