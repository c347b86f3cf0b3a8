"""Describes `.keras` models and HDF5 files of models and weights."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

from tapeflow._src.cli.description import Description, Size, Table, tensor_table
from tapeflow._src.keras.saving import limits
from tapeflow._src.keras.saving.archive import open_archive
from tapeflow._src.keras.saving.hdf5 import WeightsFile, open_weights

_WEIGHTS = "model.weights.h5"


def keras_model(path: str) -> Description:
    """Describe a model in the `.keras` format, an archive or a folder."""
    with open_archive(path) as archive:
        config = _json(archive, "config.json", path)
        metadata = _json(archive, "metadata.json", path) if "metadata.json" in archive else {}
        result = Description(path, "Keras model", _model_facts(config))
        result.facts["written by"] = f"Keras {metadata.get('keras_version', '?')}"
        result.facts["saved on"] = metadata.get("date_saved")
        result.facts["compiled"] = bool(config.get("compile_config"))
        result.facts["members"] = archive.names()
        result.tables = _layer_tables(config)
        if _WEIGHTS in archive:
            with tempfile.TemporaryFile() as file:
                archive.copy(_WEIGHTS, file)
                with open_weights(file, f"{_WEIGHTS} in {path}") as weights:
                    result.tables.append(tensor_table("weights", _datasets(weights)))
    return result


def hdf5(path: str) -> Description:
    """Describe an HDF5 file: a whole model, or weights."""
    with open_weights(path, path) as file:
        text = file.text("", "model_config", limits.CONFIG_BYTES)
        kind = "Keras weights (HDF5)" if text is None else "Keras model (HDF5)"
        result = Description(path, kind, {"size": Size(os.path.getsize(path))})
        if text is not None:
            config = _parsed(text, f"model_config of {path}")
            result.facts |= _model_facts(config)
            result.facts["written by"] = (
                f"Keras {file.text('', 'keras_version', limits.METADATA_BYTES) or '?'}"
            )
            result.facts["compiled"] = file.has_attribute("", "training_config")
            result.tables = _layer_tables(config)
        result.tables.append(tensor_table("weights", _datasets(file)))
    return result


def _json(archive: Any, name: str, path: str) -> Any:
    return _parsed(archive.read(name, limits.CONFIG_BYTES), f"{name} in {path}")


def _parsed(text: str | bytes, where: str) -> dict[str, Any]:
    value = limits.parse_json(text, where)
    if not isinstance(value, dict):
        raise ValueError(f"Expected a JSON object in {where}, received {type(value).__name__}.")
    return value


def _model_facts(config: dict[str, Any]) -> dict[str, Any]:
    inner = config.get("config")
    name = inner.get("name") if isinstance(inner, dict) else None
    return {"class": config.get("class_name"), "name": name}


def _layer_tables(config: dict[str, Any]) -> list[Table]:
    rows = [
        (
            layer["config"].get("name", layer.get("name")),
            layer.get("class_name"),
            layer.get("module"),
            layer.get("registered_name"),
        )
        for layer in _layers(config)
    ]
    return [Table("layers", ("layer", "class", "module", "registered as"), rows)]


def _layers(config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    inner = config.get("config")
    layers = inner.get("layers") if isinstance(inner, dict) else inner
    for layer in layers if isinstance(layers, list) else ():
        if isinstance(layer, dict) and isinstance(layer.get("config"), dict):
            yield layer


def _datasets(file: WeightsFile) -> Iterator[tuple[str, str, Any, int]]:
    for path in file.all_groups():
        for name, dataset in file.datasets(path, leave_out=file.groups(path)).items():
            yield f"{path}/{name}".lstrip("/"), str(dataset.dtype), dataset.shape, dataset.nbytes
