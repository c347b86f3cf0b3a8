"""Datasets of Grain, made of files and arrays and given to `fit`. Most need `grain`."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.utils import grain_datasets

keras = tf.keras
needs_grain = pytest.mark.skipif(
    importlib.util.find_spec("grain") is None, reason="grain is not installed"
)


@pytest.fixture
def texts(tmp_path: Any) -> Any:
    for folder, content in (("a", "one"), ("a", "two"), ("b", "three")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{content}.txt").write_text(content)
    return tmp_path


def _windows(**kwargs: Any) -> Any:
    return keras.utils.timeseries_dataset_from_array(
        np.arange(10), np.arange(10) * 2, 3, batch_size=4, **kwargs
    )


def test_other_formats_are_refused() -> None:
    with pytest.raises(ValueError, match="'tf' or 'grain'"):
        _windows(format="torch")


def test_without_grain_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "grain", None)
    monkeypatch.setattr(grain_datasets._grain, "_module", None)
    vars(grain_datasets._grain).pop("MapDataset", None)
    with pytest.raises(ImportError, match="pip install grain"):
        _windows(format="grain")


@needs_grain
def test_windows_are_those_of_tf_data() -> None:
    pairs = zip(_windows(format="grain"), _windows(), strict=True)
    for (ours, targets), (theirs, their_targets) in pairs:
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(targets, their_targets)


@needs_grain
@pytest.mark.parametrize("label_mode", ["int", "binary", "categorical", None])
def test_texts_and_labels_are_those_of_tf_data(texts: Any, label_mode: Any) -> None:
    def read(format: str) -> Any:
        return keras.utils.text_dataset_from_directory(
            texts, label_mode=label_mode, shuffle=False, format=format, verbose=False
        )

    assert read("grain").class_names == read("tf").class_names
    for ours, theirs in zip(read("grain"), read("tf"), strict=True):
        for one, other in zip(tf.nest.flatten(ours), tf.nest.flatten(theirs), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


@needs_grain
def test_shuffled_texts_come_in_the_same_order_each_time(texts: Any) -> None:
    dataset = keras.utils.text_dataset_from_directory(
        texts, labels=None, batch_size=None, seed=3, format="grain", verbose=False
    )
    assert list(dataset) == list(dataset)
    assert set(dataset) == {"one", "two", "three"}


@needs_grain
def test_fit_goes_over_a_dataset_in_each_epoch() -> None:
    x, y = np.ones((6, 2), "float32"), np.zeros((6, 1), "float32")
    source = importlib.import_module("grain").MapDataset.source(list(zip(x, y)))
    for dataset in (source.batch(2), source.to_iter_dataset().batch(2)):
        model = keras.Sequential([keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(dataset, epochs=2, verbose=0, shuffle=False)
        assert int(model.optimizer.iterations) == 6
        assert model.predict(dataset, verbose=0).shape == (6, 1)


@needs_grain
def test_targets_beside_a_dataset_are_refused() -> None:
    source = importlib.import_module("grain").MapDataset.source([np.ones(2)]).batch(1)
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="`y` must be None when `x` is a grain"):
        model.fit(source, np.ones(1), verbose=0)
