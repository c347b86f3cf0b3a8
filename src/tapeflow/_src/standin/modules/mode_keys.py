"""`tensorflow.python.saved_model.model_utils.mode_keys`: what a model is used for."""

from __future__ import annotations


class KerasModeKeys:
    """The uses of a Keras model."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"
