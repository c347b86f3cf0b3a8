"""Fingerprints of SavedModels: equal for equal parts, other for others."""

from __future__ import annotations

from pathlib import Path

import pytest

import tapeflow as tf


def test_models_are_told_apart(tmp_path: Path) -> None:
    model = tf.Module()
    model.v = tf.Variable(1.0)
    prints = []
    for name, value in (("a", 1.0), ("b", 1.0), ("c", 2.0)):
        model.v.assign(value)
        tf.saved_model.save(model, tmp_path / name)
        prints.append(tf.saved_model.experimental.read_fingerprint(tmp_path / name))
    a, b, c = prints
    assert a == b != c
    assert hash(a) == hash(b)
    assert a.singleprint() == b.singleprint() != c.singleprint()
    assert a.graph_def_program_hash == c.graph_def_program_hash
    assert a.checkpoint_hash != c.checkpoint_hash
    assert a.version.producer == 4
    assert str(a).startswith("SavedModel Fingerprint\n  saved_model_checksum: ")


def test_absence(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="Could not find fingerprint in directory"):
        tf.saved_model.experimental.read_fingerprint(tmp_path)
    with pytest.raises(ValueError, match="needs all of"):
        tf.saved_model.experimental.Fingerprint(1, 2).singleprint()
