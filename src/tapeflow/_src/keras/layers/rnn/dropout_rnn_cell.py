"""Dropout in recurrent cells: one pattern for all steps of a sequence."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.arguments import as_numbers_of
from tapeflow.keras import random


class DropoutRNNCell:
    """Mixin of cells with `dropout` and `recurrent_dropout`: masks are cached until reset.

    A cell has a `seed_generator` besides the two rates. With a `dropout_mask_count` there are as
    many patterns, in a list: one for each gate.
    """

    dropout_mask_count: int | None = None

    dropout: float
    recurrent_dropout: float
    seed_generator: Any
    _dropout_mask: Any = None
    _recurrent_dropout_mask: Any = None

    def drops(self) -> bool:
        """Whether training leaves out inputs or states."""
        return self.dropout > 0 or self.recurrent_dropout > 0

    def _pattern(self, inputs: Any, rate: float) -> Any:
        ones = tf.ones_like(inputs)
        drawn = [
            random.dropout(ones, rate=rate, seed=self.seed_generator)
            for _ in range(self.dropout_mask_count or 1)
        ]
        return drawn[0] if self.dropout_mask_count is None else drawn

    def get_dropout_mask(self, step_input: Any) -> Any:
        """The factors for the inputs of each step; None without dropout."""
        if self._dropout_mask is None and self.dropout > 0:
            object.__setattr__(self, "_dropout_mask", self._pattern(step_input, self.dropout))
        return self._dropout_mask

    def get_recurrent_dropout_mask(self, step_input: Any) -> Any:
        """The factors for the state before each step; None without recurrent dropout."""
        if self._recurrent_dropout_mask is None and self.recurrent_dropout > 0:
            pattern = self._pattern(step_input, self.recurrent_dropout)
            object.__setattr__(self, "_recurrent_dropout_mask", pattern)
        return self._recurrent_dropout_mask

    def get_dropout_mask_for_cell(self, inputs: Any, training: Any, count: int = 1) -> Any:
        """Return the factors for the inputs as Keras 2 does: a list of them if `count` is not 1.

        Args:
            inputs: Inputs of a step.
            training: Whether the layer is being trained; else all factors are 1.
            count: Number of patterns, one for each gate.
        """
        return self._tpf_cached_masks("_dropout_mask_of_keras_2", inputs, training, count)

    def get_recurrent_dropout_mask_for_cell(
        self, inputs: Any, training: Any, count: int = 1
    ) -> Any:
        """Return the factors for the state, as `get_dropout_mask_for_cell` for the inputs."""
        name = "_recurrent_dropout_mask_of_keras_2"
        return self._tpf_cached_masks(name, inputs, training, count)

    def _tpf_cached_masks(self, name: str, inputs: Any, training: Any, count: int) -> Any:
        rate = self.recurrent_dropout if "recurrent" in name else self.dropout
        if rate == 0:
            return None
        if self.__dict__.get(name) is None:
            ones = tf.ones_like(inputs)
            draw = functools.partial(random.dropout, ones, rate, seed=self.seed_generator)
            masks = [draw() if training else ones for _ in range(count)]
            object.__setattr__(self, name, masks[0] if count == 1 else masks)
        return self.__dict__[name]

    def reset_dropout_mask(self) -> None:
        """Draw another pattern at the next step."""
        object.__setattr__(self, "_dropout_mask", None)
        object.__setattr__(self, "_dropout_mask_of_keras_2", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Draw another pattern at the next step."""
        object.__setattr__(self, "_recurrent_dropout_mask", None)
        object.__setattr__(self, "_recurrent_dropout_mask_of_keras_2", None)


def gate_products(inputs: Any, kernel: TensorLike, pattern: Any = None) -> Any:
    """`inputs @ kernel` without what a pattern leaves out, which each gate may have its own of."""
    inputs = as_numbers_of(inputs, kernel)
    if not isinstance(pattern, list):
        return tf.matmul(inputs if pattern is None else inputs * pattern, kernel)
    kernels = tf.split(kernel, len(pattern), axis=1)
    products = [tf.matmul(inputs * own, part) for own, part in zip(pattern, kernels)]
    return tf.concat(products, axis=1)
