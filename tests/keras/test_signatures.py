"""Calls written for Keras work here: the same parameters, in the same order, with its defaults.

`tests/golden/keras_signatures.json` is what `tests/keras/signatures.py` has recorded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tests.keras.signatures import NAMESPACES, names_of, namespace

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "keras_signatures.json").read_text(encoding="utf-8")
)
# What only Keras 2 has.
KERAS_2 = {
    *("AbstractRNNCell", "BaseLogger", "DenseFeatures", "MeanRelativeError", "MeanTensor"),
    *("RadialConstraint", "model_from_config", "model_from_yaml", "radial_constraint"),
    *("LocallyConnected1D", "LocallyConnected2D", "ThresholdedReLU"),
    *("GeneratorEnqueuer", "OrderedEnqueuer", "SequenceEnqueuer"),
    *("to_ordinal", "warmstart_embedding_matrix"),
    *("function", "in_test_phase", "in_train_phase", "learning_phase"),
    *("learning_phase_scope", "local_conv1d", "local_conv2d", "manual_variable_initialization"),
    *("normalize_batch_in_training", "placeholder", "print_tensor", "random_binomial"),
    *("reset_uids", "set_learning_phase"),
    *("SidecarEvaluator", "SidecarEvaluatorModelExport", "StepsPerExecutionTuner"),
    "TimedThread",
}
# What neither has.
OURS = {"plot_history"}
HERE = [name for name in NAMESPACES if namespace(tf.keras, name) is not None]


def difference(ours: list[str] | None, theirs: list[str] | None) -> str | None:
    """Why a call for theirs may fail with ours; ours may take more, if that has a default."""
    if ours is None or theirs is None:
        return None
    if len(ours) >= len(theirs) and all(map(_takes_place_of, ours, theirs)):
        needed = [word for word in ours[len(theirs) :] if "=" not in word]
        return f"requires {needed}" if needed else None
    return f"({', '.join(ours)}) instead of ({', '.join(theirs)})"


def _takes_place_of(ours: str, theirs: str) -> bool:
    """Whether a parameter is the same, or the same with a default that Keras 3 has not."""
    return ours == theirs or ours.split("=")[0] == theirs


@pytest.mark.parametrize("name", HERE)
def test_parameters_are_those_of_keras(name: str) -> None:
    found: list[str] = []
    ours: dict[str, Any] = names_of(namespace(tf.keras, name))
    for key, theirs in GOLDEN[name].items():
        mine = ours.get(key)
        if isinstance(theirs, dict) and isinstance(mine, dict):
            for method in ("__init__", "call"):
                problem = difference(mine.get(method), theirs.get(method))
                if problem:
                    found.append(f"tf.keras.{name}.{key}.{method}: {problem}")
        elif isinstance(theirs, list) and isinstance(mine, list):
            problem = difference(mine, theirs)
            if problem:
                found.append(f"tf.keras.{name}.{key}: {problem}")
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("name", HERE)
def test_nothing_is_offered_that_keras_lacks(name: str) -> None:
    extra = names_of(namespace(tf.keras, name)).keys() - GOLDEN[name].keys() - KERAS_2 - OURS
    assert sorted(extra) == []
