"""Models in checkpoints of Orbax, laid out as Keras does.

A checkpoint is a folder of steps. A step has a `pytree` of the values of variables, by the parts
of their paths; the config of the model as JSON (`model_config`); and the files of its layers
(`assets`) as arrays of bytes. With weights alone there is only the tree.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.models.assets import asset_files
from tapeflow._src.keras.models.state_tree import flat, get_state_tree

_orbax = LazyModule(
    "orbax.checkpoint", needed_for="checkpoints of Orbax", install="orbax-checkpoint"
)
_TREE, _CONFIG, _ASSETS = "pytree", "model_config", "assets"
_METADATA = "_CHECKPOINT_METADATA"
_OF_WEIGHTS = ("trainable_variables", "non_trainable_variables")


# -- writing -----------------------------------------------------------------------------------


def open_checkpointer(directory: str, max_to_keep: int | None) -> Any:
    """Return the manager of a folder's steps, which keeps the last `max_to_keep`."""
    training = _orbax.v1.training
    policies = training.preservation_policies
    return training.Checkpointer(
        directory=os.path.abspath(directory),
        preservation_policy=None if max_to_keep is None else policies.LatestN(max_to_keep),
        save_decision_policy=training.save_decision_policies.FixedIntervalPolicy(1),
    )


def checkpointables(model: Any, config: str | None) -> dict[str, Any]:
    """Return the tree to write: the whole model with `config`, else its weights."""
    state = _copied(get_state_tree(model, "numpy_array"))
    if config is None:
        return {_TREE: {group: state[group] for group in _OF_WEIGHTS}}
    parts: dict[str, Any] = {_TREE: state, _CONFIG: {"config": config}}
    assets: dict[str, Any] = {}
    for name, file in asset_files(model):
        if file.is_file():
            *folders, last = name.split("/")
            level = assets
            for folder in folders:
                level = level.setdefault(folder, {})
            level[last] = np.frombuffer(file.read_bytes(), np.uint8)
    return parts | ({_ASSETS: assets} if assets else {})


def _copied(tree: Any) -> Any:
    """A copy, which training does not change while it is written; scalars as Python numbers."""
    if isinstance(tree, dict):
        return {name: _copied(value) for name, value in tree.items()}
    return np.array(tree) if np.ndim(tree) else tree.item()


# -- reading -----------------------------------------------------------------------------------


def is_orbax(path: str) -> bool:
    """Whether a path is that of a folder of steps, or of one step."""
    return os.path.isdir(path) and (_is_step(path) or bool(_steps(path)))


def _is_step(path: str) -> bool:
    return os.path.isfile(os.path.join(path, _METADATA))


def _steps(path: str) -> list[int]:
    return sorted(
        int(name)
        for name in os.listdir(path)
        if name.isdecimal() and _is_step(os.path.join(path, name))
    )


@dataclass(frozen=True)
class OrbaxModel:
    """The parts of a model in a checkpoint, as read."""

    path: str
    state: dict[str, Any]
    config: Any
    assets: dict[str, Any]

    @property
    def size(self) -> int:
        """The bytes of the values."""
        return sum(np.asarray(value).nbytes for _, value in flat(self.state))


def read_checkpoint(path: str) -> OrbaxModel:
    """Read a step, or the last one of a folder."""
    steps = [] if _is_step(path) else _steps(path)
    step = os.path.abspath(os.path.join(path, str(steps[-1])) if steps else path)
    ocp = _orbax.v1
    with ocp.Context():
        saved = ocp.checkpointables_metadata(step).metadata
        if _TREE not in saved:
            raise ValueError(
                f"Expected a checkpoint with the part '{_TREE}' at {step}. Received: "
                f"{sorted(saved)}"
            )
        request = {name: None for name in (_TREE, _CONFIG, _ASSETS) if name in saved}
        parts = ocp.load_checkpointables(step, request)
    config = parts.get(_CONFIG) or {}
    return OrbaxModel(step, parts[_TREE], config.get("config"), parts.get(_ASSETS) or {})


