"""The example programs, with few steps: they run, and what they train gets better."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from examples import (
    bucketing,
    cart_pole,
    char_transformer,
    gan,
    physics_informed,
    resumable_loop,
    serve,
    tabular,
    text_classification,
    tfrecords,
    time_series,
    training_loop,
    transfer_learning,
    vae,
)

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
def test_bucketing_pads_less_and_learns() -> None:
    result = bucketing.train(epochs=3)
    assert result["padding, buckets"] < 0.6 * result["padding, batches in order"]
    assert result["accuracy"] > 0.8


@pytest.mark.slow
def test_cart_pole_stays_up_longer() -> None:
    lengths = cart_pole.train(episodes=30)
    assert sum(lengths[-3:]) > 1.5 * sum(lengths[:3])


@pytest.mark.slow
def test_char_transformer_learns() -> None:
    losses, right = char_transformer.train(steps=60)
    assert losses[-1] < 0.8 * losses[0] and 0 <= right <= 1


@pytest.mark.slow
def test_gan_moves_to_the_ring() -> None:
    before, after = gan.train(steps=300)
    assert abs(after - gan.RADIUS) < 0.5 * abs(before - gan.RADIUS)


@pytest.mark.slow
def test_physics_informed_network_approaches_the_sine() -> None:
    losses, error = physics_informed.train(steps=200)
    assert losses[-1] < 0.05 * losses[0] and error < 0.2


@pytest.mark.slow
def test_loop_resumes_where_it_stopped(tmp_path: Path) -> None:
    first = resumable_loop.Trainer().run(2, tmp_path)
    second = resumable_loop.Trainer().run(3, tmp_path)
    assert [epoch for epoch, *_ in first + second] == [1, 2, 3]
    assert second[0][1] < first[0][1]


def test_served_model_answers_and_refuses(tmp_path: Path) -> None:
    serve.export_model(str(tmp_path))
    with serve.make_server(str(tmp_path)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        ((answer,),) = serve.ask(url, [[1.0, 2.0]])
        with pytest.raises(OSError, match="400"):
            serve.ask(url, [[1.0, 2.0, 3.0]])
        server.shutdown()
        thread.join()
    assert answer == pytest.approx(3.0, abs=0.2)


@pytest.mark.slow
def test_crossed_feature_helps() -> None:
    errors = tabular.train(epochs=4)
    assert errors["crossed"] < errors["plain"]


@pytest.mark.slow
def test_text_classification_minds_the_order() -> None:
    _, accuracy = text_classification.train(epochs=4)
    assert accuracy > 0.9


@pytest.mark.slow
def test_records_are_read_back(tmp_path: Path) -> None:
    count, accuracy = tfrecords.train(epochs=2, folder=tmp_path)
    assert count == 1797 and accuracy > 0.7
    assert len(list(tmp_path.glob("*.tfrecord"))) == 4


@pytest.mark.slow
def test_forecast_beats_the_naive_one() -> None:
    errors = time_series.train(epochs=4)
    assert errors["model"] < errors["naive"]


@pytest.mark.slow
def test_transferred_features_help() -> None:
    results = transfer_learning.train(epochs=2)
    assert set(results) == {"frozen", "fine-tuned", "from scratch"}
    assert results["fine-tuned"] > 0.6


@pytest.mark.slow
def test_vae_learns_and_samples() -> None:
    model, losses = vae.train(epochs=2)
    assert losses[-1] < losses[0]
    assert model.sample(3).shape == (3, 64)


@pytest.mark.slow
def test_loop_written_by_hand_learns() -> None:
    assert training_loop.train(epochs=3, progress=False) > 0.85


def test_examples_are_short_and_say_how_to_run_them() -> None:
    for path in sorted(EXAMPLES.glob("*.py")):
        text = path.read_text("utf-8")
        assert f"python examples/{path.name}" in text, path.name
        assert len(text.splitlines()) < 150, path.name
