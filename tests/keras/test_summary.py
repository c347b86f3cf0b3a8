"""The table of a model: as wide as the terminal, and with the variables of the optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
# By the columns of a terminal: widths in Keras, of a line and of branches, without and with
# `show_trainable`.
WIDTHS = {
    60: ([24, 17, 11], [21, 17, 8, 5], [15, 14, 8, 14], [14, 12, 8, 11, 5]),
    80: ([33, 24, 15], [29, 23, 12, 7], [21, 19, 12, 19], [19, 17, 11, 16, 7]),
    100: ([38, 29, 17], [37, 30, 15, 9], [27, 24, 16, 24], [24, 22, 14, 21, 9]),
    112: ([38, 29, 17], [39, 31, 16, 9], [31, 27, 17, 28], [28, 24, 16, 24, 10]),
    200: ([38, 29, 17], [39, 31, 16, 9], [31, 27, 17, 28], [31, 27, 18, 27, 11]),
}


def summary(model: Any, **options: Any) -> list[str]:
    texts: list[str] = []
    model.summary(print_fn=lambda text: texts.append(text), **options)
    return "\n".join(texts).split("\n")


def line() -> Any:
    return tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(8), layers.Dense(3)])


def branches() -> Any:
    x = tf.keras.Input((4,))
    return tf.keras.Model(x, layers.Add()([layers.Dense(2)(x), layers.Dense(2)(x)]))


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_table_is_as_wide_as_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    models = line(), branches()
    tables = [summary(m, show_trainable=t) for m in models for t in (False, True)]
    for table, widths in zip(tables, WIDTHS[columns], strict=True):
        (top,) = (text for text in table if text.startswith("┏"))
        assert [len(part) for part in top[1:-1].split("┳")] == widths


def test_a_narrow_terminal_is_refused() -> None:
    with pytest.raises(ValueError, match="line_length"):
        summary(line(), line_length=12)


def test_the_optimizer_is_counted_after_training() -> None:
    model = line()
    model.compile("adam", "mse")
    assert not any("Optimizer" in text for text in summary(model))
    model.fit(np.ones((2, 4)), np.ones((2, 3)), verbose=0)
    total, *_, kept = summary(model)[-4:]
    assert total == " Total params: 203 (816.00 B)"
    assert kept == " Optimizer params: 136 (548.00 B)"
