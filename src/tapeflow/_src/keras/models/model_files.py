"""Whole models in files: `.keras` archives of the config, the weights and a few notes, and others.

A name that ends in `.h5` is HDF5, and one without such an ending the folder of a SavedModel, both
as in Keras 2.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import shutil
import tempfile
import zipfile
from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.files import file_transaction, make_folder, replacing
from tapeflow._src.internal.meshes import written_once
from tapeflow._src.internal.user_errors import folds_errors
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.models.assets import copied_assets, load_assets, write_assets
from tapeflow._src.keras.models.legacy_files import load_legacy_model, save_legacy_model
from tapeflow._src.keras.models.orbax_files import (
    assets_folder,
    assign_state,
    is_orbax,
    read_checkpoint,
)
from tapeflow._src.keras.models.weights_files import read_weights, write_weights
from tapeflow._src.keras.saving import limits
from tapeflow._src.keras.saving.archive import FOLDER_JOURNAL, open_archive
from tapeflow._src.keras.saving.deserialization import (
    ReadSharingScope,
    SafeModeScope,
    creating,
    in_safe_mode,
    located,
    read_object,
)
from tapeflow._src.keras.saving.hdf5 import open_weights
from tapeflow._src.keras.saving.legacy_configs import modern_model
from tapeflow._src.keras.saving.object_registration import CustomObjectScope
from tapeflow._src.keras.saving.registry import LAYER
from tapeflow._src.keras.saving.serialization import WriteSharingScope, serialize_keras_object
from tapeflow._src.keras.saving.unchanged import unchanged_on_failure
from tapeflow._src.keras.version import __version__

_HDF5 = (".h5", ".hdf5")
_FOLDER = "tf"
_KERAS = ("keras", "keras_v3")
_FORMATS = frozenset({*_KERAS, "h5", "hdf5", "tf", "tensorflow"})
# Endings of folders in programs for Keras 2.
_FOLDER_ENDINGS = (".ckpt", ".model", ".tf")
_OF_FOLDERS = ("signatures", "options", "save_traces")
_folders = LazyModule("tapeflow._src.keras.models.saved_model_writer")
_reader = LazyModule("tapeflow._src.keras.models.saved_model_reader")
_METADATA, _CONFIG, _WEIGHTS = "metadata.json", "config.json", "model.weights.h5"


@folds_errors
def save_model(
    model: Any, filepath: Any, overwrite: bool = True, zipped: Any = None, **kwargs: Any
) -> None:
    """Write a model to a `.keras` file, an HDF5 file (`.h5`), or the folder of a SavedModel.

    The file is replaced at once and durably: after a crash it is the old or the new one.

    Args:
        model: Model to save.
        filepath: Path. The ending `.keras`, `.h5` or `.hdf5` says how; without an ending the
            model is saved as a SavedModel, as Keras 2 does.
        overwrite: Whether an existing file is replaced.
        zipped: False to write the parts of a `.keras` file to a folder instead.
        **kwargs: Options of Keras 2: `include_optimizer`, for HDF5 files and SavedModels;
            `save_format` (`"keras"`, `"h5"` or `"tf"`) instead of the ending; `signatures`,
            `options` and `save_traces` for SavedModels.

    Returns:
        None.

    Raises:
        FileExistsError: The file exists, and `overwrite` is False.
        ValueError: The name has another ending, or an argument is unknown.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        >>> tf.keras.models.save_model(model, "saved.keras")
        >>> tf.keras.models.load_model("saved.keras").output_shape
        (None, 2)
    """
    path = os.fspath(filepath)
    include_optimizer = kwargs.pop("include_optimizer", True)
    save_format = _format_of(path, kwargs.pop("save_format", None))
    of_folders = {key: kwargs.pop(key) for key in _OF_FOLDERS if key in kwargs}
    if kwargs or (of_folders and save_format != _FOLDER):
        raise ValueError(
            f"`save` takes `overwrite`, `zipped`, `include_optimizer` and `save_format`, and for "
            f"SavedModels {', '.join(_OF_FOLDERS)}. Received in addition: "
            f"{sorted({**kwargs, **of_folders})} with the format '{save_format}'."
        )
    if zipped is False and save_format != _FOLDER:
        raise ValueError(
            f"With zipped=False a model is saved as a folder, whose name should not end in "
            f"`.keras` or `.h5`. Received: filepath={path}"
        )
    with written_once(path, model.variables, overwrite) as own:
        if zipped is False:
            _write_folder(model, own)
        elif save_format == _FOLDER:
            _folders.save_as_saved_model(model, own, include_optimizer, **of_folders)
        elif save_format == "h5":
            save_legacy_model(model, own, include_optimizer)
        else:
            with replacing(own) as file:
                write_model(model, file)


def write_model(model: Any, file: Any) -> None:
    """Write a model as an archive, to a file that is open."""
    config = config_text(model)
    now = datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")
    notes = {"keras_version": __version__, "date_saved": now}
    with tempfile.TemporaryFile() as weights:
        write_weights(model, weights)
        weights.seek(0)
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(_METADATA, json.dumps(notes))
            archive.writestr(_CONFIG, config)
            with archive.open(_WEIGHTS, "w", force_zip64=True) as member:
                shutil.copyfileobj(weights, member, limits.MEBIBYTE)
            write_assets(model, archive)


def config_text(model: Any) -> str:
    """The config of a model with its classes, as JSON."""
    with WriteSharingScope():
        return json.dumps(serialize_keras_object(model))


def _write_folder(model: Any, path: str) -> None:
    """Write the parts of a `.keras` file to a folder, in which all are replaced together."""
    with tempfile.TemporaryFile() as file:
        write_model(model, file)
        make_folder(path)
        with (
            zipfile.ZipFile(file) as archive,
            file_transaction(os.path.join(path, FOLDER_JOURNAL)) as files,
        ):
            for name in archive.namelist():
                if not name.endswith("/"):
                    files.write(os.path.join(path, name), archive.read(name))


@folds_errors
def load_model(
    filepath: Any,
    custom_objects: Any = None,
    compile: bool = True,
    safe_mode: bool = True,
    **kwargs: Any,
) -> Any:
    """Read a model from a `.keras` file, an HDF5 file, a SavedModel folder or an Orbax checkpoint.

    Nothing in the file is run. Its classes are Keras' own, or those that are registered or passed.
    If the load fails, the state of the program is as before.

    Args:
        filepath: File or folder.
        custom_objects: Classes and functions of the program by name.
        compile: Whether the model is compiled as it was.
        safe_mode: Whether to refuse lambdas, whose code would be run.
        **kwargs: `options`, of type `tf.saved_model.LoadOptions`, for SavedModels.

    Returns:
        The model.

    Raises:
        ValueError: The file is no model, is damaged, or has a lambda although `safe_mode` is True.
        TypeError: A class or an argument is not known.
        OSError: The weights in the file are damaged, or there is no such HDF5 file.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        >>> model.save("model.keras")
        >>> loaded = tf.keras.models.load_model("model.keras")
        >>> bool(tf.reduce_all(loaded(tf.ones((1, 4))) == model(tf.ones((1, 4)))))
        True
    """
    path = os.fspath(filepath)
    options = kwargs.pop("options", None)
    if kwargs:
        raise TypeError(f"`load_model` received the unknown arguments {sorted(kwargs)}.")
    if _reader.is_saved_model(path):
        return _reader.load_saved_model(path, custom_objects, compile, safe_mode, options)
    if is_orbax(path):
        return _load_orbax(path, custom_objects, compile, safe_mode)
    if path.endswith(_HDF5) and os.path.isfile(path) and not zipfile.is_zipfile(path):
        return load_legacy_model(path, custom_objects, compile, safe_mode)
    if path.endswith(_HDF5) and not os.path.exists(path):
        raise FileNotFoundError(f"File not found: filepath={path}. Expected a model in HDF5.")
    return _load_archive(path, custom_objects, compile, safe_mode)


def _load_archive(path: str, custom_objects: Any, compile: bool, safe_mode: bool) -> Any:
    """Read a model from a `.keras` file."""
    with contextlib.ExitStack() as stack:
        weights = stack.enter_context(tempfile.TemporaryFile())
        with open_archive(path) as archive:
            config = _json(archive, _CONFIG, path)
            keras_2 = _METADATA in archive.names() and _is_of_keras_2(archive, path)
            size = archive.copy(_WEIGHTS, weights)
            assets = stack.enter_context(copied_assets(archive))
        _check_config(config, path)
        budget = limits.FREE_BYTES + limits.VARIABLE_RATIO * size
        with (
            unchanged_on_failure(),
            limits.variable_budget(budget),
            open_weights(weights, f"`{_WEIGHTS}` in {path}") as file,
        ):
            config = modern_model(config) if keras_2 else config
            model = _created(config, custom_objects, compile, safe_mode, path)
            # Now that there is an optimizer, whose variables are among them.
            read_weights(model, file)
            load_assets(model, assets)
    return model


def _load_orbax(path: str, custom_objects: Any, compile: bool, safe_mode: bool) -> Any:
    """Read a model from the last step of a checkpoint of Orbax."""
    saved = read_checkpoint(path)
    if saved.config is None:
        raise ValueError(
            f"The checkpoint {saved.path} has weights alone, without the config of the model. "
            f"Create the model, and call its `load_weights`."
        )
    config = limits.parse_json(saved.config, f"The config in {saved.path}")
    _check_config(config, saved.path)
    budget = limits.FREE_BYTES + limits.VARIABLE_RATIO * saved.size
    with unchanged_on_failure(), limits.variable_budget(budget), assets_folder(saved) as assets:
        model = _created(config, custom_objects, compile, safe_mode, saved.path)
        assign_state(model, saved)
        load_assets(model, assets)
    return model


def _check_config(config: Any, path: str) -> None:
    if not isinstance(config, dict):
        raise ValueError(
            f"Expected a dict as the config of {path}, but received {type(config).__name__}."
        )


def _json(archive: Any, name: str, path: str) -> Any:
    data = archive.read(name, limits.CONFIG_BYTES)
    return limits.parse_json(data, f"`{name}` in {path}")


def _is_of_keras_2(archive: Any, path: str) -> bool:
    metadata = _json(archive, _METADATA, path)
    version = metadata.get("keras_version") if isinstance(metadata, dict) else None
    return isinstance(version, str) and version.startswith("2.")


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
    own = not type(model).__module__.startswith("tapeflow._src.keras.")
    with (
        SafeModeScope(safe_mode if asked is None else asked),
        CustomObjectScope(custom_objects),
        located(".compile_config"),
        creating(type(model), own),
    ):
        model.compile_from_config(compiled)
    return model


def _format_of(path: str, save_format: Any) -> str:
    """Return the file format: the requested one, or that of the file name's ending."""
    if save_format not in (None, *_FORMATS):
        raise ValueError(
            f"`save_format` must be one of {sorted(_FORMATS)}. Received: "
            f"save_format={save_format!r}"
        )
    if path.endswith(_HDF5) or save_format in ("h5", "hdf5"):
        return "h5"
    if save_format in ("tf", "tensorflow"):
        return _FOLDER
    ending = os.path.splitext(path)[1]
    if save_format in _KERAS or (ending[1:].isalpha() and ending not in _FOLDER_ENDINGS):
        _check_extension(path)
        return "keras"
    # No ending, or something like the number of a version.
    return _FOLDER


def _check_extension(path: str) -> None:
    if not path.endswith(".keras"):
        raise ValueError(
            f"Expected a file name that ends in `.keras` or `.h5`, or one without an ending for "
            f"the folder of a SavedModel (`save_format='tf'` for any folder). Received: "
            f"filepath={path}"
        )
