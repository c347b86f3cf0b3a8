"""Keras 2's learning phase: what `training` is where nobody passes it; 0 for inference, 1 else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.scopes import calls


def learning_phase() -> Any:
    """Return the `training` of the layer that is being called, or what was set.

    Returns:
        0 for inference, the default, 1 for training, or a tensor.

    Example:
        >>> tf.keras.backend.learning_phase()
        0
    """
    training = calls.training
    if training is None:
        return 0
    return int(training) if isinstance(training, bool) else training


def set_learning_phase(value: int) -> None:
    """Set the `training` of layers that are called without it, in this thread.

    Args:
        value: 0 for inference or 1 for training.

    Returns:
        None.

    Raises:
        ValueError: `value` is neither.

    Example:
        >>> tf.keras.backend.set_learning_phase(0)
        >>> tf.keras.backend.learning_phase()
        0
        >>> tf.keras.backend.clear_session()  # layers decide again
    """
    calls.training = _checked(value)


@contextmanager
def learning_phase_scope(value: int) -> Iterator[None]:
    """Set the `training` of layers that are called without it in the block.

    Args:
        value: 0 for inference or 1 for training.

    Returns:
        A context manager.

    Raises:
        ValueError: `value` is neither.

    Example:
        >>> with tf.keras.backend.learning_phase_scope(1):
        ...     phase = tf.keras.backend.learning_phase()
        >>> phase
        1
    """
    outer = calls.training
    calls.training = _checked(value)
    try:
        yield
    finally:
        calls.training = outer


def _checked(value: Any) -> bool:
    if value not in (0, 1):
        raise ValueError(f"The learning phase must be 0 (inference) or 1. Received: {value!r}")
    return bool(value)


def in_train_phase(x: TensorLike, alt: Any, training: Any = None) -> Any:
    """Return `x` while training and `alt` otherwise.

    Args:
        x: A tensor, or a function that returns one.
        alt: A tensor, or a function that returns one.
        training: Whether it is training: a boolean or a tensor; None is `learning_phase()`.

    Returns:
        One of both, or its result.

    Example:
        >>> tf.keras.backend.in_train_phase(1.0, 2.0, training=True)
        1.0
    """
    if training is None:
        training = learning_phase()
    if tf.is_tensor(training):
        return switch(training, x, alt)
    chosen = x if training else alt
    return chosen() if callable(chosen) else chosen


def in_test_phase(x: TensorLike, alt: Any, training: Any = None) -> Any:
    """Return `alt` while training and `x` otherwise.

    Args:
        x: A tensor, or a function that returns one.
        alt: A tensor, or a function that returns one.
        training: Whether it is training: a boolean or a tensor; None is `learning_phase()`.

    Returns:
        One of both, or its result.

    Example:
        >>> tf.keras.backend.in_test_phase(1.0, 2.0, training=True)
        2.0
    """
    return in_train_phase(alt, x, training)


@in_models
def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """Return one of two expressions; by element if the condition has axes.

    Args:
        condition: A scalar, or a tensor whose axes are the first ones of the expressions.
        then_expression: A tensor, or a function that returns one.
        else_expression: Likewise.

    Returns:
        A tensor.

    Raises:
        ValueError: The condition has more axes than the expressions.

    Example:
        >>> tf.keras.backend.switch(
        ...     tf.constant([True, False]), tf.constant([1, 2]), tf.constant([3, 4])
        ... ).numpy()
        array([1, 4], dtype=int32)
    """
    condition = tf.cast(condition, tf.bool)
    rank = condition.shape.rank
    if rank == 0:
        return tf.cond(condition, _function_of(then_expression), _function_of(else_expression))
    first, second = _function_of(then_expression)(), _function_of(else_expression)()
    missing = tf.convert_to_tensor(first).shape.rank - rank
    if missing < 0:
        raise ValueError(
            f"K.switch: the condition has more axes than the expressions. Received a condition of "
            f"shape {condition.shape} and an expression of shape {first.shape}"
        )
    if rank > 1:
        condition = tf.reshape(condition, tf.concat([tf.shape(condition), [1] * missing], 0))
    return tf.where(condition, first, second)


def _function_of(expression: Any) -> Any:
    return expression if callable(expression) else lambda: expression
