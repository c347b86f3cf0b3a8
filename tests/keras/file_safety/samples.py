"""Models in files, taken apart and put together again by a hostile hand."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

keras = tf.keras
GOLDEN = Path(__file__).parents[2] / "golden"


def functional() -> Any:
    """A small functional model."""
    inputs = keras.Input((4,), name="x")
    outputs = keras.layers.Dense(2, name="dense")(inputs)
    return keras.Model(inputs, outputs, name="small")


def members(model: Any, tmp_path: Path) -> dict[str, bytes]:
    """The members of the archive that a model is saved as."""
    path = tmp_path / "whole.keras"
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, parts: dict[str, bytes]) -> str:
    """The path of an archive with these members."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return str(path)


def with_config(tmp_path: Path, edit: Callable[[dict[str, Any]], Any], model: Any = None) -> str:
    """The path of a model in a file whose config was edited."""
    parts = members(functional() if model is None else model, tmp_path)
    config = json.loads(parts["config.json"])
    edit(config)
    return written(tmp_path / "edited.keras", {**parts, "config.json": json.dumps(config).encode()})


def with_weights(tmp_path: Path, edit: Callable[[Any], None], model: Any = None) -> str:
    """The path of a model in a file whose weights were edited."""
    h5py = __import__("h5py")
    parts = members(functional() if model is None else model, tmp_path)
    stream = io.BytesIO(parts["model.weights.h5"])
    with h5py.File(stream, "r+") as file:
        edit(file)
    parts["model.weights.h5"] = stream.getvalue()
    return written(tmp_path / "edited.keras", parts)


def called(module: Any, class_name: str, config: Any, *args: Any) -> dict[str, Any]:
    """An entry of a functional config that is called with arguments of the file."""
    return {
        "module": module,
        "class_name": class_name,
        "config": config,
        "registered_name": config if isinstance(config, str) else class_name,
        "name": "evil",
        "inbound_nodes": [{"args": list(args), "kwargs": {}}],
    }


def state_of(model: Any) -> list[Any]:
    """Copies of all values of a model and of its optimizer."""
    optimizer = getattr(model, "optimizer", None)
    variables = [*model.variables, *(optimizer.variables if optimizer is not None else ())]
    return copy.deepcopy([np.array(variable.numpy()) for variable in variables])


def same_state(model: Any, state: list[Any]) -> bool:
    """Whether all values are as they were."""
    now = state_of(model)
    return len(now) == len(state) and all(map(np.array_equal, now, state))
