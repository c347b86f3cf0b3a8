"""Learning rates that fall steadily, or in stairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.optimizers.schedules.schedule import (
    LearningRateSchedule,
    must_be_positive,
    rate_and_step,
)


class _ByRate(LearningRateSchedule):
    """A learning rate that depends on `decay_rate` and on how often `decay_steps` have passed."""

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool,
        name: str,
    ) -> None:
        must_be_positive("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def _periods(self, step: Any) -> Any:
        """How often `decay_steps` have passed: a whole number, for stairs."""
        periods = step / tf.cast(self.decay_steps, step.dtype)
        return tf.floor(periods) if self.staircase else periods

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "decay_rate": self.decay_rate,
            "staircase": self.staircase,
            "name": self.name,
        }


class ExponentialDecay(_ByRate):
    """Exponential decay: `initial_learning_rate * decay_rate ** (step / decay_steps)`.

    Args:
        initial_learning_rate: Rate at step 0.
        decay_steps: Number of steps per factor `decay_rate`.
        decay_rate: Factor of the decay.
        staircase: Whether to decay in discrete intervals of `decay_steps`.
        name: Name of the schedule.

    >>> schedule = tf.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5)
    >>> float(schedule(10))
    0.5

    Raises:
        ValueError: `decay_steps` is not positive.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        super().__init__(initial_learning_rate, decay_steps, decay_rate, staircase, name)

    def __call__(self, step: Any) -> Any:
        with tf.name_scope(self.name or type(self).__name__):
            rate, step = rate_and_step(self.initial_learning_rate, step)
            return rate * tf.pow(tf.cast(self.decay_rate, rate.dtype), self._periods(step))


class InverseTimeDecay(_ByRate):
    """Inverse time decay: `initial_learning_rate / (1 + decay_rate * step / decay_steps)`.

    Args:
        initial_learning_rate: Rate at step 0.
        decay_steps: Number of steps that count as one period.
        decay_rate: Factor of the number of periods.
        staircase: Whether to decay in discrete intervals of `decay_steps`.
        name: Name of the schedule.

    Raises:
        ValueError: `decay_steps` is not positive.

    Example:
        >>> schedule = tf.keras.optimizers.schedules.InverseTimeDecay(1.0, 10, 1.0)
        >>> float(schedule(10))
        0.5
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:
        super().__init__(initial_learning_rate, decay_steps, decay_rate, staircase, name)

    def __call__(self, step: Any) -> Any:
        with tf.name_scope(self.name or type(self).__name__):
            rate, step = rate_and_step(self.initial_learning_rate, step)
            return rate / (1 + tf.cast(self.decay_rate, rate.dtype) * self._periods(step))


class PiecewiseConstantDecay(LearningRateSchedule):
    """Piecewise constant rate: `values[i]` for steps up to `boundaries[i]`.

    Args:
        boundaries: Increasing steps at which the rate changes.
        values: Rates of the intervals, one more than boundaries.
        name: Name of the schedule.

    Raises:
        ValueError: The number of values is not that of boundaries plus one.

    Example:
        >>> steps, rates = [10, 20], [1.0, 0.5, 0.25]
        >>> schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay(steps, rates)
        >>> [float(schedule(step)) for step in (10, 11, 21)]
        [1.0, 0.5, 0.25]
    """

    def __init__(
        self, boundaries: Sequence[Any], values: Sequence[Any], name: str = "PiecewiseConstant"
    ) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                f"PiecewiseConstantDecay needs one value more than boundaries: the values before, "
                f"between and after them. Received {len(boundaries)} boundaries {boundaries} and "
                f"{len(values)} values {values}."
            )
        self.boundaries = boundaries
        self.values = values
        self.name = name

    def __call__(self, step: Any) -> Any:
        with tf.name_scope(self.name or type(self).__name__):
            step = tf.convert_to_tensor(step)
            values = tf.stack([tf.convert_to_tensor(value) for value in self.values])
            if not self.boundaries:
                return values[0]
            # Boundaries may be fractions where steps are whole.
            ends = tf.convert_to_tensor([float(end) for end in self.boundaries], tf.float64)
            return values[tf.reduce_sum(tf.cast(tf.cast(step, tf.float64) > ends, tf.int32))]

    def get_config(self) -> dict[str, Any]:
        return {"boundaries": self.boundaries, "values": self.values, "name": self.name}


class PolynomialDecay(LearningRateSchedule):
    """Polynomial decay from `initial_learning_rate` to `end_learning_rate`.

    Args:
        initial_learning_rate: Rate at step 0.
        decay_steps: Number of steps of the decay.
        end_learning_rate: Final rate.
        power: Exponent; 1 is linear.
        cycle: Whether to start over beyond `decay_steps`.
        name: Name of the schedule.

    Raises:
        ValueError: `decay_steps` is not positive.

    Example:
        >>> schedule = tf.keras.optimizers.schedules.PolynomialDecay(1.0, 10, end_learning_rate=0.0)
        >>> float(schedule(5))
        0.5
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        end_learning_rate: Any = 0.0001,
        power: Any = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        must_be_positive("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name

    def __call__(self, step: Any) -> Any:
        with tf.name_scope(self.name or type(self).__name__):
            rate, step = rate_and_step(self.initial_learning_rate, step)
            end = tf.cast(self.end_learning_rate, rate.dtype)
            steps = tf.cast(self.decay_steps, rate.dtype)
            if self.cycle:
                # The first multiple of `decay_steps` that has not passed, and not zero.
                cycles = tf.math.ceil(step / steps)
                steps = steps * tf.where(tf.equal(step, 0), tf.ones_like(cycles), cycles)
            else:
                step = tf.minimum(step, steps)
            left = tf.pow(1 - step / steps, tf.cast(self.power, rate.dtype))
            return (rate - end) * left + end

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "end_learning_rate": self.end_learning_rate,
            "power": self.power,
            "cycle": self.cycle,
            "name": self.name,
        }
