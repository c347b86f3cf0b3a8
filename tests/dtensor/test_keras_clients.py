"""Models that `keras.distribution` divides over several processes: they equal those of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeflow import keras
from tests.dtensor.clients import Clients, run

PROGRAMS = [f"keras_programs.{name}" for name in ("seeds", "own_rows", "training", "files")]
SIZES = [(2, 1), (2, 2), pytest.param(4, 1, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("count", "devices"), SIZES)
def test_models_train_as_on_one_device(tmp_path: Path, count: int, devices: int) -> None:
    # The files, whose program trains as well, for one size: they take most of the time.
    programs = PROGRAMS[:2] + PROGRAMS[3:] if devices == 1 else PROGRAMS[2:3]
    results = run(count, devices, *programs, FOLDER=str(tmp_path))
    assert all(result == results[0] for result in results)
    if devices == 1:
        model = keras.models.load_model(tmp_path / "model.keras")
        assert model.count_params() == keras.models.load_model(tmp_path / "saved").count_params()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("host0:1,host1:1", 3, 0), "or of the first"),
        (("host0:1", 2, None), "`process_id`"),
        (("host0:1", 2, 2), "from 0 to 1"),
        (("host0", 2, 0), "a host and a port"),
        ((None, "two", 0), "integer"),
    ],
)
def test_wrong_settings_are_explained(settings: tuple[object, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        keras.distribution.initialize(*settings)  # type: ignore[arg-type]


@pytest.mark.slow
def test_fit_resumes_exactly_after_a_process_is_killed(tmp_path: Path) -> None:
    program = "keras_programs.resumable"
    clients = Clients(2, 2, [program], {"FOLDER": str(tmp_path), "KILLED": "1"})
    errors = clients.errors(120)
    assert errors.pop(1).startswith("exit code -9")
    assert f"UnavailableError: {clients.name(1)} was lost" in errors[0], errors
    again = run(2, 2, program, FOLDER=str(tmp_path))
    (tmp_path / "undisturbed").mkdir()
    undisturbed = run(2, 2, program, FOLDER=str(tmp_path / "undisturbed"))
    assert [result[program][0] for result in again + undisturbed] == [3, 3, 6, 6]
    assert all(result[program][1] == undisturbed[0][program][1] for result in again)
