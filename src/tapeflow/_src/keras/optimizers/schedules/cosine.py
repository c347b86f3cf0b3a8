"""Learning rates that fall like a cosine, once or again and again."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.optimizers.schedules.schedule import (
    LearningRateSchedule,
    must_be_positive,
    rate_and_step,
)


def _falling(fraction: Any) -> Any:
    """Half a cosine: 1 where the fraction is 0, 0 where it is 1."""
    return 0.5 * (1.0 + tf.cos(tf.constant(math.pi, fraction.dtype) * fraction))


class CosineDecay(LearningRateSchedule):
    """Cosine decay (Loshchilov & Hutter, 2017), optionally after a linear warmup.

    Args:
        initial_learning_rate: Rate at step 0.
        decay_steps: Number of steps of the decay.
        alpha: Final rate as a fraction of the rate that the decay starts from.
        name: Name of the schedule.
        warmup_target: Rate that the warmup ends at; None for no warmup.
        warmup_steps: Number of steps of the warmup.

    >>> schedule = tf.keras.optimizers.schedules.CosineDecay(1.0, decay_steps=100)
    >>> float(schedule(100))
    0.0

    Raises:
        ValueError: `decay_steps` is not positive.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        alpha: Any = 0.0,
        name: str = "CosineDecay",
        warmup_target: Any = None,
        warmup_steps: Any = 0,
    ) -> None:
        must_be_positive("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.alpha = alpha
        self.name = name
        self.warmup_steps = warmup_steps
        self.warmup_target = warmup_target

    def __call__(self, step: Any) -> Any:
        with tf.name_scope(self.name or type(self).__name__):
            rate, step = rate_and_step(self.initial_learning_rate, step)
            if self.warmup_target is None:
                return self._decayed(step, rate)
            top = tf.cast(self.warmup_target, rate.dtype)
            warm = tf.cast(self.warmup_steps, rate.dtype)
            climbing = (top - rate) * (step / warm) + rate
            return tf.where(step < warm, climbing, self._decayed(step - warm, top))

    def _decayed(self, step: Any, rate: Any) -> Any:
        steps = tf.cast(self.decay_steps, rate.dtype)
        fraction = tf.minimum(step, steps) / steps
        alpha = tf.cast(self.alpha, rate.dtype)
        return rate * ((1 - alpha) * _falling(fraction) + alpha)

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "alpha": self.alpha,
            "name": self.name,
            "warmup_target": self.warmup_target,
            "warmup_steps": self.warmup_steps,
        }


class CosineDecayRestarts(LearningRateSchedule):
    """Cosine decay with warm restarts: periods grow by `t_mul`, start rates shrink by `m_mul`.

    See Loshchilov & Hutter (2017).

    Args:
        initial_learning_rate: Rate at step 0.
        first_decay_steps: Number of steps of the first period.
        t_mul: Factor from the length of a period to that of the next.
        m_mul: Factor from the rate that a period starts with to that of the next.
        alpha: Final rate of a period as a fraction of the initial rate.
        name: Name of the schedule.

    Raises:
        ValueError: `first_decay_steps` is not positive.

    Example:
        >>> schedule = tf.keras.optimizers.schedules.CosineDecayRestarts(1.0, 10)
        >>> float(schedule(0)), float(schedule(10))
        (1.0, 1.0)
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        first_decay_steps: Any,
        t_mul: Any = 2.0,
        m_mul: Any = 1.0,
        alpha: Any = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        must_be_positive("first_decay_steps", first_decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps = first_decay_steps
        self._t_mul = t_mul
        self._m_mul = m_mul
        self.alpha = alpha
        self.name = name

    def __call__(self, step: Any) -> Any:
        with tf.name_scope(self.name or type(self).__name__):
            rate, step = rate_and_step(self.initial_learning_rate, step)
            passed = step / tf.cast(self.first_decay_steps, rate.dtype)
            restarts, fraction = self._restarts(passed)
            top = tf.pow(tf.cast(self._m_mul, rate.dtype), restarts)
            alpha = tf.cast(self.alpha, rate.dtype)
            return rate * ((1 - alpha) * top * _falling(fraction) + alpha)

    def _restarts(self, passed: Any) -> tuple[Any, Any]:
        """How often it has restarted, and the fraction of the present fall that has passed.

        The falls are a geometric series, so their number is a logarithm.
        """
        if self._t_mul == 1.0:
            restarts = tf.floor(passed)
            return restarts, passed - restarts
        longer = tf.cast(self._t_mul, passed.dtype)
        restarts = tf.floor(tf.math.log(1.0 - passed * (1.0 - longer)) / tf.math.log(longer))
        length = tf.pow(longer, restarts)
        return restarts, (passed - (1.0 - length) / (1.0 - longer)) / length

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "first_decay_steps": self.first_decay_steps,
            "t_mul": self._t_mul,
            "m_mul": self._m_mul,
            "alpha": self.alpha,
            "name": self.name,
        }
