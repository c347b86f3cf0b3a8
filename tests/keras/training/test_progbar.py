"""The progress bar's text is Keras', times included, on a clock that the test sets."""

from __future__ import annotations

import re
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.keras.utils import progbar

FULL, PART = "\x1b[32m{}\x1b[0m", "\x1b[37m{}\x1b[0m"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(progbar.time, "time", lambda: now[0])
    return now


def drawn(
    clock: list[float], capsys: pytest.CaptureFixture[str], updates: Any, dt: float, **kwargs: Any
) -> str:
    bar = tf.keras.utils.Progbar(**kwargs)
    for update in updates:
        clock[0] += dt
        bar.update(*update)
    return capsys.readouterr().out


def test_a_bar(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    updates = [(1, [("a", 0.5), ("loss", 1e-5)]), (2, [("a", 1.5), ("loss", 123456.0)]), (4, None)]
    out = drawn(clock, capsys, updates, 0.1, target=4)
    first = "\r\x1b[1m1/4\x1b[0m " + FULL.format("━" * 5) + PART.format("━" * 15)
    first += " \x1b[1m0s\x1b[0m 100ms/step - a: 0.5000 - loss: 1.0000e-05"
    second = "\r\x1b[1m2/4\x1b[0m " + FULL.format("━" * 10) + PART.format("━" * 10)
    second += " \x1b[1m0s\x1b[0m 100ms/step - a: 1.0000 - loss: 61728.0000"
    last = "\r\x1b[1m4/4\x1b[0m " + FULL.format("━" * 20) + PART.format("")
    last += " \x1b[1m0s\x1b[0m 67ms/step - a: 1.0000 - loss: 61728.0000 \n"
    assert out == first + "\b" * 69 + second + "\b" * 69 + last


@pytest.mark.parametrize(
    ("target", "updates", "dt", "texts"),
    [
        (400, [1, 400], 4000.0, ["443:20:00 4000s/step", "8000s 10s/step      "]),
        (400, [1, 3], 1e5, ["11083:20:00 100000s/step", "5513:53:20 50000s/step  "]),
        (40, [1, 39, 40], 1e-4, ["0s 100us/step", "0s 3us/step  ", "0s 5us/step"]),
        (4, [0, 4], 0.1, ["0s 0s/step", "0s 50ms/step"]),
        (100, [1, 2], 1.0, ["1:39 1s/step", "1:38 1s/step"]),
    ],
)
def test_times(
    clock: list[float],
    capsys: pytest.CaptureFixture[str],
    target: int,
    updates: list[int],
    dt: float,
    texts: list[str],
) -> None:
    out = drawn(clock, capsys, [(n, None) for n in updates], dt, target=target, interval=0)
    plain = re.sub(r"\x1b\[\d+m|\x08|━", "", out).strip("\r\n").split("\r")
    assert [line.lstrip().split("  ", 1)[1] for line in plain] == texts


def test_a_target_that_is_not_known(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    updates = [(1, [("a", 0.5)]), (2, [("a", 1.5)], True)]
    out = drawn(clock, capsys, updates, 0.1, target=None)
    text = "      {}/Unknown \x1b[1m0s\x1b[0m 100ms/step - a: {}"
    assert out == "\r" + text.format(1, "0.5000") + "\b" * 41 + "\r" + text.format(2, "1.5000\n")


def test_a_line(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    bar = tf.keras.utils.Progbar(4, verbose=2, stateful_metrics=["b"])
    for n in (1, 2, 1):
        clock[0] += 0.1
        bar.add(n, [("a", n * 1.5), ("b", n)])
    assert capsys.readouterr().out == "4/4 - 0s - 67ms/step - a: 1.5000 - b: 1.0000\n"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({}, "1.0000"),
        ({"stateful_metrics": ["value"]}, "2.0000"),
        ({"stateless_metrics": []}, "2.0000"),
        ({"stateless_metrics": ["value"]}, "1.0000"),
    ],
)
def test_what_is_averaged(
    options: dict[str, list[str]], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bar = tf.keras.utils.Progbar(3, interval=0.0, **options)
    bar.update(1, [("value", 0.0)])
    capsys.readouterr()
    bar.update(2, [("value", [1.0, 2.0, 3.0])])
    assert f"value: {shown}" in capsys.readouterr().out
    with pytest.raises(ValueError, match="not both"):
        tf.keras.utils.Progbar(3, stateful_metrics=[], stateless_metrics=[])