def assign_state(model: Any, saved: OrbaxModel) -> None:
    """Assign what a checkpoint has to the variables of a model; all is checked before that.

    Raises:
        ValueError: the checkpoint lacks a weight, or has another shape for it.
    """
    groups = {name: dict(flat(tree)) for name, tree in saved.state.items()}
    values = {path: each for name in _OF_WEIGHTS for path, each in groups.get(name, {}).items()}
    weights = {weight.path: _saved_path(weight.path, values) for weight in model.weights}
    missing = [path for path, saved_path in weights.items() if saved_path is None]
    if missing or not weights:
        raise ValueError(
            f"The checkpoint {saved.path} has no values for {missing or 'a model without weights'}:"
            f" it has {sorted(values)}. Layers need the names that they were saved with, and a "
            f"model must be built."
        )
    pairs = [(weight, values[weights[weight.path]]) for weight in model.weights]
    pairs += _random_state_pairs(model, values)
    pairs += _optimizer_pairs(model, groups.get("optimizer_variables", {}), weights, saved.path)
    metrics = groups.get("metrics_variables", {})
    pairs += [
        (each, metrics[each.path]) for each in model.metrics_variables if each.path in metrics
    ]
    for variable, value in pairs:
        if tuple(np.shape(value)) != tuple(variable.shape):
            raise ValueError(
                f"The variable {variable.path} has the shape {tuple(variable.shape)}, but the "
                f"checkpoint {saved.path} has {np.shape(value)}."
            )
    for variable, value in pairs:
        variable.assign(np.asarray(value))


def _saved_path(path: str, values: dict[str, Any]) -> Any:
    """The path that a weight was saved with: Sequential models may, or may not, begin it."""
    if path in values:
        return path
    alike = [each for each in values if each.endswith(f"/{path}") or path.endswith(f"/{each}")]
    return alike[0] if len(alike) == 1 else None


def _random_state_pairs(model: Any, values: dict[str, Any]) -> list[tuple[Any, Any]]:
    """The variables that are no weights, such as the states of seed generators, if saved."""
    weights = {id(weight) for weight in model.weights}
    states = [each for each in model.non_trainable_variables if id(each) not in weights]
    by_path = {_unnumbered_parent(path): value for path, value in values.items()}
    paths = [_saved_path(_unnumbered_parent(state.path), by_path) for state in states]
    return [(state, by_path[path]) for state, path in zip(states, paths) if path is not None]


def _unnumbered_parent(path: str) -> str:
    """The path without the number of what a variable belongs to: "seed_generator_1" is made up."""
    folder, _, name = path.rpartition("/")
    *above, parent = folder.split("/")
    return "/".join((*above, _unnumbered(parent), name))


def _unnumbered(name: str) -> str:
    stem, _, number = name.rpartition("_")
    return stem if stem and number.isdecimal() else name


def _optimizer_pairs(
    model: Any, values: dict[str, Any], weights: dict[str, Any], path: str
) -> list[tuple[Any, Any]]:
    """The variables of the optimizer with their values; none, with a warning, if some lack."""
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None or not values:
        return []
    if not optimizer.built and len(values) > len(optimizer.variables):
        optimizer.build(model.trainable_variables)
    names = {own.replace("/", "_"): each.replace("/", "_") for own, each in weights.items()}
    by_key = {_slot_key(saved_path): value for saved_path, value in values.items()}
    pairs = []
    for variable in optimizer.variables:
        folder, _, name = variable.path.rpartition("/")
        saved_path = f"{folder}/{_slot_name(name, names)}"
        if _slot_key(saved_path) not in by_key:
            warn_user(
                f"The state of the optimizer '{optimizer.name}' is not loaded: the checkpoint "
                f"{path} has no value for {saved_path}."
            )
            return []
        pairs.append((variable, by_key[_slot_key(saved_path)]))
    return pairs


def _slot_key(path: str) -> tuple[str, str]:
    """The optimizer that a variable belongs to, and its name.

    Names that Keras makes up are numbered: the second `Adam` of a program is "adam_1". The path
    of an optimizer inside a `LossScaleOptimizer` begins with that one's name, or not.
    """
    folder, _, name = path.rpartition("/")
    return _unnumbered(folder.rpartition("/")[2]), name


def _slot_name(name: str, names: dict[str, str]) -> str:
    """The name that a variable of an optimizer was saved with, by the names of the weights."""
    for own in sorted(names, key=len, reverse=True):
        if name.startswith(f"{own}_"):
            return f"{names[own]}{name[len(own) :]}"
    return name


@contextmanager
def assets_folder(saved: OrbaxModel) -> Iterator[Path | None]:
    """The folder of the files of layers, for the block; None if there are none."""
    if not saved.assets:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        _write(saved.assets, Path(folder), saved.path)
        yield Path(folder)


def _write(tree: dict[str, Any], folder: Path, path: str) -> None:
    for name, value in tree.items():
        if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
            raise ValueError(f"The checkpoint {path} has an asset with the bad name {name!r}.")
        if isinstance(value, dict):
            (folder / name).mkdir()
            _write(value, folder / name, path)
        else:
            (folder / name).write_bytes(np.asarray(value, np.uint8).tobytes())
