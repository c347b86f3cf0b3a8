"""Distillation: losses against their formulas, training, configs and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

D = tf.keras.distillation
L = tf.keras.layers
RNG = np.random.default_rng(0)
X = RNG.standard_normal((8, 4)).astype("float32")
Y = RNG.standard_normal((8, 3)).astype("float32")


def new_model(hidden: int, name: str) -> Any:
    inputs = tf.keras.Input((4,))
    features = L.Dense(hidden, "tanh", name=f"{name}_hidden")(inputs)
    features = L.Dense(5, name=f"{name}_features")(features)
    return tf.keras.Model(inputs, L.Dense(3)(features), name=name)


def new_distiller(**kwargs: Any) -> Any:
    losses = [
        D.LogitsDistillation(temperature=2.0),
        D.FeatureDistillation("mae", "teacher_features", "student_features"),
    ]
    distiller = D.Distiller(
        new_model(8, "teacher"), new_model(2, "student"), losses, [1.0, 0.5], **kwargs
    )
    distiller.compile("sgd", "mse", metrics=["mae"])
    return distiller


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_logits_are_softened_by_the_temperature() -> None:
    teacher, student = RNG.standard_normal((2, 6, 4)).astype("float32")
    p, q = softmax(teacher / 3), softmax(student / 3)
    expected = (p * np.log(p / q)).sum(-1).mean() * 9
    softened = D.LogitsDistillation(loss=tf.keras.losses.KLDivergence())
    np.testing.assert_allclose(softened.compute_loss(teacher, student), expected, 1e-4)
    # Recorded from Keras, which takes the divergence of the logits themselves if it is named.
    teacher, student = np.random.default_rng(0).standard_normal((2, 6, 4)).astype("float32")
    by_name = D.LogitsDistillation().compute_loss(teacher, student)
    np.testing.assert_allclose(by_name, 3.5988195, 1e-5)
    np.testing.assert_allclose(softened.compute_loss(teacher, student), 0.49573535, 1e-5)
    plain = D.LogitsDistillation(2.0, loss="mse").compute_loss(teacher, student)
    np.testing.assert_allclose(plain, np.square((teacher - student) / 2).mean(), 1e-5)


def test_structures_of_losses_are_summed() -> None:
    teacher = {"a": tf.zeros([2, 3]), "b": tf.zeros([2, 3])}
    student = {"a": tf.ones([2, 3]), "b": 2 * tf.ones([2, 3])}
    loss = D.FeatureDistillation({"a": "mse", "b": "mae"})
    loss.validate_outputs(teacher, student)
    assert float(loss.compute_loss(teacher, student)) == 3.0
    alone = D.FeatureDistillation({"a": None, "b": "mse"})
    assert float(alone.compute_loss(teacher, student)) == 4.0
    with pytest.raises(ValueError):
        loss.validate_outputs(teacher["a"], student["a"])


def test_the_loss_is_the_weighted_sum_of_both_kinds() -> None:
    distiller = new_distiller(student_loss_weight=0.3)
    outputs = distiller(X)
    features = [
        tf.keras.Model(m.inputs, m.get_layer(f"{m.name}_features").output)(X)
        for m in (distiller.teacher, distiller.student)
    ]
    own = np.square(Y - outputs.numpy()).mean()
    logits = D.LogitsDistillation(2.0).compute_loss(distiller.teacher(X), outputs)
    hidden = np.abs(features[0] - features[1]).mean()
    total = distiller.compute_loss(X, Y, outputs, training=False)
    np.testing.assert_allclose(total, 0.3 * own + 0.7 * (float(logits) + 0.5 * hidden), 1e-5)


def test_training_changes_the_student_alone(tmp_path: Path) -> None:
    distiller = new_distiller()
    before = [w.numpy() for w in distiller.teacher.weights]
    history = distiller.fit(X, Y, epochs=2, verbose=0).history
    assert set(history) == {"distillation_loss", "loss", "mae", "student_loss", "total_loss"}
    assert history["loss"][1] < history["loss"][0]
    for old, new in zip(before, distiller.teacher.weights):
        np.testing.assert_array_equal(old, new)
    distiller.save(tmp_path / "distiller.keras")
    again = tf.keras.models.load_model(tmp_path / "distiller.keras")
    np.testing.assert_allclose(again.predict(X, verbose=0), distiller.predict(X, verbose=0), 1e-6)
    evaluated = [m.evaluate(X, Y, verbose=0, return_dict=True) for m in (distiller, again)]
    assert evaluated[0] == pytest.approx(evaluated[1], rel=1e-5)


def test_configs_round_trip() -> None:
    for loss in new_distiller().distillation_losses:
        assert type(loss).from_config(loss.get_config()).get_config() == loss.get_config()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"student": "x"}, "student"),
        ({"student_loss_weight": 1.5}, "student_loss_weight"),
        ({"distillation_losses": None}, "distillation_losses"),
        ({"distillation_loss_weights": [1.0, 2.0]}, "weights"),
        ({"distillation_losses": D.FeatureDistillation("mse", "nowhere", "x")}, "teacher"),
        ({"student": tf.keras.Sequential([tf.keras.Input((5,)), L.Dense(3)])}, "inputs"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], words: str) -> None:
    given = {
        "teacher": new_model(4, "teacher"),
        "student": new_model(2, "student"),
        "distillation_losses": [D.LogitsDistillation()],
    }
    with pytest.raises(ValueError, match=words):
        D.Distiller(**{**given, **arguments})
