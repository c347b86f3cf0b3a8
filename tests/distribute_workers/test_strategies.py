"""`MultiWorkerMirroredStrategy` of two processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.distribute_workers.launch import run
from tests.keras import replicated_models

PROGRAMS = (
    *("properties", "collectives", "values_of_other_kinds", "meshes"),
    *("variables", "datasets", "keras"),
)
Results = list[dict[str, Any]]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for i in range(3):
        (folder / f"{i}.txt").write_text("".join(f"{i}{j}\n" for j in range(3)))
    return folder


@pytest.fixture(scope="module")
def results(texts: Path) -> Results:
    names = [f"strategies.{name}" for name in PROGRAMS]
    both = run(2, *names, "training.dense", environment={"TEXTS": str(texts)})
    return [{name.split(".")[1]: value for name, value in each.items()} for each in both]


def test_the_first_worker_is_the_chief(results: Results) -> None:
    for rank, result in enumerate(results):
        device = f"/job:worker/replica:0/task:{rank}/device:CPU:0"
        chief = rank == 0
        expected = [2, [device], chief, chief, True, rank, True, "MultiWorkerMirroredStrategy"]
        assert result["properties"] == expected


def test_replicas_meet_in_collectives(results: Results) -> None:
    for rank, result in enumerate(results):
        own = result["collectives"]
        x = rank + 1.0
        sparse = [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
        gradients = [2 * 2 * x, 2 * (rank + 1)]
        assert own["eager"] == [5.0, [1.0, 2.0, 2.0], 3.0, 3.0, sparse, *gradients]
        assert own["traced"] == [x, 3.0]
        np.testing.assert_allclose(own["along"], [5 / 3] * 2, 1e-6)
        assert own["gathered"] == [[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]
        assert own["values"] == [rank]


def test_values_that_are_no_floats_are_exchanged_or_refused(results: Results) -> None:
    for rank, result in enumerate(results):
        own = result["values_of_other_kinds"]
        assert own["placed"] == "/job:localhost/replica:0/task:0/device:CPU:0"
        assert own["bools"] == [True, False]
        assert own["means"] == "float32" and own["large"] == 2**41 + 1
        assert own["empty"] == [0, 3] and own["total"] == 3.0
        assert own["ragged"] == [[[[1]], [[]]], [[[2, 3]], [[4]]]][rank]
        assert own["sparse"] == [[[[1, 0]], [[3, 0]]], [[[0, 2]], []]][rank]
        words = ["strings cannot be exchanged", "strings cannot be exchanged", "their rank is 0"]
        words += ["Booleans cannot be summed", "unknown device"]
        words += ["another one has more" if rank == 0 else ""]
        for text, expected in zip(own["refusals"], words, strict=True):
            assert expected in text


def test_workers_cannot_form_a_mesh_as_well(results: Results) -> None:
    for rank, result in enumerate(results):
        assert len(result["meshes"]) == 1
        for text in result["meshes"]:
            assert f"already number {rank} of 2" in text and "belongs to one group" in text


def test_variables_are_those_of_the_first_worker_and_aggregate(results: Results) -> None:
    for rank, result in enumerate(results):
        initial, local, values, share = result["variables"]
        assert initial == 5.0 and local == rank + 1.0 and share == 4.0
        assert values == [6.5, 3.0, 1.0, rank + 1.0, 3.0, 1.5]


def test_datasets_are_divided_as_in_tensorflow(results: Results) -> None:
    first, second = (result["datasets"] for result in results)
    assert first["9 by 4"] == first["unknown"] == [[0, 1], [4, 5], [8]]
    assert second["9 by 4"] == second["unknown"] == [[2, 3], [6, 7], []]
    assert first["12 by 5"] == [[0, 1, 2], [5, 6, 7], [10]]
    assert second["12 by 5"] == [[3, 4], [8, 9], [11]]
    assert first["off"] == second["off"] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert (first["hint"], second["hint"]) == ([[0, 2], [4, 6]], [[1, 3], [5, 7]])
    assert (first["file"], second["file"]) == ([[0, 1], [2, 20], [21, 22]], [[10, 11], [12], []])
    assert first["nested"] == [[0], [20], [1], [21], [2], [22]]
    assert second["nested"] == [[10], [11], [12], [], [], []]
    assert (first["data"], second["data"]) == ([[0, 1], [11, 12], [22]], [[2, 10], [20, 21], []])
    assert first["function"] == [[0, 1], [2], [], []]
    assert second["function"] == [[0, 1], [2, 3], [4, 5], [6]]
    assert first["summed"] == second["summed"] == sum(range(9))


def test_keras_counts_every_sample_of_uneven_batches(results: Results, texts: Path) -> None:
    generator = np.random.default_rng(0)
    x = generator.normal(size=(13, 4)).astype(np.float32)
    y = generator.normal(size=(13, 1)).astype(np.float32)
    difference = x.sum(1, keepdims=True) - y
    expected = [(difference**2).mean(), abs(difference).mean()]
    for result in results:
        own = result["keras"]
        np.testing.assert_allclose(own["evaluated"], expected, 1e-5)
        np.testing.assert_allclose(own["predicted"], x.sum(1, keepdims=True), 1e-5, 1e-6)
        assert own["weights"] == results[0]["keras"]["weights"]
        assert own["restored"] == own["weights"] and own["epochs"] == []
    saved = tf.keras.models.load_model(texts / "best.keras")
    for variable, value in zip(saved.weights, results[0]["keras"]["weights"], strict=True):
        np.testing.assert_array_equal(variable, np.array(value, np.float32))


def _check_training(name: str, results: Results) -> None:
    """Compare the weights and results of all workers with those of one device."""
    alone = replicated_models.trained(
        getattr(replicated_models, name), tf.distribute.get_strategy()
    )
    for result in results:
        weights, values = result[name]
        for one, other in zip(alone[0], weights, strict=True):
            np.testing.assert_allclose(one, np.array(other, one.dtype), rtol=0, atol=1e-5)
        np.testing.assert_allclose(_numbers(alone[1]), _numbers(values), rtol=1e-4, atol=1e-4)


def _numbers(results: Any) -> np.ndarray:
    return np.concatenate([np.ravel(value) for value in tf.nest.flatten(results)])


def test_weights_equal_those_of_one_device(results: Results) -> None:
    _check_training("dense", results)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_weights_of_all_models_equal_those_of_one_device(count: int) -> None:
    names = [build.__name__ for build in replicated_models.MODELS]
    every = run(count, *(f"training.{name}" for name in names))
    results = [{n.split(".")[1]: value for n, value in each.items()} for each in every]
    for name in names:
        _check_training(name, results)
