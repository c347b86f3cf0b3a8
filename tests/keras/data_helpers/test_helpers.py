"""`split_dataset`, `Config`, `to_ordinal` and other small helpers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

utils = tf.keras.utils


@pytest.mark.parametrize(
    "data",
    [
        np.arange(10),
        [np.arange(10), np.arange(10) * 2],
        (np.arange(10), np.arange(10) * 2),
        tf.data.Dataset.range(10),
        tf.data.Dataset.from_tensor_slices({"a": np.arange(10)}),
    ],
)
@pytest.mark.parametrize("shuffle", [False, True])
def test_split_dataset_keeps_every_sample(data: Any, shuffle: bool) -> None:
    left, right = utils.split_dataset(data, left_size=0.7, shuffle=shuffle, seed=1)
    parts = [[np.ravel(tf.nest.flatten(each)[0])[0] for each in part] for part in (left, right)]
    assert [len(part) for part in parts] == [7, 3]
    assert sorted(int(value) for part in parts for value in part) == list(range(10))


@pytest.mark.parametrize(
    ("sizes", "error"),
    [
        ({}, ValueError),
        ({"left_size": 10}, ValueError),
        ({"left_size": 1.5}, ValueError),
        ({"left_size": "a"}, TypeError),
        ({"left_size": 6, "right_size": 6}, ValueError),
        ({"left_size": 0.01}, ValueError),
    ],
)
def test_split_dataset_refuses_sizes(sizes: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        utils.split_dataset(np.arange(10), **sizes)


def test_to_ordinal() -> None:
    expected = [[0, 0, 0], [1, 0, 0], [1, 1, 1]]
    assert utils.to_ordinal([0, 1, 3]).tolist() == expected
    assert utils.to_ordinal([[0], [1], [3]], num_classes=4).tolist() == expected


def test_config() -> None:
    config = utils.Config(rate=0.1)
    config.steps = 5
    config["name"] = "x"
    assert (config.rate, config["steps"], len(config), list(config)) == (
        *(0.1, 5, 3),
        ["name", "rate", "steps"],
    )
    assert config.as_dict() == {"rate": 0.1, "steps": 5, "name": "x"}
    with pytest.raises(AttributeError, match="steps"):
        _ = config.step
    config.freeze()
    for change in (lambda: config.pop("name"), lambda: config.update(a=1)):
        with pytest.raises(ValueError, match="frozen"):
            change()
    config.unfreeze()
    del config["name"]
    assert "name" not in config


def test_get_source_inputs() -> None:
    a, b = tf.keras.Input((2,)), tf.keras.Input((2,))
    output = tf.keras.layers.Dense(1)(tf.keras.layers.Add()([a, tf.keras.layers.ReLU()(b)]))
    found = utils.get_source_inputs(output)
    assert [id(each) for each in found] == [id(a), id(b)]


def test_warmstart_embedding_matrix_moves_rows() -> None:
    base = np.arange(6, dtype="float32").reshape(3, 2)
    found = utils.warmstart_embedding_matrix(["u", "a", "b"], ["b", "new", "u"], base, "zeros")
    assert found.numpy().tolist() == [[4, 5], [0, 0], [0, 1]]
