"""Keras on JAX, as a module under test that has `keras` where TensorFlow has it."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras as keras
