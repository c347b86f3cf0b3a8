"""Callbacks of two workers: the chief writes what one process would, and all decide the same."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.distribute_workers import callback_programs
from tests.distribute_workers.launch import run

Results = list[dict[str, Any]]
CUSTOM = {"Observed": callback_programs.Observed}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module")
def results(folder: Path) -> Results:
    programs = [f"callback_programs.{name}" for name in ("files_of_callbacks", "stop_at_nan")]
    both = run(2, *programs, environment={"CALLBACKS_FOLDER": str(folder)})
    return [{name.split(".")[1]: value for name, value in each.items()} for each in both]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return the folder and the results of the same training in one process."""
    own = tmp_path_factory.mktemp("alone") / "0"
    own.mkdir()
    return own, callback_programs.train(tf.distribute.get_strategy(), own)


def _plain(files: list[str]) -> set[str]:
    """Return the names of files without what differs from one run to the next."""
    return {name for name in files if "tfevents" not in name and "plugins" not in name}


def test_only_the_chief_leaves_files(
    results: Results, alone: tuple[Path, dict[str, Any]], folder: Path
) -> None:
    chief, other = (result["files_of_callbacks"] for result in results)
    assert _plain(chief["files"]) == _plain(alone[1]["files"])
    assert {"log.csv", "1.keras", "2.keras", "1.weights.h5"} <= set(chief["files"])
    assert any("plugins/profile" in name for name in chief["files"])
    assert other["files"] == []
    assert chief["temporary"] == other["temporary"] == []


def test_all_workers_see_the_logs_of_one_process(
    results: Results, alone: tuple[Path, dict[str, Any]]
) -> None:
    first, second = (result["files_of_callbacks"] for result in results)
    for key in ("history", "batches", "weights"):
        assert first[key] == second[key]
    history = alone[1]["history"]
    assert first["history"].keys() == history.keys()
    for name, values in history.items():
        assert len(values) == 2  # early stopping
        np.testing.assert_allclose(first["history"][name], values, 1e-5)
    for one, other in zip(alone[1]["batches"], first["batches"], strict=True):
        np.testing.assert_allclose(list(other.values()), list(one.values()), 1e-5)
    for value, expected in zip(first["weights"], alone[1]["weights"], strict=True):
        np.testing.assert_allclose(value, expected, 1e-5, 1e-6)


def test_models_of_the_chief_are_those_of_one_process(
    results: Results, alone: tuple[Path, dict[str, Any]], folder: Path
) -> None:
    own = alone[0]
    for name in ("0/1.keras", "0/2.keras", "model_0", "shared.keras"):
        loaded, expected = (
            tf.keras.models.load_model(base / name, custom_objects=CUSTOM)
            for base in (folder, own.parent)
        )
        for value, wanted in zip(loaded.get_weights(), expected.get_weights(), strict=True):
            np.testing.assert_allclose(value, wanted, 1e-5, 1e-6)
    model = callback_programs._model(tf.distribute.get_strategy())
    for name in ("0/1.weights.h5", "shared.weights.h5"):
        # Early stopping has restored the weights of the first epoch.
        model.load_weights(folder / name)
        weights = results[0]["files_of_callbacks"]["weights"]
        for value, wanted in zip(model.get_weights(), weights, strict=True):
            np.testing.assert_array_equal(value, np.array(wanted, np.float32))


def _rows(path: Path) -> list[dict[str, float]]:
    with path.open() as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def test_csv_files_equal_those_of_one_process(
    results: Results, alone: tuple[Path, dict[str, Any]], folder: Path
) -> None:
    for row, expected in zip(
        _rows(folder / "0" / "log.csv"), _rows(alone[0] / "log.csv"), strict=True
    ):
        assert row.keys() == expected.keys()
        np.testing.assert_allclose(list(row.values()), list(expected.values()), 1e-5)


def _events(folder: Path) -> Iterator[Any]:
    for path in sorted(folder.rglob("*tfevents*")):
        yield from tf.compat.v1.train.summary_iterator(str(path))


def _scalars(folder: Path) -> dict[tuple[str, int], float]:
    return {
        (value.tag, event.step): float(tf.make_ndarray(value.tensor))
        for event in _events(folder)
        for value in event.summary.value
        if value.metadata.plugin_data.plugin_name == "scalars" or value.tag.startswith("epoch_")
    }


def _tags(folder: Path) -> set[tuple[str, int]]:
    return {(value.tag, event.step) for event in _events(folder) for value in event.summary.value}


def test_event_files_equal_those_of_one_process(
    results: Results, alone: tuple[Path, dict[str, Any]], folder: Path
) -> None:
    for kind in ("train", "validation"):
        written, expected = (path / "logs" / kind for path in (folder / "0", alone[0]))
        assert _tags(written) == _tags(expected)
        values, wanted = _scalars(written), _scalars(expected)
        assert values.keys() == wanted.keys()
        # What the model writes in a step is about the rows of this worker.
        names = [key for key in values if "mean_input" not in key[0]]
        assert ("epoch_loss", 1) in names
        np.testing.assert_allclose(
            [values[name] for name in names], [wanted[name] for name in names], 1e-5
        )
    graphs = [e for e in _events(folder / "0" / "logs" / "train") if e.graph_def]
    assert b"_WorkerSum" in graphs[0].graph_def


def test_nan_of_one_worker_stops_all(results: Results) -> None:
    assert [result["stop_at_nan"] for result in results] == [2, 2]
