"""Weights of classes as weights of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.trainers.data_adapters.packing import unpack_x_y_sample_weight


def weights_of_samples(y: Any, class_weight: dict[int, float]) -> np.ndarray:
    """The weight of each sample's class: 1 where a class has none."""
    if len(tf.nest.flatten(y)) != 1:
        raise ValueError(
            f"`class_weight` needs a model with one output. Received targets for "
            f"{len(tf.nest.flatten(y))} outputs; pass `sample_weight` for each instead."
        )
    labels = np.asarray(tf.nest.flatten(y)[0])
    if labels.ndim > 1:
        labels = labels.argmax(axis=-1) if labels.shape[-1] != 1 else labels[..., 0]
    labels = np.round(labels).astype("int32")
    weights = np.ones(labels.shape, "float32")
    for number, weight in class_weight.items():
        weights[labels == number] = weight
    return weights


def refuse_both(class_weight: Any, sample_weight: Any) -> None:
    """Raise ValueError if there are weights of classes and of samples."""
    if class_weight is not None and sample_weight is not None:
        raise ValueError(
            "Pass `class_weight` or `sample_weight`, not both: each weights the samples."
        )


def weighted(batch: Any, class_weight: dict[int, float]) -> Any:
    """A batch with the weights of its samples' classes."""
    x, y, sample_weight = unpack_x_y_sample_weight(batch)
    refuse_both(class_weight, sample_weight)
    if y is None:
        raise ValueError("`class_weight` needs targets, and the data have none.")
    return x, y, tf.constant(weights_of_samples(y, class_weight))
